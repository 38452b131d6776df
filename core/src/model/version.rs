//! Semantic versions, as clauses compare them.

use std::cmp::Ordering;

/// A semantic version. The build metadata is checked and left out, since it does not take part in
/// comparisons; minor and patch may be missing, and are then zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Version<S> {
    numbers: [u64; 3],
    /// What follows the hyphen; empty for a release.
    pre_release: S,
}

impl<'a> Version<&'a str> {
    /// Reads `text` without copying anything.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let (rest, build) = split(text, '+');
        if build.is_some_and(|build| !build.split('.').all(is_identifier)) {
            return None;
        }
        let (numbers, pre_release) = split(rest, '-');
        if pre_release.is_some_and(|pre_release| !pre_release.split('.').all(is_pre_release)) {
            return None;
        }
        Some(Self { numbers: parse_numbers(numbers)?, pre_release: pre_release.unwrap_or("") })
    }

    pub(super) fn to_owned(&self) -> Version<Box<str>> {
        Version { numbers: self.numbers, pre_release: self.pre_release.into() }
    }
}

impl<S: AsRef<str>> Version<S> {
    /// The order of precedence of the standard.
    pub(crate) fn precedence<T: AsRef<str>>(&self, other: &Version<T>) -> Ordering {
        self.numbers.cmp(&other.numbers).then_with(|| {
            compare_pre_releases(self.pre_release.as_ref(), other.pre_release.as_ref())
        })
    }
}

fn split(text: &str, separator: char) -> (&str, Option<&str>) {
    text.split_once(separator).map_or((text, None), |(before, after)| (before, Some(after)))
}

/// One to three numbers.
fn parse_numbers(text: &str) -> Option<[u64; 3]> {
    let mut numbers = [0; 3];
    let mut parts = text.split('.');
    for (index, number) in numbers.iter_mut().enumerate() {
        match parts.next() {
            Some(part) if is_number(part) => *number = part.parse().ok()?,
            None if index > 0 => break,
            _ => return None,
        }
    }
    parts.next().is_none().then_some(numbers)
}

fn is_number(text: &str) -> bool {
    let is_padded = text.len() > 1 && text.starts_with('0');
    is_digits(text) && !is_padded
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_identifier(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn is_pre_release(text: &str) -> bool {
    is_identifier(text) && (!is_digits(text) || is_number(text))
}

/// A release comes after all its pre-releases; of two of these, the one with more parts if all the
/// others are equal.
fn compare_pre_releases(left: &str, right: &str) -> Ordering {
    match (left.is_empty(), right.is_empty()) {
        (true, true) => Ordering::Equal,
        (true, false) => Ordering::Greater,
        (false, true) => Ordering::Less,
        (false, false) => compare_lists(left.split('.'), right.split('.')),
    }
}

fn compare_lists<'a>(
    mut left: impl Iterator<Item = &'a str>,
    mut right: impl Iterator<Item = &'a str>,
) -> Ordering {
    loop {
        let order = match (left.next(), right.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some(left), Some(right)) => compare_identifiers(left, right),
        };
        if order.is_ne() {
            return order;
        }
    }
}

/// Numbers come before words. They have no leading zeros, so the longer one is the larger one.
fn compare_identifiers(left: &str, right: &str) -> Ordering {
    match (is_digits(left), is_digits(right)) {
        (true, true) => left.len().cmp(&right.len()).then_with(|| left.cmp(right)),
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        (false, false) => left.cmp(right),
    }
}
