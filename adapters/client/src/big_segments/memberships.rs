//! Which big segments one context is in, or kept out of.

use std::collections::BTreeMap;

use fdv2_core::eval::BigSegment;

use crate::store::StoreError;

/// How much memory the segments of one context can take, in bytes, by a rough count: those of many
/// contexts are remembered at once.
const MOST_BYTES: usize = 1 << 20;

/// What one of them takes beside its key.
const OVERHEAD: usize = 48;

/// Which big segments one context is in, and which it is kept out of. The rules of those that are
/// not named decide for themselves (C 3.7).
///
/// A segment is named by its reference, `KEY.gGENERATION`: `beta-testers.g3`. What is no reference
/// names no segment, and is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memberships {
    lists: BTreeMap<Box<str>, BTreeMap<i64, bool>>,
    bytes: usize,
}

impl Memberships {
    /// In none, and out of none.
    pub fn new() -> Self {
        Self::default()
    }

    /// The context is in the segment of this reference, whatever was said of it before.
    ///
    /// # Errors
    /// They take more than a mebibyte of memory: thousands of segments for one context.
    pub fn include(&mut self, reference: &str) -> Result<(), StoreError> {
        self.set(reference, true)
    }

    /// The context is kept out of the segment of this reference, unless it is said to be in it.
    ///
    /// # Errors
    /// As for [`include`](Self::include).
    pub fn exclude(&mut self, reference: &str) -> Result<(), StoreError> {
        self.set(reference, false)
    }

    /// Whether the context is in the segment or kept out of it, if either is said.
    pub(super) fn look_up(&self, segment: BigSegment<'_>) -> Option<bool> {
        self.lists.get(segment.key)?.get(&segment.generation).copied()
    }

    fn set(&mut self, reference: &str, is_included: bool) -> Result<(), StoreError> {
        let Some((key, generation)) = read(reference) else { return Ok(()) };
        let known = self.look_up(BigSegment { key, generation });
        if known.is_none() {
            self.bytes += key.len() + OVERHEAD;
        }
        if self.bytes > MOST_BYTES {
            return Err(StoreError::new("one context is listed in too many big segments"));
        }
        let is_included = is_included || known == Some(true);
        self.lists.entry(key.into()).or_default().insert(generation, is_included);
        Ok(())
    }
}

/// Key and generation.
fn read(reference: &str) -> Option<(&str, i64)> {
    let (key, generation) = reference.rsplit_once(".g")?;
    Some((key, generation.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look_up(memberships: &Memberships, key: &str, generation: i64) -> Option<bool> {
        memberships.look_up(BigSegment { key, generation })
    }

    /// C 3.7.
    #[test]
    fn a_segment_is_found_by_key_and_generation() {
        let mut memberships = Memberships::new();
        memberships.include("a.g1").unwrap();
        memberships.exclude("a.g2").unwrap();
        memberships.include("b.gone.g-3").unwrap();
        memberships.include(".g4").unwrap();
        assert_eq!(look_up(&memberships, "a", 1), Some(true));
        assert_eq!(look_up(&memberships, "a", 2), Some(false));
        assert_eq!(look_up(&memberships, "a", 3), None);
        assert_eq!(look_up(&memberships, "b.gone", -3), Some(true));
        assert_eq!(look_up(&memberships, "", 4), Some(true));
        assert_eq!(look_up(&memberships, "c", 1), None);
    }

    /// As in the other SDKs: a context that is on both lists is in.
    #[test]
    fn being_included_beats_being_excluded_in_either_order() {
        let mut memberships = Memberships::new();
        memberships.include("a.g1").unwrap();
        memberships.exclude("a.g1").unwrap();
        memberships.exclude("b.g1").unwrap();
        memberships.include("b.g1").unwrap();
        assert_eq!(look_up(&memberships, "a", 1), Some(true));
        assert_eq!(look_up(&memberships, "b", 1), Some(true));
    }

    #[test]
    fn what_is_no_reference_is_left_out() {
        let mut memberships = Memberships::new();
        for reference in ["", "a", "a.g", "a.gx", "a.1", "g1", "a.g9223372036854775808", "a.g1.0"] {
            memberships.include(reference).unwrap();
        }
        assert_eq!(memberships, Memberships::new());
    }

    #[test]
    fn the_segments_of_one_context_are_bounded() {
        let mut memberships = Memberships::new();
        let filled = (0..).map(|number| memberships.include(&format!("s.g{number}")));
        let added = filled.take_while(Result::is_ok).count();
        assert_eq!(added, MOST_BYTES / (OVERHEAD + 1));
        assert!(memberships.include(&format!("{}.g1", "k".repeat(MOST_BYTES))).is_err());
    }
}
