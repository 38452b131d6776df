//! Mutates a corpus without a fuzzer: the same inputs for the same seed.

#![expect(clippy::indexing_slicing, reason = "a harness fails by panicking")]

use std::any::Any;
use std::panic;
use std::time::{Duration, Instant};

use crate::ran;

/// Pieces that mean something to the targets, to be put in anywhere.
const TOKENS: [&[u8]; 30] = [
    b"\n",
    b"\r",
    b"\r\n",
    b"\n\n",
    b":",
    b"data: ",
    b"event: ",
    b"id: ",
    b"retry: 5\n",
    b": c\n",
    b"\xEF\xBB\xBF",
    b"\0",
    b"\xFF",
    b"\xF0\x9F\x98\x80",
    b"\"",
    b"\\",
    b"\\u",
    b"\\ud800",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b"null",
    b"-1.5e3",
    b"\"events\":[",
    b"\"event\":\"x\"",
    b"\"data\":",
    b"\"flags\":{",
    b"\"segments\":{",
];

/// A source of numbers that look random (splitmix64).
#[derive(Debug)]
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Less than `bound`, zero if that is zero.
    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

/// Runs `target` on mutations of `corpus` for so long, and gives how many there were. The same seed
/// gives the same ones in the same order.
///
/// # Panics
/// If the target does, with the input, or if the corpus is empty.
pub fn run(target: fn(&[u8]), corpus: &[Vec<u8>], time: Duration, seed: u64) -> u64 {
    assert!(!corpus.is_empty(), "there is a corpus");
    let mut numbers = Numbers(seed);
    let begun = Instant::now();
    let mut executions = 0;
    while begun.elapsed() < time {
        let mut input = corpus[numbers.below(corpus.len())].clone();
        for _ in 0..=numbers.below(4) {
            mutate(&mut input, corpus, &mut numbers);
        }
        executions += 1;
        if let Err(cause) = panic::catch_unwind(|| target(&input)) {
            let input = input.escape_ascii();
            let message = words_of(&*cause);
            panic!("execution {executions} of seed {seed}: {message}\ninput: b\"{input}\"");
        }
    }
    ran::executions(executions);
    executions
}

fn words_of(cause: &(dyn Any + Send)) -> &str {
    let text = cause.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| cause.downcast_ref::<&str>().copied()).unwrap_or_default()
}

fn mutate(input: &mut Vec<u8>, corpus: &[Vec<u8>], numbers: &mut Numbers) {
    let at = numbers.below(input.len() + 1);
    let end = (at + numbers.below(16)).min(input.len());
    match numbers.below(7) {
        0 => input.truncate(at),
        1 => drop(input.drain(at..end)),
        2 => insert(input, at, TOKENS[numbers.below(TOKENS.len())]),
        3 => insert(input, at, &[numbers.next() as u8]),
        4 => {
            let copy = input[at..end].to_vec();
            insert(input, at, &copy);
        }
        5 => {
            let other = &corpus[numbers.below(corpus.len())];
            let from = numbers.below(other.len() + 1);
            input.truncate(at);
            input.extend_from_slice(&other[from..]);
        }
        _ => {
            if let Some(byte) = input.get_mut(at) {
                *byte ^= 1 << numbers.below(8);
            }
        }
    }
}

fn insert(input: &mut Vec<u8>, at: usize, piece: &[u8]) {
    input.splice(at..at, piece.iter().copied());
}
