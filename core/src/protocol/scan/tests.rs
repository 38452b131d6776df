//! The scanner fed at every split, and held against serde_json where both have a say.

use bytes::Bytes;
use serde_json::value::RawValue;

use super::{Collection, Scanner, Shape};

const SHAPE: Shape = Shape {
    what: "the body",
    collections: &[
        Collection { name: "list", is_object: false },
        Collection { name: "map", is_object: true },
    ],
    fields: &["one", "two"],
};

type Members = Vec<(usize, String, String)>;

/// The members that were cut out, and the fault that ended it.
fn cut<'a>(limit: usize, pieces: impl IntoIterator<Item = &'a [u8]>) -> (Members, Option<String>) {
    let mut scanner = Scanner::new(&SHAPE, limit);
    let mut members = Members::new();
    for piece in pieces {
        scanner.push(Bytes::copy_from_slice(piece));
        loop {
            match scanner.next() {
                Ok(None) => break,
                Ok(Some(cut)) => {
                    let fields = [0, 1].map(|field| cut.field(field).unwrap_or("-")).join(" ");
                    members.push((
                        cut.collection,
                        format!("{} {fields}", cut.key),
                        cut.text.to_owned(),
                    ));
                }
                Err(error) => return (members, Some(error.to_string())),
            }
        }
    }
    (members, scanner.finish().err().map(|error| error.to_string()))
}

/// Cuts the whole, and each one-cut and two-cut split of a short body: all must give the same.
fn cut_at_every_split(limit: usize, body: &[u8]) -> (Members, Option<String>) {
    let whole = cut(limit, [body]);
    assert_eq!(cut(limit, body.chunks(1)), whole, "byte by byte: {}", body.escape_ascii());
    for first in 0..=body.len() {
        for second in first..=body.len() {
            let pieces = [&body[..first], &body[first..second], &body[second..]];
            assert_eq!(cut(limit, pieces), whole, "cut at {first} and {second}");
        }
    }
    whole
}

fn members(body: &str) -> Members {
    let (members, fault) = cut_at_every_split(1000, body.as_bytes());
    assert_eq!(fault, None, "{body}");
    assert!(serde_json::from_str::<&RawValue>(body).is_ok(), "{body}");
    members
}

fn fault(body: impl AsRef<[u8]>) -> String {
    let body = body.as_ref();
    cut_at_every_split(1000, body).1.unwrap_or_else(|| panic!("{}", body.escape_ascii()))
}

fn texts(members: &Members) -> Vec<&str> {
    members.iter().map(|(_, _, text)| text.as_str()).collect()
}

