use serde_json::{Value, json};

use super::*;

fn text(pieces: impl Iterator<Item = Bytes>) -> String {
    String::from_utf8(pieces.flatten().collect()).unwrap()
}

fn load(text: &str) -> Vec<fdv2_files::FileItem> {
    fdv2_files::parse("flags.json".as_ref(), text.as_bytes()).expect("a good file")
}

fn two_loads() -> Arc<Content> {
    let one = Content::first("run", &load(r#"{"flagValues":{"a":1,"b":1,"c":1}}"#));
    let two = r#"{"flagValues":{"a":1,"b":2},"segments":{"s \"1\"":{"version":4}}}"#;
    Arc::new(one.next(&load(two)).unwrap())
}

fn events(need: Need) -> Vec<Value> {
    let body: Value = serde_json::from_str(&text(Transfer::poll(two_loads(), need))).unwrap();
    body["events"].as_array().unwrap().clone()
}

fn names(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["event"].as_str().unwrap()).collect()
}

#[test]
fn a_full_transfer_has_every_live_item() {
    let events = events(Need::Full);
    let expected =
        ["server-intent", "put-object", "put-object", "put-object", "payload-transferred"];
    assert_eq!(names(&events), expected);
    assert_eq!(events[0]["data"]["payloads"][0]["intentCode"], "xfer-full");
    assert_eq!(
        events[3]["data"],
        json!({"kind":"segment","key":"s \"1\"","version":4,"object":{"key":"s \"1\"","version":4}})
    );
    assert_eq!(events[4]["data"], json!({"state":"run-2","version":2}));
}

#[test]
fn a_transfer_of_changes_has_puts_and_deletes() {
    let events = events(Need::ChangesSince(1));
    let expected =
        ["server-intent", "put-object", "delete-object", "put-object", "payload-transferred"];
    assert_eq!(names(&events), expected);
    assert_eq!(events[0]["data"]["payloads"][0]["intentCode"], "xfer-changes");
    assert_eq!(events[2]["data"], json!({"kind":"flag","key":"c","version":2}));
}

#[test]
fn nothing_to_transfer_is_an_intent_alone() {
    let events = events(Need::Nothing);
    assert_eq!(names(&events), ["server-intent"]);
    assert_eq!(events[0]["data"]["payloads"][0]["intentCode"], "none");
}

#[test]
fn a_stream_frames_each_event_on_one_line_of_data() {
    let stream = text(Transfer::stream(two_loads(), Need::ChangesSince(1)));
    let frames: Vec<_> = stream.split_terminator("\n\n").collect();
    assert_eq!(frames.len(), 5);
    for frame in frames {
        let lines: Vec<_> = frame.split('\n').collect();
        assert!(
            matches!(lines[..], [name, data] if name.starts_with("event: ") && data.starts_with("data: {")),
            "{frame}"
        );
    }
}

#[test]
fn large_bodies_come_in_pieces() {
    let values: Vec<String> = (0..2000).map(|key| format!("\"{key}\":\"{key}\"")).collect();
    let items = load(&format!(r#"{{"flagValues":{{{}}}}}"#, values.join(",")));
    let content = Arc::new(Content::first("run", &items));
    let pieces: Vec<_> = Transfer::stream(content, Need::Full).collect();
    assert!(pieces.len() > 5 && pieces.iter().all(|piece| piece.len() < 2 * PIECE_BYTES));
    let puts = text(pieces.into_iter()).matches("put-object").count();
    assert_eq!(puts, 2000);
}
