//! Durations as text: whole seconds, a point, and nine digits. Exact, unlike a number in JSON.

use std::time::Duration;

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

/// A duration that is written as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seconds(pub(crate) Duration);

impl Serialize for Seconds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize(&self.0, serializer)
    }
}

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize(deserializer).map(Self)
    }
}

pub(crate) fn serialize<S: Serializer>(
    duration: &Duration,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{}.{:09}", duration.as_secs(), duration.subsec_nanos()))
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Duration, D::Error> {
    let text = String::deserialize(deserializer)?;
    parse(&text).ok_or_else(|| D::Error::custom("not seconds with nine decimal places"))
}

fn parse(text: &str) -> Option<Duration> {
    let (seconds, nanos) = text.split_once('.')?;
    let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    if nanos.len() != 9 || !is_number(seconds) || !is_number(nanos) {
        return None;
    }
    Some(Duration::new(seconds.parse().ok()?, nanos.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_written_exactly() {
        for duration in [Duration::ZERO, Duration::from_nanos(1), Duration::MAX] {
            let text = serde_json::to_string(&Seconds(duration)).unwrap();
            assert_eq!(serde_json::from_str::<Seconds>(&text).unwrap(), Seconds(duration));
        }
        assert_eq!(
            serde_json::to_string(&Seconds(Duration::from_millis(1_500))).unwrap(),
            "\"1.500000000\""
        );
        for text in
            ["", "1", "1.5", "-1.000000000", "1.00000000a", "99999999999999999999.000000000"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
