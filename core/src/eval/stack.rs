//! The flags and segments whose evaluation waits for that of another.

use super::machine::Frame;

/// How many levels need no allocation.
const INLINE: usize = 16;

/// A stack of frames. The first ones are kept in place.
#[derive(Default)]
pub(super) struct Stack<'a> {
    inline: Option<[Frame<'a>; INLINE]>,
    inline_len: usize,
    spilled: Vec<Frame<'a>>,
}

impl<'a> Stack<'a> {
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.inline_len + self.spilled.len()
    }

    #[inline]
    pub(super) fn push(&mut self, frame: Frame<'a>) {
        let inline = self.inline.get_or_insert([frame; INLINE]);
        match inline.get_mut(self.inline_len) {
            Some(slot) => {
                *slot = frame;
                self.inline_len += 1;
            }
            None => self.spilled.push(frame),
        }
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<Frame<'a>> {
        if let Some(frame) = self.spilled.pop() {
            return Some(frame);
        }
        self.inline_len = self.inline_len.checked_sub(1)?;
        self.inline.as_ref()?.get(self.inline_len).copied()
    }

    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = &Frame<'a>> {
        let inline = self.inline.iter().flatten().take(self.inline_len);
        inline.chain(&self.spilled)
    }
}