#[test]
fn members_of_a_list_and_of_an_object_are_cut_out() {
    let found = members(
        r#" { "list" : [ {"a":[1,"]}"]} ,2,"x\"y\\" , null ] , "map":{"k":[ ], "\"":-1.5e3}} "#,
    );
    assert_eq!(texts(&found), [r#"{"a":[1,"]}"]}"#, "2", r#""x\"y\\""#, "null", "[ ]", "-1.5e3"]);
    assert_eq!(found[4].1, "k - -");
    assert_eq!(found[5], (1, r#"\" - -"#.to_owned(), "-1.5e3".to_owned()));
}

#[test]
fn what_is_not_asked_for_is_skipped() {
    let found = members(
        r#"{"a":[{"list":[1],"map":{"k":2}},[[]],{}],"b":"\u00e9\n😀","c":-0.0e-0,"list":[3],"":{"map":{}}}"#,
    );
    assert_eq!(texts(&found), ["3"]);
}

#[test]
fn a_collection_may_be_spelled_with_escapes_and_be_empty() {
    assert_eq!(texts(&members(r#"{"\u006cist":[1]}"#)), ["1"]);
    assert_eq!(texts(&members(r#"{"map":{},"list":[]}"#)), [] as [&str; 0]);
}

#[test]
fn a_long_key_is_never_taken_for_a_collection() {
    let long = r#"\"list"#.repeat(20);
    assert_eq!(texts(&members(&format!(r#"{{"{long}":[1],"list":[2]}}"#))), ["2"]);
}

#[test]
fn the_body_has_to_be_an_object_with_a_collection_of_the_right_kind() {
    for body in ["[]", "5", "null", "\"list\"", "{}", r#"{"other":[1]}"#, "\u{feff}{\"list\":[]}"] {
        fault(body);
    }
    assert!(fault(r#"{"list":{}}"#).contains("`list` that is not a list"));
    assert!(fault(r#"{"list":null}"#).contains("`list` that is not a list"));
    assert!(fault(r#"{"map":[]}"#).contains("`map` that is not an object"));
}

#[test]
fn a_collection_that_is_there_twice_is_a_fault() {
    assert!(fault(r#"{"list":[1],"l\u0069st":[2]}"#).contains("`list` for the second time"));
}

#[test]
fn a_body_cut_short_anywhere_is_a_fault() {
    let body = r#"{"a":[{"b":tru},"\u00e9é"],"list":[{"c":"d"},5],"map":{"k":-1.0}}"#
        .replace("tru", "true");
    for end in 0..body.len() {
        let (_, fault) = cut(1000, [&body.as_bytes()[..end]]);
        assert!(fault.is_some(), "cut at {end}");
    }
    assert_eq!(members(&body).len(), 3);
}

#[test]
fn what_follows_the_body_is_a_fault_but_for_whitespace() {
    for rest in ["{}", ",", "]", "}", "x", "\0", "\"\""] {
        fault(format!(r#"{{"list":[]}} {rest}"#));
    }
    assert_eq!(texts(&members("{\"list\":[]}\r\n\t ")), [] as [&str; 0]);
}

#[test]
fn the_grammar_is_strict_around_the_members_and_in_them() {
    let faulty = [
        "tru",
        "truex",
        "True",
        "nul",
        "01",
        "-",
        "-a",
        "1.",
        ".5",
        "1e",
        "1e+",
        "+1",
        "1.e1",
        "0x1",
        "'a'",
        "\"\t\"",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"\\u123",
        "[1,]",
        "[,1]",
        "[1 2]",
        "[1}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{,}",
        "{a:1}",
        "{1:1}",
        "{\"a\" 1}",
        "{\"a\"::1}",
        "NaN",
        "\u{a0}1",
        "/**/1",
    ];
    for value in faulty {
        for body in [format!(r#"{{"list":[],"a":{value}}}"#), format!(r#"{{"list":[{value}]}}"#)] {
            assert!(serde_json::from_str::<&RawValue>(&body).is_err(), "{body}");
            fault(body);
        }
    }
    for value in
        ["1e999999", "-0", "0.10", "\"\\ud800\"", "\"\\/\\b\\f\\n\\r\\t\\\"\\\\\"", "\"\u{7f}\""]
    {
        members(&format!(r#"{{"list":[{value}],"a":{value}}}"#));
    }
}

#[test]
fn commas_between_members_are_needed_and_brackets_have_to_match() {
    for body in [r#"{"list":[1 2]}"#, r#"{"list":[1,]}"#, r#"{"list":[1}"#, r#"{"list":[,]}"#] {
        fault(body);
    }
    for body in [r#"{"map":{"a":1]}"#, r#"{"map":{"a"}}"#, r#"{"map":{1:1}}"#, r#"{"list":[:]}"#] {
        fault(body);
    }
}

#[test]
fn b_1_10_bytes_that_are_not_utf8_are_a_fault_outside_the_members_too() {
    for text in [
        &b"\xff"[..],
        b"\xe9",
        b"\xed\xa0\x80",
        b"\xf0\x9f\x98",
        b"\xc0\xaf",
        b"\xf5\x80\x80\x80",
        b"\xe9\\n",
    ] {
        let body = [b"{\"list\":[],\"a\":\"", text, b"\"}"].concat();
        assert!(fault(body).contains("not UTF-8"));
        let body = [b"{\"list\":[],\"", text, b"\":1}"].concat();
        assert!(fault(body).contains("not UTF-8"));
    }
    fault(b"{\"list\":[],\xc2\xa0}");
}

#[test]
fn b_1_13_one_member_with_its_key_is_bounded() {
    let (found, fault) = cut_at_every_split(8, br#"{"list":["456","4567","45678","4567890"]}"#);
    assert_eq!(found.len(), 2 + 1);
    assert!(fault.unwrap().contains("limit of 8"));
    let (found, fault) = cut_at_every_split(8, br#"{"map":{"1234":1234,"1234":12345}}"#);
    assert_eq!((found.len(), fault.is_some()), (1, true));
    let (found, fault) = cut_at_every_split(8, br#"{"map":{"1234":1234,"123456789":1}}"#);
    assert_eq!((found.len(), fault.is_some()), (1, true));
}

#[test]
fn nesting_is_bounded_around_the_members_and_needs_no_recursion_inside() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let around =
        |depth| cut(1 << 20, [format!(r#"{{"list":[],"a":{}}}"#, nested(depth)).as_bytes()]).1;
    assert_eq!(around(128), None);
    assert!(around(129).unwrap().contains("too deeply"));
    let mixed = format!("{}1{}", r#"{"a":["#.repeat(60), "]}".repeat(60));
    assert_eq!(cut(8, [format!(r#"{{"a":{mixed},"list":[]}}"#).as_bytes()]).1, None);
    let inside = format!(r#"{{"list":[{}]}}"#, nested(400_000));
    assert_eq!(cut(1 << 20, [inside.as_bytes()]).1, None);
}

#[test]
fn nothing_is_kept_of_endless_whitespace_or_of_what_is_skipped() {
    let starts: [&[u8]; 5] = [b"", b"{\"list\":[1,", b"{\"a\":\"", b"{\"a\":1", b"{\"a\":{\"b"];
    for (start, filling) in starts.into_iter().zip([b' ', b'\n', b'x', b'0', b'x']) {
        let mut scanner = Scanner::new(&SHAPE, 8);
        scanner.push(Bytes::copy_from_slice(start));
        let chunk = Bytes::from(vec![filling; 1 << 20]);
        for _ in 0..8 {
            scanner.push(chunk.clone());
            while scanner.next().unwrap().is_some() {}
        }
        assert!(format!("{scanner:?}").len() < 2000);
    }
}

#[test]
fn fields_of_members_are_found_whatever_surrounds_them() {
    let fields = |body: &str| members(body).swap_remove(0).1;
    assert_eq!(
        fields(r#"{"list":[{"two" : [1, {"one":2}] , "x":{"one":1},"one":"a\"" }]}"#),
        r#" "a\"" [1, {"one":2}]"#
    );
    assert_eq!(fields(r#"{"map":{"k":{"\u006fne":1.5,"two":null}}}"#), "k 1.5 null");
    assert_eq!(fields(r#"{"list":[["one",{"one":1}]]}"#), " - -");
    assert_eq!(fields(r#"{"list":["one"]}"#), " - -");
    assert!(fault(r#"{"list":[{"one":1,"one":2}]}"#).contains("`one` for the second time"));
    assert_eq!(members(r#"{"a":{"b":{"one":1}},"list":[{"one":1},{"two":2}]}"#)[1].1, " - 2");
}
