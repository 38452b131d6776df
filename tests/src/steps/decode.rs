//! Steps as a fuzzer's bytes spell them.

use arbitrary::{Arbitrary, Result, Unstructured};

use super::{CONFIGURATIONS, Head, Plan, Step};
use crate::model::{Say, Thing};
use crate::sim::StoreHealth;

/// A life has at most so many steps.
const STEPS: usize = 80;
/// A step has at most so many events or things.
const SAYS: usize = 8;
/// Times that mean something to the rules, and some between them, in milliseconds.
const TIMES: [u32; 14] = [
    0, 1, 400, 1_000, 4_900, 5_000, 10_000, 29_999, 30_000, 60_000, 120_000, 300_000, 900_000,
    4_000_000,
];

impl<'a> Arbitrary<'a> for Plan {
    fn arbitrary(input: &mut Unstructured<'a>) -> Result<Self> {
        let which = input.int_in_range(0..=CONFIGURATIONS - 1)?;
        let seed = input.arbitrary::<u16>()?.into();
        let cuts = some(input, 3, |input| Ok(input.arbitrary::<u8>()?.into()))?;
        let mut steps = Vec::new();
        while steps.len() < STEPS && !input.is_empty() {
            steps.push(input.arbitrary()?);
        }
        Ok(Self { which, seed, cuts, steps })
    }
}

impl<'a> Arbitrary<'a> for Step {
    fn arbitrary(input: &mut Unstructured<'a>) -> Result<Self> {
        Ok(match input.int_in_range(0..=27)? {
            0 => Self::Refuse,
            1..=3 => Self::Head(input.arbitrary()?),
            4..=7 => Self::Say(says(input)?),
            8..=10 => {
                Self::Deliver(some(input, SAYS, Thing::arbitrary)?, input.int_in_range(0..=8)?)
            }
            11 => Self::Cut {
                says: says(input)?,
                keep: input.arbitrary()?,
                is_clean: input.arbitrary()?,
            },
            12 => {
                Self::Drip { says: says(input)?, pause: time(input)?, closes: input.ratio(1, 16)? }
            }
            13 => Self::Bytes(some(input, 20, u8::arbitrary)?),
            14 => Self::End,
            15 => Self::Break,
            16 => Self::Late(input.arbitrary()?),
            17 | 18 => Self::Advance(time(input)?),
            19 | 20 => Self::Deadline,
            21 => Self::Sleep(time(input)?),
            22 => Self::StoreFares(*input.choose(&[
                StoreHealth::Up,
                StoreHealth::Down,
                StoreHealth::Torn,
                StoreHealth::Hanging,
            ])?),
            23 => Self::StoreTakes(time(input)?),
            24 => Self::WipeStore,
            25 => Self::StoreReadFailed,
            26 => Self::Start,
            _ => Self::Close(time(input)?),
        })
    }
}

impl<'a> Arbitrary<'a> for Head {
    fn arbitrary(input: &mut Unstructured<'a>) -> Result<Self> {
        let statuses = [200, 200, 200, 204, 302, 304, 400, 401, 404, 429, 500, 503];
        Ok(Self {
            status: *input.choose(&statuses)?,
            is_typed: !input.ratio(1, 8)?,
            is_tagged: input.arbitrary()?,
            directive: input.ratio(1, 8)?.then(|| input.int_in_range(0..=99)).transpose()?,
        })
    }
}

impl<'a> Arbitrary<'a> for Say {
    fn arbitrary(input: &mut Unstructured<'a>) -> Result<Self> {
        Ok(match input.int_in_range(0..=18)? {
            0 => Self::Full,
            1 | 2 => Self::Changes,
            3 => Self::None,
            4..=7 => Self::Put(input.arbitrary()?),
            8 => Self::PutDeleted(input.arbitrary()?),
            9 => Self::PutBad(input.int_in_range(0..=3)?),
            10 => Self::Delete(input.arbitrary()?, input.int_in_range(0..=3)?),
            11..=13 => Self::Transferred(input.int_in_range(0..=8)?),
            14 => Self::Error,
            15 => Self::Goodbye,
            16 => Self::GoodbyeToFdv1(input.int_in_range(0..=8)?),
            17 => Self::Noise(input.arbitrary()?),
            _ if input.arbitrary()? => Self::BadJson,
            _ => Self::Nonsense(input.arbitrary()?),
        })
    }
}

impl<'a> Arbitrary<'a> for Thing {
    fn arbitrary(input: &mut Unstructured<'a>) -> Result<Self> {
        let is_flag = input.arbitrary()?;
        let mut key = || input.int_in_range(0..=3);
        let (own, needs, uses) = (key()?, key()?, key()?);
        let mut maybe = |key| Ok((is_flag && input.arbitrary()?).then_some(key));
        let (needs, uses) = (maybe(needs)?, maybe(uses)?);
        let version = input.int_in_range(0..=2)?;
        let is_on = is_flag && input.arbitrary()?;
        Ok(Self { is_flag, key: own, version, is_on, needs, uses })
    }
}

fn time(input: &mut Unstructured<'_>) -> Result<u32> {
    input.choose(&TIMES).copied()
}

fn says(input: &mut Unstructured<'_>) -> Result<Vec<Say>> {
    some(input, SAYS, Say::arbitrary)
}

/// At most so many.
fn some<'a, T>(
    input: &mut Unstructured<'a>,
    most: usize,
    mut one: impl FnMut(&mut Unstructured<'a>) -> Result<T>,
) -> Result<Vec<T>> {
    let count = input.int_in_range(0..=most)?;
    (0..count).map(|_| one(input)).collect()
}
