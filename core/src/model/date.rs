//! Moments in time, as clauses compare them.

/// A moment: whole seconds since 1970, and nanoseconds after them. A leap second counts as
/// nanoseconds past the 59th second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment {
    seconds: i64,
    nanos: u32,
}

/// The largest whole number that a float holds together with all smaller ones.
const EXACT: f64 = 9_007_199_254_740_991.0;

impl Moment {
    /// `millis` after the beginning of 1970. The fraction does not count, and a number too large
    /// to be exact is no moment.
    pub(crate) fn from_millis(millis: f64) -> Option<Self> {
        if millis.abs() > EXACT {
            return None;
        }
        let millis = millis as i64;
        let nanos = u32::try_from(millis.rem_euclid(1000)).ok()? * 1_000_000;
        Some(Self { seconds: millis.div_euclid(1000), nanos })
    }

    /// Reads a date and time of RFC 3339, such as `2016-04-16T17:09:12.759-07:00`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut rest = Cursor(text.as_bytes());
        let (year, month, day) = rest.date()?;
        rest.one_of(b"Tt ")?;
        let (second_of_day, leap_nanos) = rest.time()?;
        let nanos = rest.fraction()? + leap_nanos;
        let offset = rest.offset()?;
        if !rest.0.is_empty() {
            return None;
        }
        let seconds = days_since_1970(year, month, day) * 86_400 + second_of_day - offset;
        Some(Self { seconds, nanos })
    }
}

/// What is left of the text.
struct Cursor<'a>(&'a [u8]);

impl Cursor<'_> {
    fn date(&mut self) -> Option<(i64, i64, i64)> {
        let year = self.digits(4)?;
        self.one_of(b"-")?;
        let month = self.digits(2)?;
        self.one_of(b"-")?;
        let day = self.digits(2)?;
        ((1..=12).contains(&month) && (1..=days_in(year, month)).contains(&day))
            .then_some((year, month, day))
    }

    /// The second of the day, and the nanoseconds of a leap second.
    fn time(&mut self) -> Option<(i64, u32)> {
        let hour = self.digits(2)?;
        self.one_of(b":")?;
        let minute = self.digits(2)?;
        self.one_of(b":")?;
        let second = self.digits(2)?;
        if hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        let leap_nanos = if second == 60 { 1_000_000_000 } else { 0 };
        Some((hour * 3600 + minute * 60 + second.min(59), leap_nanos))
    }

    /// Nanoseconds; digits past the ninth do not count.
    fn fraction(&mut self) -> Option<u32> {
        if self.one_of(b".").is_none() {
            return Some(0);
        }
        let mut nanos = u32::from(self.digit()?) * 100_000_000;
        let mut unit = 10_000_000;
        while let Some(digit) = self.digit() {
            nanos += u32::from(digit) * unit;
            unit /= 10;
        }
        Some(nanos)
    }

    /// Seconds east of UTC.
    fn offset(&mut self) -> Option<i64> {
        let sign = match self.one_of(b"Zz+-")? {
            b'+' => 1,
            b'-' => -1,
            _ => return Some(0),
        };
        let hours = self.digits(2)?;
        self.one_of(b":")?;
        let minutes = self.digits(2)?;
        (hours <= 23 && minutes <= 59).then_some(sign * (hours * 3600 + minutes * 60))
    }

    fn digits(&mut self, count: usize) -> Option<i64> {
        (0..count).try_fold(0, |number, _| Some(number * 10 + i64::from(self.digit()?)))
    }

    fn digit(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        let digit = first.is_ascii_digit().then(|| first - b'0')?;
        self.0 = rest;
        Some(digit)
    }

    fn one_of(&mut self, bytes: &[u8]) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        bytes.contains(&first).then(|| self.0 = rest)?;
        Some(first)
    }
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970-01-01, in the Gregorian calendar, with years that begin in March: so the day
/// that leap years add is their last.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month < 3 { (year - 1, month + 9) } else { (year, month - 3) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let day_of_year = (month * 153 + 2) / 5 + day - 1;
    year * 365 + leap_days + day_of_year - 719_468
}
