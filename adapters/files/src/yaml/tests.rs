use crate::parse::{Format, parse};

use super::*;

fn json(text: &str) -> String {
    convert(text).unwrap_or_else(|fault| panic!("{fault:?} in {text}")).json
}

fn fault(text: &str) -> String {
    let fault = parse(text.as_bytes(), Format::Yaml).expect_err("a bad file");
    fault.in_file("flags.yaml".as_ref()).to_string()
}

fn assert_fault(text: &str, expected: &str) {
    let found = fault(text);
    assert_eq!(found, format!("flags.yaml:{expected}"), "{text:?}");
}

#[test]
fn what_json_has_too_is_written_as_json() {
    let text = "a: [x, 1.50, -3, 1e3, 0x1F, 18446744073709551615]\n\
                b: {c: true, d: ~, e: }\n\
                f: |\n  one\n  \"two\"\n\
                g: 'it''s'\n\
                h: \"\\u00e9\\n\"\n\
                i: 2026-11-30\n";
    assert_eq!(
        json(text),
        "{\"a\":[\"x\",1.5,-3,1000.0,31,18446744073709551615],\
         \"b\":{\"c\":true,\"d\":null,\"e\":null},\
         \"f\":\"one\\n\\\"two\\\"\\n\",\"g\":\"it's\",\"h\":\"é\\n\",\"i\":\"2026-11-30\"}"
    );
    assert_eq!(json("{}"), "{}");
    assert_eq!(json("- []\n- {}\n"), "[[],{}]");
}

