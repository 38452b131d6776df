//! What can be wrong with a connection.

use std::time::Duration;

/// What is wrong with a connection. Bytes are those from the server, counted from the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    None,
    /// It ends after so many bytes.
    Cut(usize),
    /// It is reset after so many bytes.
    Reset(usize),
    /// Nothing more comes through after so many bytes, and nobody is told.
    Blackhole(usize),
    /// The server's side ends after so many bytes, and the client is not told.
    HalfOpen(usize),
    /// Each piece from the server waits for so long.
    Delay(Duration),
    /// It passes so many bytes at a time, with a pause behind each.
    Trickle(usize, Duration),
    /// After so many bytes the last few of them come once more.
    Duplicate {
        /// After how many.
        after: usize,
        /// How many, at most.
        bytes: usize,
    },
}

/// Faults within the first bytes of a connection hit heads, those beyond hit transfers.
const FAR: usize = 3_000;

impl Fault {
    /// One out of all kinds.
    pub fn random(dice: &mut Dice) -> Self {
        let at = if dice.below(3) == 0 { dice.below(200) } else { dice.below(FAR) };
        let millis = |millis: usize| Duration::from_millis(millis as u64);
        match dice.below(9) {
            0 => Self::None,
            1 => Self::Cut(at),
            2 => Self::Reset(at),
            3 => Self::Blackhole(at),
            4 => Self::HalfOpen(at),
            5 => Self::Delay(millis(dice.below(40))),
            6 => Self::Trickle(1 + dice.below(64), millis(1 + dice.below(3))),
            // Fewer bytes than any transfer has, so that no whole one comes once more.
            _ => Self::Duplicate { after: at, bytes: 1 + dice.below(64) },
        }
    }
}

/// Numbers out of a seed.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// The same seed gives the same numbers.
    pub fn new(seed: u64) -> Self {
        let mut dice = Self(seed ^ 0x9e37_79b9_7f4a_7c15 | 1);
        // Seeds that are near each other begin alike.
        for _ in 0..8 {
            dice.next();
        }
        dice
    }

    /// A number below `bound`.
    ///
    /// # Panics
    /// If `bound` is zero.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 16) as usize % bound
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}
