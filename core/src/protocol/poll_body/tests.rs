//! B 4.5, 1.10, 1.13 for poll bodies.

use bytes::Bytes;

use super::PollBody;

type Events = Vec<(String, String)>;

fn read<'a>(limit: usize, pieces: impl IntoIterator<Item = &'a [u8]>) -> (Events, Option<String>) {
    let mut body = PollBody::new(limit);
    let mut events = Events::new();
    for piece in pieces {
        body.push(Bytes::copy_from_slice(piece));
        loop {
            match body.next() {
                Ok(None) => break,
                Ok(Some(event)) => events.push((event.name.into_owned(), event.data.to_owned())),
                Err(error) => {
                    assert_eq!(body.next(), Err(error.clone()), "an error stays");
                    assert_eq!(body.finish(), Err(error.clone()));
                    return (events, Some(error.to_string()));
                }
            }
        }
    }
    (events, body.finish().err().map(|error| error.to_string()))
}

fn read_at_every_split(text: impl AsRef<[u8]>) -> (Events, Option<String>) {
    let text = text.as_ref();
    let whole = read(1000, [text]);
    for first in 0..=text.len() {
        for second in first..=text.len() {
            let pieces = [&text[..first], &text[first..second], &text[second..]];
            assert_eq!(read(1000, pieces), whole, "cut at {first} and {second}");
        }
    }
    whole
}

fn events(text: &str) -> Events {
    let (events, fault) = read_at_every_split(text);
    assert_eq!(fault, None);
    events
}

fn owned(events: &[(&str, &str)]) -> Events {
    events.iter().map(|(name, data)| ((*name).to_owned(), (*data).to_owned())).collect()
}

#[test]
fn events_come_with_their_data_as_text() {
    let text = r#"{"events":[{"event":"server-intent","data":{"a": [1]}},{"data": "é", "x":1, "event":"\u0061"}]}"#;
    assert_eq!(events(text), owned(&[("server-intent", r#"{"a": [1]}"#), ("a", r#""é""#)]));
}

#[test]
fn an_event_without_data_has_null() {
    let text = r#"{"events":[{"event":"a"},{"event":"b","data":null}]}"#;
    assert_eq!(events(text), owned(&[("a", "null"), ("b", "null")]));
}

#[test]
fn b_4_5_an_element_that_names_no_event_has_no_name() {
    let text = r#"{"events":[{},{"event":null,"data":1},{"data":2},5,null,"event",["event",1]]}"#;
    assert!(events(text).iter().all(|(name, _)| name.is_empty()));
    assert_eq!(events(text).len(), 7);
}

#[test]
fn an_element_that_is_no_json_or_names_its_event_wrongly_is_invalid() {
    let elements = [
        r#"{"event":5}"#,
        r#"{"event":["a"]}"#,
        r#"{"event":"a","event":"b"}"#,
        r#"{"event":"a","data":tru}"#,
        r#"{"event":"a","data":{"b":[}}"#,
        r#"{"event":"a","other":01}"#,
        r#"{"event":"\ud800"}"#,
        "{\"event\":\"a\",\"data\":\"\t\"}",
        "nope",
        "[1,]",
    ];
    for element in elements {
        let (events, fault) =
            read_at_every_split(format!(r#"{{"events":[{{"event":"z"}},{element}]}}"#));
        assert_eq!(events, owned(&[("z", "null")]), "{element}");
        assert!(fault.unwrap().contains("the poll body"));
    }
}

#[test]
fn b_1_10_bytes_that_are_not_utf8_are_invalid_wherever_they_stand() {
    for text in [
        &b"{\"events\":[{\"event\":\"a\",\"data\":\"AB\xffCD\"}]}"[..],
        b"{\"events\":[{\"event\":\"a\xff\"}]}",
        b"{\"events\":[],\"x\":\"\xff\"}",
    ] {
        assert!(read_at_every_split(text).1.unwrap().contains("not UTF-8"));
    }
}

#[test]
fn a_body_without_events_is_invalid() {
    assert!(read_at_every_split("{}").1.unwrap().contains("without `events`"));
    for text in ["", " ", "[]", r#"{"events":{}}"#, r#"{"events":null}"#, r#"{"Events":[]}"#] {
        assert!(read_at_every_split(text).1.is_some(), "{text}");
    }
}

#[test]
fn deep_nesting_inside_an_event_needs_no_stack() {
    let deep = "[".repeat(500_000) + &"]".repeat(500_000);
    let text = format!(r#"{{"events":[{{"event":"a","data":{deep}}},{deep}]}}"#);
    let (events, fault) = read(2 << 20, [text.as_bytes()]);
    assert_eq!((events.len(), fault), (2, None));
}