/// As in YAML 1.2: what YAML 1.1 takes for a boolean or an octal number is text.
#[test]
fn what_may_be_meant_as_text_is_text() {
    assert_eq!(json("[yes, no, on, off, y]"), r#"["yes","no","on","off","y"]"#);
    assert_eq!(json("[0755, 1_000]"), r#"["0755","1_000"]"#);
}

#[test]
fn keys_are_the_text_they_are_written_as() {
    assert_eq!(
        json("on: 1\n404: 2\n1.0: 3\ntrue: 4\n\"\\x41\": 5"),
        r#"{"on":1,"404":2,"1.0":3,"true":4,"A":5}"#
    );
    assert_fault("~: 1", "1:1: not valid YAML: null is not allowed here");
    assert_fault("? [a]\n: 1", "1:3: not valid YAML: expected string scalar");
    assert_fault("{a: 1}: 1", "1:1: not valid YAML: expected string scalar");
}

#[test]
fn anchors_aliases_and_merged_mappings_are_written_out() {
    assert_eq!(
        json("a: &x {k: v}\nb: *x\nc:\n  <<: *x\n  d: 1\n"),
        r#"{"a":{"k":"v"},"b":{"k":"v"},"c":{"d":1,"k":"v"}}"#
    );
    assert_fault("a: *none", "1:4: not valid YAML: reference to unknown value");
    assert_fault("a: &x [*x]", "1:8: not valid YAML: Recursive reference not allowed here");
}

#[test]
fn what_is_not_good_yaml_is_told_with_its_place() {
    assert_fault(
        "a: 1\na: 2",
        "2:1: not valid YAML: duplicate mapping key `a` is not allowed here",
    );
    assert_fault(
        "a:\n\t- 1",
        "2:2: not valid YAML: tabs disallowed within this context (block indentation)",
    );
    assert_fault("a: {b: 1", "1:4: not valid YAML: unclosed bracket '{'");
    assert_fault("a: .inf", "1:4: not valid YAML: value `.inf` is not a finite number");
    assert_fault("a: !mine 1", "1:10: not valid YAML: unsupported tag `!mine`");
    assert_fault("a\u{1}: 1", "1:1: not valid YAML: unexpected character: `\\u{1}'");
}

#[test]
fn more_than_one_document_is_an_error() {
    let found = fault("flagValues: {a: 1}\n---\nflagValues: {b: 1}\n");
    assert!(found.starts_with("flags.yaml:3:1: not valid YAML: "), "{found}");
    assert!(found.contains("document"), "{found}");
}

/// Columns count characters, as editors do.
#[test]
fn what_is_not_a_flag_is_told_at_the_key_that_it_stands_under() {
    assert_fault(
        "flags:\n  f:\n    key: f\n    on: yes\n",
        "4:5: flag \"f\" cannot be decoded: on: invalid type: string \"yes\", expected a boolean",
    );
    assert_fault(
        "flags: {é: {key: é, rules: [{clauses: [{op: 3}]}]}}",
        "1:41: flag \"é\" cannot be decoded: rules.clauses.op: invalid type: integer `3`, expected a string",
    );
    assert_fault("x: 1\nflags: 3", "2:1: \"flags\" must be an object with one member for each key");
    assert_fault(
        "- 1",
        "1:1: a flag file is an object with \"flags\", \"segments\" and \"flagValues\" in it",
    );
}

#[test]
fn an_empty_file_is_none() {
    assert_eq!(fault(""), "flags.yaml: the file is empty");
    assert_fault(
        "# flags: {}\n",
        "1:1: a flag file is an object with \"flags\", \"segments\" and \"flagValues\" in it",
    );
}

#[test]
fn items_know_where_they_stand() {
    let text = "flags:\n  a: {on: true}\nflagValues:\n  b: 1\n  c: [2]\n";
    let items = parse(text.as_bytes(), Format::Yaml).unwrap();
    let places: Vec<_> = items.iter().map(|item| item.position.to_string()).collect();
    assert_eq!(places, ["2:3", "4:3", "5:3"]);
}

/// Each level has ten times the one before: 10^9 values.
#[test]
fn aliases_that_multiply_end_in_an_error() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..9 {
        let below = vec![format!("*a{}", level - 1); 10].join(", ");
        text.push_str(&format!("a{level}: &a{level} [{below}]\n"));
    }
    let found = fault(&text);
    assert!(found.contains("not valid YAML"), "{found}");
}

#[test]
fn aliases_of_a_long_text_end_in_an_error() {
    let long = "x".repeat(1 << 20);
    let aliases = "- *a\n".repeat(MAX_TEXT >> 20);
    let found = fault(&format!("a: &a \"{long}\"\nb:\n{aliases}"));
    assert!(found.contains("too large or too complex"), "{found}");
}

#[test]
fn deep_nesting_ends_in_an_error() {
    for text in [
        "[".repeat(100_000),
        "{a: ".repeat(100_000),
        "- ".repeat(100_000),
        (0..2000).map(|level| format!("{}a:\n", " ".repeat(level))).collect(),
        "? ".repeat(10_000),
    ] {
        let found = fault(&text);
        assert!(found.contains("not valid YAML"), "{found}");
    }
    let levels = MAX_DEPTH - 1;
    let value = format!("{}{}", "[".repeat(levels - 1), "]".repeat(levels - 1));
    assert_eq!(json(&format!("a: {value}")), format!("{{\"a\":{value}}}"));
}

#[test]
fn a_file_that_is_too_large_is_refused() {
    let text = format!("flagValues:\n  a: {}\n", "x".repeat(MAX_BYTES));
    assert_eq!(
        fault(&text),
        "flags.yaml: the file is larger than 16 MiB, the most for YAML; use JSON"
    );
}

/// Any text at all gives items or a fault, never a panic.
#[test]
fn damaged_files_never_panic() {
    let text = "flags:\n  f: &f {key: f, on: true, variations: [1, \"é\"]}\n  <<: {g: *f}\n\
                flagValues: {a: !!str 1, b: |-\n  x}\n";
    let bytes = text.as_bytes();
    for at in 0..bytes.len() {
        let _ = parse(&bytes[..at], Format::Yaml);
        for byte in b"\t\n\"&*:?-]{|>%!#\xff" {
            let mut damaged = bytes.to_vec();
            damaged[at] = *byte;
            let _ = parse(&damaged, Format::Yaml);
        }
    }
}

/// One anchor for every flag of a large file is what anchors are for.
#[test]
fn many_anchors_aliases_and_merges_are_good() {
    for list in [
        vec!["*a"; 51_000].join(","),
        vec!["{<<: *m}"; 10_100].join(","),
        (0..51_000).map(|number| format!("&a{number} x,")).collect(),
    ] {
        let text = format!("a: &a 1\nm: &m {{k: v}}\nx: [{list}]\nflags: {{}}\n");
        assert_eq!(parse(text.as_bytes(), Format::Yaml).map(|items| items.len()), Ok(0));
    }
}
