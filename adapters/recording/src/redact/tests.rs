use fdv2_core::model::{Decoded, Flag, Item};

use super::*;

fn json(text: &str) -> String {
    let mut mask = JsonMask::body();
    String::from_utf8(text.bytes().map(|byte| mask.mask(byte)).collect()).unwrap()
}

fn item(text: &str) -> String {
    let mut mask = JsonMask::item();
    String::from_utf8(text.bytes().map(|byte| mask.mask(byte)).collect()).unwrap()
}

fn stream(text: &str) -> String {
    let mut mask = SseMask::default();
    String::from_utf8(text.bytes().map(|byte| mask.mask(byte)).collect()).unwrap()
}

#[test]
fn of_an_item_its_key_version_and_shape_stay() {
    let text = r#"{"key":"dark-mode","version":7,"on":true,"variations":["s3cret",{"key":"no"},42],
        "rules":[{"id":"r1","clauses":[{"attribute":"email","op":"in","values":["anna@x.de"]}],
        "rollout":{"variations":[{"variation":1,"weight":60000}]}}],"salt":"pepper","mine":null,
        "prerequisites":[{"key":"other","variation":1}],"targets":[{"values":["ben"],"variation":0}]}"#;
    let expected = r#"{"key":"dark-mode","version":7,"on":true,"variations":["xxxxxx",{"xxx":"xx"},11],
        "rules":[{"id":"xx","clauses":[{"attribute":"xxxxx","op":"in","values":["xxxxxxxxx"]}],
        "rollout":{"variations":[{"variation":1,"weight":60000}]}}],"salt":"xxxxxx","xxxx":null,
        "prerequisites":[{"key":"other","variation":1}],"targets":[{"values":["xxx"],"variation":0}]}"#;
    assert_eq!(item(text), expected);
}

#[test]
fn of_the_protocol_what_decides_stays() {
    let text = r#"{"events":[{"event":"server-intent","data":{"payloads":[{"id":"p1","target":12,
        "intentCode":"xfer-full","reason":"stale"}]}},{"event":"put-object","data":{"version":12,
        "kind":"flag","key":"a","object":{"key":"a","salt":"s3cret"},"other":{"key":"b"}}},
        {"event":"payload-transferred","data":{"state":"(p:1)","version":12}}]}"#;
    let expected = r#"{"events":[{"event":"server-intent","data":{"payloads":[{"id":"xx","target":12,
        "intentCode":"xfer-full","reason":"xxxxx"}]}},{"event":"put-object","data":{"version":12,
        "kind":"flag","key":"a","object":{"key":"a","salt":"xxxxxx"},"oxxxx":{"xxx":"x"}}},
        {"event":"payload-transferred","data":{"state":"(p:1)","version":12}}]}"#;
    assert_eq!(json(text), expected);
    let fdv1 =
        r#"{"flags":{"a":{"key":"a","on":true,"salt":"s"}},"segments":{"s":{"included":["ben"]}}}"#;
    let expected =
        r#"{"flags":{"a":{"key":"a","on":true,"salt":"x"}},"segments":{"s":{"included":["xxx"]}}}"#;
    assert_eq!(json(fdv1), expected);
}

#[test]
fn of_a_stream_lines_and_names_of_events_stay() {
    let text = "\u{feff}event: put-object\r\ndata: {\"key\":\"a\",\ndata:\"object\":{\"salt\":\"s3cret\"}}\r\n\r\n\
                : a comment\nid: 17\nretry: 5000\nevent: secret\ndata:\"text\"\n\nstray: x1\n";
    let expected = "\u{feff}event: put-object\r\ndata: {\"key\":\"a\",\ndata:\"object\":{\"salt\":\"xxxxxx\"}}\r\n\r\n\
                    : xxxxxxxxx\nid: xx\nretry: 5000\nevent: sexxxx\ndata:\"xxxx\"\n\nxxxxx: xx\n";
    assert_eq!(stream(text), expected);
}

/// Whatever is written in a roundabout way is hidden rather than shown, and stays what it is: valid
/// or not, of the same length.
#[test]
fn escapes_numbers_and_characters_stay_what_they_are() {
    for (text, expected) in [
        (r#"{"variations":["a\"b\u00e9\ud83d\ude00ü😀"]}"#, None),
        (
            r#"{"variations":[-1.50e-2,0.5,100,1E400]}"#,
            Some(r#"{"variations":[-1.10e-2,0.1,100,1E400]}"#),
        ),
        (r#"{"\u006bey":"s3cret"}"#, None),
        (r#"{"salt":"\ud83d"}"#, None),
        (r#"{"salt":"\q"}"#, None),
        ("{\"salt\":truth}", Some("{\"salt\":truxx}")),
    ] {
        let masked = item(text);
        assert_eq!(masked.len(), text.len());
        assert!(!masked.contains("s3cret"), "{masked}");
        let is_valid = |text: &str| serde_json::from_str::<serde_json::Value>(text).is_ok();
        assert_eq!(is_valid(&masked), is_valid(text), "{text}: {masked}");
        if let Some(expected) = expected {
            assert_eq!(masked, expected);
        }
    }
    for bytes in [&b"\"\xff\xc3\""[..], b"\"\xed\xa0\"", b"\"\xc3\xa9\""] {
        let mut mask = JsonMask::item();
        let masked: Vec<u8> = bytes.iter().map(|byte| mask.mask(*byte)).collect();
        assert_eq!(std::str::from_utf8(&masked).is_ok(), std::str::from_utf8(bytes).is_ok());
    }
}

#[test]
fn a_flag_that_can_be_decoded_can_still_be_decoded_and_one_that_cannot_cannot() {
    for (text, is_good) in [
        (
            r#"{"variations":["a",{"b":[1.0]}],"fallthrough":{"rollout":{"variations":[{"variation":0,"weight":1e5}]}}}"#,
            true,
        ),
        (r#"{"variations":"none"}"#, false),
        (r#"{"on":"yes"}"#, false),
        (
            r#"{"version":5e4,"rules":[{"clauses":[{"op":"semVerEqual","values":["1.2.3"]}]}]}"#,
            true,
        ),
    ] {
        let decoded = |text: &str| Item::<Flag>::decode("a".into(), 1, text);
        assert_eq!(decoded(text).is_ok(), is_good, "{text}");
        let masked = item(text);
        assert_eq!(matches!(decoded(&masked), Ok(Decoded::Live(_))), is_good, "{masked}");
    }
}

#[test]
fn nesting_without_end_is_bounded() {
    let mut mask = JsonMask::body();
    assert!((0..100_000).all(|_| mask.mask(b'[') == b'['));
    assert_eq!(mask.mask(b'7'), b'1');
    assert!((0..200_000).all(|_| mask.mask(b']') == b']'));
    assert_eq!(mask.mask(b'{'), b'{');
}

/// What is wrong with a record repeats a part of it.
#[test]
fn of_an_unreadable_record_its_kind_and_key_stay() {
    let error = Item::<Flag>::decode("dark-mode".into(), 1, r#"{"on":"anna@x.de"}"#).unwrap_err();
    let record = CorruptRecord::Object(error);
    assert!(record.to_string().contains("anna@x.de"));
    let config = Config::builder("k").build().unwrap();
    let event = Event::StoreRead(StoreRead::Unreadable(record));
    let hidden = Redactor::new(&config, 1).hide(&event).unwrap();
    let Event::StoreRead(StoreRead::Unreadable(record)) = hidden else { panic!("{hidden:?}") };
    assert_eq!(record.to_string(), "in the store, flag \"dark-mode\" makes no sense");
}
