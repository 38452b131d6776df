//! Streams of what changes.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use fdv2_core::effect::SourceSwitched;
use fdv2_core::status::SourceStatus;
use futures::Stream;

use crate::queue::{Entry, Subscription};

/// The data source's statuses. See [`Client::status_stream`](crate::Client::status_stream).
pub struct StatusStream(Subscription<SourceStatus>);

/// The changes of source. See [`Client::source_switches`](crate::Client::source_switches).
pub struct SourceSwitches(Subscription<SourceSwitched>);

impl StatusStream {
    pub(crate) fn new(statuses: Subscription<SourceStatus>) -> Self {
        Self(statuses)
    }
}

impl SourceSwitches {
    pub(crate) fn new(switches: Subscription<SourceSwitched>) -> Self {
        Self(switches)
    }
}

impl Stream for StatusStream {
    type Item = SourceStatus;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<SourceStatus>> {
        poll_item(&mut self.0, cx)
    }
}

impl Stream for SourceSwitches {
    type Item = SourceSwitched;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<SourceSwitched>> {
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

macro_rules! opaque_debug {
    ($($name:ident),*) => {$(
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    )*};
}

opaque_debug!(StatusStream, SourceSwitches);
