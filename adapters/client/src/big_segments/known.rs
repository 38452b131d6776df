//! What one evaluation knows of memberships.

use std::cell::OnceCell;
use std::sync::Arc;

use arc_swap::Guard;
use fdv2_core::Instant;
use fdv2_core::eval::{BigSegment, Membership};

use super::cache::{Entries, Found};
use super::{ContextHash, MembershipReading};

/// What one asynchronous evaluation has asked for: it counts until its end, failures included.
#[derive(Default)]
pub(crate) struct Fetched(Vec<(ContextHash, Found)>);

impl Fetched {
    /// Reads the memberships of the context with this key.
    pub(crate) async fn fetch(&mut self, reading: &Arc<MembershipReading>, context_key: &str) {
        let context = ContextHash::of(context_key);
        let found = reading.fetch(context).await;
        self.0.push((context, found));
    }

    fn find(&self, context: &ContextHash) -> Option<&Found> {
        self.0.iter().find(|(fetched, _)| fetched == context).map(|(_, found)| found)
    }
}

/// What one evaluation knows of memberships. Nothing changes in it until it is dropped.
pub(crate) struct Known<'a> {
    reading: Option<&'a Arc<MembershipReading>>,
    form: Form<'a>,
    /// Taken when the first big segment is met with.
    moment: OnceCell<(Guard<Arc<Entries>>, Instant)>,
}

/// What is done about memberships that are lacking or have expired.
enum Form<'a> {
    /// They are loaded behind the evaluation, and perhaps somebody is told.
    AtHand { is_watched: bool },
    /// They are asked for, unless that was done.
    With(&'a Fetched),
}

impl<'a> Known<'a> {
    /// In the synchronous form: what it lacks, or has expired, is loaded behind it.
    pub(crate) fn at_hand(reading: Option<&'a Arc<MembershipReading>>) -> Self {
        Self { reading, form: Form::AtHand { is_watched: false }, moment: OnceCell::new() }
    }

    /// The same for a listener: it is told when what is loaded is something else.
    pub(crate) fn watched(reading: Option<&'a Arc<MembershipReading>>) -> Self {
        Self { reading, form: Form::AtHand { is_watched: true }, moment: OnceCell::new() }
    }

    /// In the asynchronous form: it asks for what it lacks.
    pub(crate) fn with(reading: Option<&'a Arc<MembershipReading>>, fetched: &'a Fetched) -> Self {
        Self { reading, form: Form::With(fetched), moment: OnceCell::new() }
    }

    pub(crate) fn membership(&self, segment: BigSegment<'_>, context_key: &str) -> Membership {
        let Some(reading) = self.reading else { return Membership::NotConfigured };
        let context = ContextHash::of(context_key);
        if let Form::With(fetched) = self.form
            && let Some(found) = fetched.find(&context)
        {
            return reading.membership(found, segment);
        }
        let cache = reading.cache();
        let (entries, now) = self.moment.get_or_init(|| (cache.entries(), reading.now()));
        let entry = entries.look_up(context.as_str());
        if let Some(entry) = entry.filter(|entry| cache.counts(entry, *now)) {
            entry.touch();
            if matches!(self.form, Form::AtHand { is_watched: true } if entry.found.is_none()) {
                reading.owe();
            }
            return reading.membership(&entry.found, segment);
        }
        let Form::AtHand { is_watched } = self.form else { return Membership::NotLoaded };
        reading.load_behind(context, is_watched);
        entry.map_or(Membership::StoreError, |entry| reading.membership(&entry.found, segment))
    }
}
