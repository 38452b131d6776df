//! What of a state counts: the words of its `Debug` text without those that only count up or decide
//! nothing, and with times as they look from now.

use std::hash::{DefaultHasher, Hasher};

use fdv2_core::Instant;

/// Longer ago makes no difference to any rule.
const LONG_AGO: i64 = 600;
/// What follows these words is left out.
const LEFT_OUT: [&str; 5] = ["generation:", "revision:", "since:", "gone:", "rng:"];

/// Two states with the same fingerprint differ at most in their clock, in what only counts up, in
/// the errors told, and by less than a second in when something happened or will.
pub(super) fn fingerprint(now: Instant, text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    // Before it comes the configuration.
    let text = text.find("rng:").and_then(|at| text.get(at..)).unwrap_or(text);
    let mut words = text.split(' ');
    while let Some(word) = words.next() {
        if LEFT_OUT.contains(&word) {
            words.next();
        } else if word == "message:" {
            // The words of an error, and when it was.
            words.find(|word| word.ends_with("\",") || word.starts_with("at:"));
            words.find(|word| word.starts_with("t+"));
        } else if let Some((before, moment)) = word.split_once("t+") {
            hasher.write(before.as_bytes());
            hasher.write_i64(from_now(now, moment));
        } else {
            hasher.write(word.as_bytes());
        }
    }
    hasher.finish()
}

/// Whole seconds from now to a moment as `Debug` writes it.
fn from_now(now: Instant, moment: &str) -> i64 {
    let is_number = |letter: char| letter.is_ascii_digit() || letter == '.';
    let end = moment.find(|letter| !is_number(letter)).unwrap_or(moment.len());
    let (number, unit) = moment.split_at(end);
    let number: f64 = number.parse().unwrap_or(0.0);
    let seconds = match unit.get(..2).unwrap_or(unit) {
        "ns" => number / 1e9,
        "ms" => number / 1e3,
        unit if unit.starts_with('s') => number,
        // Micro.
        _ => number / 1e6,
    };
    let offset = (seconds - now.since_epoch().as_secs_f64()).floor();
    (offset as i64).max(-LONG_AGO)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn only_what_counts_makes_a_difference() {
        let now = Instant::from_epoch(Duration::from_secs(10));
        let print = |now, text| fingerprint(now, text);
        let text = "rng: Rng(1), generation: 3, at: t+12.5s, message: \"a b c\", at: t+3s }";
        let same = "rng: Rng(2), generation: 4, at: t+13.25s, message: \"d\", at: t+4ms }";
        let later = now + Duration::from_millis(1_100);
        assert_eq!(print(now, text), print(later, same));
        for other in [
            "rng: Rng(1), generation: 3, at: t+14.5s, message: \"a b c\", at: t+3s }",
            "rng: Rng(1), generation: 3, at: t+12.5s, message: \"a b c\", at: t+3s } more",
        ] {
            assert_ne!(print(now, text), print(now, other));
        }
        assert_ne!(print(now, "t+10s"), print(now, "t+10ms"));
        assert_eq!(from_now(now, "10.5µs"), -10);
    }
}
