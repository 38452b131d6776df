//! How an input is laid out: two bytes that say how to cut the rest, then the rest.

#![expect(clippy::indexing_slicing, reason = "a harness fails by panicking")]

use bytes::Bytes;

/// An input taken apart.
#[derive(Debug)]
pub(super) struct Input<'a> {
    /// What comes over the wire.
    pub(super) body: &'a [u8],
    /// The limit of one event, small or large.
    pub(super) limit: usize,
    seed: u64,
}

/// A limit below the length of a field's name is one that nobody sets: when a short line of an
/// unknown kind goes over it is free.
const LEAST: usize = 8;

impl<'a> Input<'a> {
    /// The first byte is the limit, the second decides the cuts.
    pub(super) fn new(input: &'a [u8]) -> Self {
        let (limit, rest) = input.split_first().unwrap_or((&0, &[]));
        let (seed, body) = rest.split_first().unwrap_or((&0, &[]));
        let limit = if *limit < 128 { usize::from(*limit).max(LEAST) } else { 1 << 20 };
        Self { body, limit, seed: u64::from(*seed) }
    }

    /// The body in pieces: mostly short ones, some empty.
    pub(super) fn pieces(&self) -> impl Iterator<Item = Bytes> + 'a {
        let (mut rest, mut state) = (self.body, self.seed);
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let length = (state >> 33) as usize % [2, 4, 16, 64][(state >> 62) as usize];
            let (piece, after) = rest.split_at(length.min(rest.len()));
            rest = after;
            Some(Bytes::copy_from_slice(piece))
        })
    }

    /// The body in one piece.
    pub(super) fn whole(&self) -> impl Iterator<Item = Bytes> {
        std::iter::once(Bytes::copy_from_slice(self.body))
    }
}
