//! When two values are the same to whoever reads flags.

use serde_json::{Number, Value};

/// Whether two values say the same (B 7.1, 7.2): `1` and `1.0` do, and so do objects whatever the
/// order of their members.
///
/// Recurses as deep as both values go; `serde_json` reads none that are deeper than 128.
pub fn is_same_value(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => is_same_number(one, other),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| is_same_value(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, one)| {
                    other.get(name).is_some_and(|other| is_same_value(one, other))
                })
        }
        (one, other) => one == other,
    }
}

/// Two integers too large for a float are two numbers, although as floats they would be one.
fn is_same_number(one: &Number, other: &Number) -> bool {
    one == other || ((one.is_f64() || other.is_f64()) && one.as_f64() == other.as_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_same(one: &str, other: &str) -> bool {
        let read = |text| serde_json::from_str::<Value>(text).unwrap();
        let (one, other) = (read(one), read(other));
        let is_same = is_same_value(&one, &other);
        assert_eq!(is_same_value(&other, &one), is_same);
        is_same
    }

    /// B 7.1, 7.2.
    #[test]
    fn spelling_and_order_do_not_matter() {
        for (one, other) in [
            ("1", "1.0"),
            ("1e2", "100"),
            ("-0.0", "0"),
            (r#"{"a":1,"b":{"c":[2],"d":3}}"#, r#"{"b":{"d":3.0,"c":[2e0]},"a":1}"#),
            (r#""\u0061""#, r#""a""#),
        ] {
            assert!(is_same(one, other), "{one} {other}");
        }
    }

    /// B 7.1, 7.2.
    #[test]
    fn everything_else_does() {
        for (one, other) in [
            ("1", "1.5"),
            ("1", "\"1\""),
            ("0", "false"),
            ("null", "false"),
            ("9007199254740993", "9007199254740992"),
            ("[1,2]", "[2,1]"),
            ("[1]", "[1,1]"),
            (r#"{"a":1}"#, r#"{"a":1,"b":null}"#),
            (r#"{"a":1}"#, r#"{"b":1}"#),
        ] {
            assert!(!is_same(one, other), "{one} {other}");
        }
    }
}
