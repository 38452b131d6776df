//! Which part of a rollout a context falls into. All of LaunchDarkly's SDKs must agree on this, so
//! even the rounding is part of the rule.

use sha1::{Digest, Sha1};

use crate::context::{Attribute, AttributeValue, Context, Reference, descend};
use crate::model::{KindName, Rollout, SegmentShare};

/// The attribute reference to bucket by is invalid.
pub(super) struct Invalid;

/// How contexts are put into buckets.
pub(super) struct Bucketing<'a> {
    kind: &'a KindName,
    /// `None` is the key.
    by: Option<&'a Reference>,
    seed: Seed<'a>,
}

/// What sets the buckets of one rollout apart from those of another.
enum Seed<'a> {
    Number(i64),
    KeyAndSalt(&'a str, &'a str),
}

/// The largest number that 15 hexadecimal digits can say.
const SCALE: f32 = 0x0FFF_FFFF_FFFF_FFFF_u64 as f32;

impl<'a> Bucketing<'a> {
    #[inline]
    pub(super) fn of_rollout(rollout: &'a Rollout, key: &'a str, salt: &'a str) -> Self {
        Self {
            kind: &rollout.kind,
            by: rollout.bucket_by.as_ref().filter(|_| !rollout.is_experiment),
            seed: rollout.seed.map_or(Seed::KeyAndSalt(key, salt), Seed::Number),
        }
    }

    #[inline]
    pub(super) fn of_share(share: &'a SegmentShare, key: &'a str, salt: &'a str) -> Self {
        Self { kind: &share.kind, by: share.bucket_by.as_ref(), seed: Seed::KeyAndSalt(key, salt) }
    }

    /// A number from zero to one: zero if the context has no such attribute, or one that is neither
    /// text nor a whole number; `None` if it has no such kind.
    #[inline]
    pub(super) fn bucket(&self, context: &Context) -> Result<Option<f32>, Invalid> {
        if self.by.is_some_and(|reference| !reference.is_valid()) {
            return Err(Invalid);
        }
        let Some(part) = context.part(self.kind) else { return Ok(None) };
        let Some(by) = self.by else { return Ok(Some(self.hash(part.key().as_bytes()))) };
        let path = by.path();
        let bucket = match part.attribute(by) {
            Some(Attribute::Text(text)) if path.is_empty() => self.hash(text.as_bytes()),
            Some(Attribute::Value(value)) => match descend(value, path) {
                Some(AttributeValue::String(text)) => self.hash(text.as_bytes()),
                Some(AttributeValue::Number(number)) => {
                    whole(*number).map_or(0.0, |number| self.hash(Digits::of(number).as_bytes()))
                }
                _ => 0.0,
            },
            _ => 0.0,
        };
        Ok(Some(bucket))
    }

    fn hash(&self, id: &[u8]) -> f32 {
        let mut hash = Sha1::new();
        match self.seed {
            Seed::Number(seed) => hash.update(Digits::of(seed).as_bytes()),
            Seed::KeyAndSalt(key, salt) => {
                hash.update(key);
                hash.update(b".");
                hash.update(salt);
            }
        }
        hash.update(b".");
        hash.update(id);
        let digest = hash.finalize();
        let first = digest.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte));
        (first >> 4) as f32 / SCALE
    }
}

/// A whole number that a float holds exactly.
fn whole(number: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_991.0;
    (number.abs() <= EXACT && number.fract() == 0.0).then_some(number as i64)
}

/// A number in decimal, written in place.
struct Digits {
    text: [u8; Self::LONGEST],
    start: usize,
}

impl Digits {
    const LONGEST: usize = 20;

    fn of(number: i64) -> Self {
        let mut digits = Self { text: [b'0'; Self::LONGEST], start: Self::LONGEST };
        let mut rest = number.unsigned_abs();
        loop {
            digits.prepend(b'0' + (rest % 10) as u8);
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        if number < 0 {
            digits.prepend(b'-');
        }
        digits
    }

    fn prepend(&mut self, byte: u8) {
        self.start = self.start.saturating_sub(1);
        if let Some(slot) = self.text.get_mut(self.start) {
            *slot = byte;
        }
    }

    fn as_bytes(&self) -> &[u8] {
        self.text.get(self.start..).unwrap_or_default()
    }
}
