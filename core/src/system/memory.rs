//! What is remembered of each source across its turns (B 3.10).

use std::collections::BTreeMap;
use std::time::Duration;

use http::HeaderValue;

use crate::effect::SourceId;
use crate::source::Backoff;

/// ETags and back-off counters, a source each.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Memory(BTreeMap<SourceId, Remembered>);

#[derive(Clone, Debug, PartialEq)]
struct Remembered {
    tag: Option<HeaderValue>,
    backoff: Backoff,
}

impl Memory {
    /// The ETag of the data held, if it came from this source (B 4.2).
    pub(super) fn tag(&self, source: SourceId) -> Option<&HeaderValue> {
        self.0.get(&source)?.tag.as_ref()
    }

    /// The back-off of a source, which begins with `initial`.
    pub(super) fn backoff(&mut self, source: SourceId, initial: Duration) -> &mut Backoff {
        &mut self.remembered(source, initial).backoff
    }

    /// `tag` names the data held, as this source has it.
    pub(super) fn remember_tag(&mut self, source: SourceId, initial: Duration, tag: HeaderValue) {
        self.remembered(source, initial).tag = Some(tag);
    }

    /// Other data is held: no tag describes it any more.
    pub(super) fn forget_tags(&mut self) {
        for remembered in self.0.values_mut() {
            remembered.tag = None;
        }
    }

    fn remembered(&mut self, source: SourceId, initial: Duration) -> &mut Remembered {
        self.0
            .entry(source)
            .or_insert_with(|| Remembered { tag: None, backoff: Backoff::new(initial) })
    }
}
