//! Streams of what changes, and callbacks.

mod callback;
mod flags;
mod values;

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::vec;

use fdv2_core::effect::SourceSwitched;
use fdv2_core::snapshot::FlagsChanged;
use fdv2_core::status::{SourceStatus, StoreStatus};
use futures::Stream;

pub use self::callback::Listener;
pub use self::values::{ValueChange, ValueChanges};
use crate::Warning;
use crate::big_segments::BigSegmentStatus;
use crate::queue::{Entry, Subscription};

/// The data source's statuses. See [`Client::status_stream`](crate::Client::status_stream).
pub struct StatusStream(Subscription<SourceStatus>);

/// The store's statuses. See [`Client::store_status_stream`](crate::Client::store_status_stream).
pub struct StoreStatusStream(Subscription<StoreStatus>);

/// The statuses of the store of big segments. See
/// [`Client::big_segment_status_stream`](crate::Client::big_segment_status_stream).
pub struct BigSegmentStatusStream(Subscription<BigSegmentStatus>);

/// The changes of source. See [`Client::source_switches`](crate::Client::source_switches).
pub struct SourceSwitches(Subscription<SourceSwitched>);

/// What harms nothing but should be known. See [`Client::warnings`](crate::Client::warnings).
pub struct Warnings(Subscription<Warning>);

/// What a listener to flags is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FlagChange {
    /// The flag of this key changed, or one that it depends on, or a segment (B 7.1).
    Changed(Arc<str>),
    /// The listener did not keep up, and so many change sets were lost. Any flag may have changed;
    /// the snapshot has the newest data (B 7.3).
    Lagged(u64),
}

/// The keys of changed flags, each once a change set and in order. See
/// [`Client::flag_changes`](crate::Client::flag_changes).
///
/// The reader's own task works out which flags they are, not the driver.
pub struct FlagChanges {
    change_sets: Subscription<FlagsChanged>,
    keys: vec::IntoIter<Arc<str>>,
}

impl StatusStream {
    pub(crate) fn new(statuses: Subscription<SourceStatus>) -> Self {
        Self(statuses)
    }
}

impl StoreStatusStream {
    pub(crate) fn new(statuses: Subscription<StoreStatus>) -> Self {
        Self(statuses)
    }
}

impl BigSegmentStatusStream {
    pub(crate) fn new(statuses: Subscription<BigSegmentStatus>) -> Self {
        Self(statuses)
    }
}

impl SourceSwitches {
    pub(crate) fn new(switches: Subscription<SourceSwitched>) -> Self {
        Self(switches)
    }
}

impl Warnings {
    pub(crate) fn new(warnings: Subscription<Warning>) -> Self {
        Self(warnings)
    }
}

impl FlagChanges {
    pub(crate) fn new(change_sets: Subscription<FlagsChanged>) -> Self {
        Self { change_sets, keys: Vec::new().into_iter() }
    }
}

impl Stream for StatusStream {
    type Item = SourceStatus;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<SourceStatus>> {
        poll_item(&mut self.0, cx)
    }
}

impl Stream for StoreStatusStream {
    type Item = StoreStatus;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<StoreStatus>> {
        poll_item(&mut self.0, cx)
    }
}

impl Stream for BigSegmentStatusStream {
    type Item = BigSegmentStatus;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<BigSegmentStatus>> {
        poll_item(&mut self.0, cx)
    }
}

impl Stream for SourceSwitches {
    type Item = SourceSwitched;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<SourceSwitched>> {
        poll_item(&mut self.0, cx)
    }
}

impl Stream for Warnings {
    type Item = Warning;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Warning>> {
        poll_item(&mut self.0, cx)
    }
}

/// Each item stands for itself, so it does not matter how many came before.
fn poll_item<T>(subscription: &mut Subscription<T>, cx: &mut Context<'_>) -> Poll<Option<T>> {
    loop {
        match ready!(subscription.poll_entry(cx)) {
            Some(Entry::Item(item)) => return Poll::Ready(Some(item)),
            Some(Entry::Lagged(_)) => {}
            None => return Poll::Ready(None),
        }
    }
}

impl Stream for FlagChanges {
    type Item = FlagChange;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<FlagChange>> {
        loop {
            if let Some(key) = self.keys.next() {
                return Poll::Ready(Some(FlagChange::Changed(key)));
            }
            match ready!(self.change_sets.poll_entry(cx)) {
                Some(Entry::Item(changed)) => self.keys = changed.keys().to_vec().into_iter(),
                Some(Entry::Lagged(lost)) => return Poll::Ready(Some(FlagChange::Lagged(lost))),
                None => return Poll::Ready(None),
            }
        }
    }
}

macro_rules! opaque_debug {
    ($($name:ident),*) => {$(
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    )*};
}

opaque_debug!(
    StatusStream,
    StoreStatusStream,
    BigSegmentStatusStream,
    SourceSwitches,
    Warnings,
    FlagChanges
);
