use std::sync::Arc;

use super::{Decoded, Item};
use crate::model::{DecodeError, Flag, Model, Segment};

fn decode<T: Model>(key: &str, version: u64, text: &str) -> Result<Decoded<T>, DecodeError> {
    Item::decode(Arc::from(key), version, text)
}

fn live<T: Model>(key: &str, version: u64, text: &str) -> Item<T> {
    match decode(key, version, text) {
        Ok(Decoded::Live(item)) => item,
        other => panic!("{other:?}"),
    }
}

/// P03.
#[test]
fn b_1_8_the_version_of_the_envelope_counts_only_if_the_object_has_none() {
    assert_eq!(live::<Flag>("f1", 42, r#"{"key":"f1","on":true}"#).version(), 42);
    assert_eq!(live::<Flag>("f1", 42, r#"{"key":"f1","version":null}"#).version(), 42);
    assert_eq!(live::<Flag>("f1", 42, r#"{"key":"f1","version":7}"#).version(), 7);
}

#[test]
fn b_1_8_an_object_with_key_and_version_is_kept_byte_for_byte() {
    for text in [
        r#" { "version" : 7.0 , "new" : [ 1e400 ] , "key" : "f1" } "#,
        r#"{"key":"\u0066\u0031","version":5e4,"salt":"\u00e9"}"#,
    ] {
        assert_eq!(&**live::<Flag>("f1", 1, text).text(), text);
    }
}

/// P03: an object that came under `f1` is `f1`, whatever it calls itself.
#[test]
fn b_1_8_a_missing_version_and_a_differing_key_are_set_in_the_text() {
    let kept = |text| live::<Flag>("f\"1", 42, text).text().to_string();
    assert_eq!(kept(r#"{}"#), r#"{"key":"f\"1","version":42}"#);
    assert_eq!(kept(r#" { "on":true}"#), r#" {"key":"f\"1","version":42, "on":true}"#);
    assert_eq!(
        kept(r#"{"key":"other","on":true,"version":null}"#),
        r#"{"key":"f\"1","on":true,"version":42}"#
    );
    assert_eq!(
        kept(r#"{"version":3,"key": "a","x":{"key":"deep"},"key":null}"#),
        r#"{"version":3,"key": "f\"1","x":{"key":"deep"},"key":"f\"1"}"#
    );
}

#[test]
fn b_1_8_an_object_that_says_deleted_is_a_deletion() {
    let tombstone = r#"{"key":"$deleted","version":100,"deleted":true,"variations":[]}"#;
    assert_eq!(decode::<Flag>("f1", 1, tombstone), Ok(Decoded::Deleted { version: 100 }));
    let tombstone = r#"{"deleted":true}"#;
    assert_eq!(decode::<Segment>("s1", 9, tombstone), Ok(Decoded::Deleted { version: 9 }));
}

/// M05: at every level, null is absence and what is unknown is skipped.
#[test]
fn b_1_9_null_fields_are_defaults_and_unknown_ones_are_skipped() {
    let text = r#"{"key":"f1","version":1,"on":null,"prerequisites":null,"targets":null,
        "contextTargets":null,"rules":[{"id":null,"clauses":[{"attribute":"a","op":"in",
        "values":null,"negate":null,"contextKind":null,"new":1}],"variation":null,"rollout":null,
        "trackEvents":null,"new":{}}],"fallthrough":{"variation":1,"rollout":null},
        "offVariation":null,"variations":null,"clientSide":null,"clientSideAvailability":null,
        "salt":null,"trackEvents":null,"trackEventsFallthrough":null,"debugEventsUntilDate":null,
        "deleted":null,"new":[[[]]]}"#;
    let item = live::<Flag>("f1", 1, text);
    assert!(!item.model().is_on());
    assert_eq!(item.model().debug_events_until_date(), None);
    let text = r#"{"key":"s1","version":1,"included":null,"excluded":null,"rules":[{"weight":null,
        "clauses":null,"bucketBy":null}],"salt":null,"unbounded":null,"generation":null}"#;
    live::<Segment>("s1", 1, text);
    assert_eq!(live::<Flag>("", 0, "{}").version(), 0);
}

#[test]
fn b_1_9_a_number_may_be_spelled_in_any_way() {
    let item =
        live::<Flag>("f1", 1, r#"{"version":5e4,"debugEventsUntilDate":1.0,"offVariation":1E0}"#);
    assert_eq!(item.version(), 50_000);
    assert_eq!(item.model().debug_events_until_date(), Some(1));
    assert_eq!(item.model().off_variation.map(|index| index.to_usize()), Some(1));
}

#[test]
fn b_1_9_what_only_makes_no_sense_is_decoded() {
    for text in [
        r#"{"offVariation":-1,"fallthrough":{"variation":9.5},"version":-3}"#,
        r#"{"rules":[{"clauses":[{"attribute":"//","op":"futureOp","values":[[1],{"a":1}]}]}]}"#,
        r#"{"rules":[{"clauses":[{"attribute":"a","op":"matches","values":["("]},
            {"attribute":"a","op":"semVerEqual","values":["x"]},
            {"attribute":"a","op":"before","values":["yesterday"]}]}]}"#,
        r#"{"fallthrough":{"rollout":{"seed":1e300,"variations":[{"variation":-1,"weight":-5}]}}}"#,
        r#"{"targets":[{"contextKind":"multi","values":[""],"variation":1e99}],"salt":""}"#,
    ] {
        live::<Flag>("f1", 1, text);
    }
}

#[test]
fn b_1_9_an_undecodable_object_is_named_with_its_kind_key_and_field() {
    for (text, field) in [
        (r#"[]"#, ""),
        (r#""text""#, ""),
        (r#"null"#, ""),
        (r#"{"on":1}"#, "on"),
        (r#"{"salt":1}"#, "salt"),
        (r#"{"version":"1"}"#, "version"),
        (r#"{"variations":{}}"#, "variations"),
        (r#"{"rules":[{"clauses":[{"values":"a"}]}]}"#, "rules.clauses.values"),
        (
            r#"{"fallthrough":{"rollout":{"variations":[{"weight":"all"}]}}}"#,
            "fallthrough.rollout.variations.weight",
        ),
        (r#"{"targets":[{"values":["a",1]}]}"#, "targets.values"),
        (
            r#"{"clientSideAvailability":{"usingEnvironmentId":"yes"}}"#,
            "clientSideAvailability.usingEnvironmentId",
        ),
        (r#"{"prerequisites":[[]]}"#, "prerequisites"),
    ] {
        let error = decode::<Flag>("f1", 1, text).unwrap_err();
        assert_eq!(error.field(), field, "{error}");
        let start = format!("flag \"f1\" cannot be decoded: {field}");
        assert!(error.to_string().starts_with(&start), "{error}");
    }
    let error = decode::<Segment>("s1", 1, r#"{"included":{}}"#).unwrap_err();
    assert!(error.to_string().starts_with("segment \"s1\" cannot be decoded: included"));
}

/// S13: what an error repeats of a peer's text is cut between two characters, and is one line.
#[test]
fn an_error_quotes_little_of_what_it_is_about() {
    for length in 70..110 {
        let long = format!("{}😀😀{}", "a".repeat(length), "b".repeat(10_000));
        let error = decode::<Flag>(&long, 1, &format!(r#"{{"on":"{long}"}}"#)).unwrap_err();
        assert!(error.to_string().len() < 300);
    }
    let error = decode::<Flag>("a\nb", 1, "3").unwrap_err();
    assert!(error.to_string().starts_with(r#"flag "a\nb" cannot be decoded"#), "{error}");
}

/// The place is what helps to find the fault in a long object.
#[test]
fn an_error_names_the_whole_place_however_much_it_quotes() {
    for length in 20..120 {
        let object = format!("{{\n\"on\":\"{}\"}}", "a".repeat(length));
        let error = decode::<Flag>("f1", 1, &object).unwrap_err().to_string();
        assert!(error.ends_with(&format!(" at line 2 column {}", length + 7)), "{error}");
    }
}

/// What is taken for the same undecoded is what decoding would give.
#[test]
fn an_item_knows_the_texts_that_it_would_come_from_again() {
    let texts = [
        "{}",
        r#"{"on":true}"#,
        r#" {"on":true}"#,
        r#"{"version":4}"#,
        r#"{"version":4,"version":5}"#,
        r#"{"version":5}"#,
        r#"{"key":"a"}"#,
        r#"{"key":"a","version":4}"#,
        r#"{"key":"a","version":4,"version":5}"#,
        r#"{"key":"a","version":5}"#,
        r#"{"key":"a","version":4,"on":true}"#,
        r#"{"key":"b","version":4}"#,
        r#"{"version":4,"key":"b"}"#,
    ];
    let cases = || texts.iter().flat_map(|text| [4, 5].map(|version| (version, *text)));
    for (version, text) in cases() {
        let item = live::<Flag>("a", version, text);
        assert!(item.is_from(version, text) || text.contains(r#""b""#), "{text}");
        for (version, text) in cases().filter(|(version, text)| item.is_from(*version, text)) {
            assert_eq!(live::<Flag>("a", version, text), item, "{text}");
        }
    }
}

/// What an item is written down as gives the same item, and the same answers of `is_from`.
#[test]
fn an_item_can_be_written_down_and_read_again() {
    for text in [
        r#"{"key":"f\"1","version":3}"#,
        r#" { "key" : "f\u00221" , "version" : 3.0 } "#,
        r#"{}"#,
        r#" { "on":true}"#,
        r#"{"version":3}"#,
        r#"{"key":"f\"1"}"#,
        r#"{"key":"other","on":true,"version":null}"#,
        r#"{"key":"other","on":true}"#,
        r#"{"key":"f\u00221","version":null}"#,
        r#"{"key":"f\"1","version":null}"#,
        r#"{"version":3,"key": "a","x":{"key":"deep"},"key":null}"#,
    ] {
        let item = live::<Flag>("f\"1", 42, text);
        let written = item.as_it_came();
        let again = live::<Flag>("f\"1", item.version(), &written);
        assert_eq!((again.text(), again.version()), (item.text(), item.version()), "{text}");
        for other in [text, &*written, item.text()] {
            let answers = [42, 43].map(|version| item.is_from(version, other));
            assert_eq!([42, 43].map(|version| again.is_from(version, other)), answers, "{text}");
        }
    }
}
