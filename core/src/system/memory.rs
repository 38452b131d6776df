//! What is remembered of each source across its turns (B 3.10).

use std::collections::BTreeMap;
use std::time::Duration;

use http::HeaderValue;

use crate::effect::SourceId;
use crate::source::Backoff;

/// ETags and back-off counters, a source each.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Memory {
    tags: BTreeMap<SourceId, HeaderValue>,
    backoffs: BTreeMap<SourceId, Backoff>,
}

impl Memory {
    /// The ETag of the data held, if it came from this source (B 4.2).
    pub(super) fn tag(&self, source: SourceId) -> Option<&HeaderValue> {
        self.tags.get(&source)
    }

    /// `tag` names the data held, as this source has it.
    pub(super) fn remember_tag(&mut self, source: SourceId, tag: HeaderValue) {
        self.tags.insert(source, tag);
    }

    /// Other data is held: no tag describes it any more.
    pub(super) fn forget_tags(&mut self) {
        self.tags.clear();
    }

    /// The back-off of a source, which begins with `initial`.
    pub(super) fn backoff(&mut self, source: SourceId, initial: Duration) -> &mut Backoff {
        self.backoffs.entry(source).or_insert_with(|| Backoff::new(initial))
    }
}
