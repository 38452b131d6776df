//! Which of the open levels are objects, one bit each.

/// The open objects and lists.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Nesting {
    depth: usize,
    /// The innermost levels, the current one in the lowest bit.
    inner: u64,
    /// The levels around them, 64 a word.
    outer: Vec<u64>,
}

impl Nesting {
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    pub(super) fn open(&mut self, is_object: bool) {
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.outer.push(self.inner);
        }
        self.inner = self.inner << 1 | u64::from(is_object);
        self.depth += 1;
    }

    pub(super) fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.inner >>= 1;
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.inner = self.outer.pop().unwrap_or_default();
        }
    }

    /// Whether the innermost level is an object.
    pub(super) fn is_object(&self) -> bool {
        self.inner & 1 == 1
    }
}
