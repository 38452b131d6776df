//! Regular expressions, compiled when one is first needed.

use std::sync::OnceLock;

use regex::{Regex, RegexBuilder};

/// A regular expression. One that is invalid, or takes more than [`SIZE_LIMIT`] when compiled,
/// matches nothing.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    source: Box<str>,
    compiled: OnceLock<Option<Box<Regex>>>,
}

/// The most memory that one compiled expression may take, in bytes.
const SIZE_LIMIT: usize = 1 << 20;

impl Pattern {
    pub(super) fn new(source: Box<str>) -> Self {
        Self { source, compiled: OnceLock::new() }
    }

    /// Whether it matches somewhere in `text`.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        let compiled = self.compiled.get_or_init(|| {
            let regex = RegexBuilder::new(&self.source).size_limit(SIZE_LIMIT).build();
            regex.ok().map(Box::new)
        });
        compiled.as_ref().is_some_and(|regex| regex.is_match(text))
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}
