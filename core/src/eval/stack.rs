//! The flags and segments whose evaluation waits for that of another.

use super::machine::Frame;

/// How many levels but the first need no allocation.
const INLINE: usize = 15;

/// A stack of frames. The first ones are kept in place, and the very first one by itself: there is
/// often no other.
#[derive(Default)]
pub(super) struct Stack<'a> {
    first: Option<Frame<'a>>,
    inline: Option<[Frame<'a>; INLINE]>,
    inline_len: usize,
    spilled: Vec<Frame<'a>>,
}

impl<'a> Stack<'a> {
    #[inline]
    pub(super) fn len(&self) -> usize {
        usize::from(self.first.is_some()) + self.inline_len + self.spilled.len()
    }

    #[inline]
    pub(super) fn push(&mut self, frame: Frame<'a>) {
        if self.first.is_none() {
            self.first = Some(frame);
        } else {
            self.push_further(frame);
        }
    }

    fn push_further(&mut self, frame: Frame<'a>) {
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
        match self.inline_len.checked_sub(1) {
            Some(last) => {
                self.inline_len = last;
                self.inline.as_ref()?.get(last).copied()
            }
            None => self.first.take(),
        }
    }

    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = &Frame<'a>> {
        let inline = self.inline.iter().flatten().take(self.inline_len);
        self.first.iter().chain(inline).chain(&self.spilled)
    }
}
