use super::*;

fn load(text: &str) -> Vec<FileItem> {
    fdv2_files::parse("flags.json".as_ref(), text.as_bytes()).expect("a good file")
}

fn first(text: &str) -> Content {
    Content::first("run", &load(text))
}

fn edit(content: &Content, text: &str) -> Content {
    content.next(&load(text)).expect("an edit that changes something")
}

fn version(content: &Content, key: &str) -> u64 {
    let entry = content.entries().iter().find(|entry| &*entry.id.key == key);
    entry.expect("the key is known").version
}

fn changed(content: &Content, since: u64) -> Vec<(&str, bool)> {
    content.changed_since(since).map(|entry| (&*entry.id.key, entry.is_live())).collect()
}

#[test]
fn an_item_without_version_gets_the_number_of_the_load_that_changed_it() {
    let one = first(r#"{"flagValues":{"a":1,"b":1}}"#);
    let two = edit(&one, r#"{"flagValues":{"a":2,"b":1}}"#);
    assert_eq!((version(&one, "a"), version(&one, "b")), (1, 1));
    assert_eq!((version(&two, "a"), version(&two, "b")), (2, 1));
    assert_eq!(changed(&two, 1), [("a", true)]);
}

#[test]
fn a_changed_item_gets_a_higher_version_when_the_file_keeps_its_own() {
    let one = first(r#"{"flags":{"a":{"version":7,"on":true}}}"#);
    let two = edit(&one, r#"{"flags":{"a":{"version":7,"on":false}}}"#);
    let three = edit(&two, r#"{"flags":{"a":{"version":20,"on":false}}}"#);
    let four = edit(&three, r#"{"flags":{"a":{"version":3,"on":false}}}"#);
    let versions = [&one, &two, &three, &four].map(|content| version(content, "a"));
    assert_eq!(versions, [7, 8, 20, 21]);
    let object = two.entries().first().and_then(Entry::object);
    assert_eq!(object.map(|text| &**text), Some(r#"{"key":"a","version":8,"on":false}"#));
}

#[test]
fn a_deleted_item_that_comes_back_has_a_higher_version_than_its_deletion() {
    let one = first(r#"{"flags":{"a":{"version":7}},"flagValues":{"b":1}}"#);
    let two = edit(&one, r#"{"flagValues":{"b":1}}"#);
    let three = edit(&two, r#"{"flags":{"a":{"version":7}},"flagValues":{"b":1}}"#);
    assert_eq!(changed(&two, 1), [("a", false)]);
    assert_eq!(version(&two, "a"), 8);
    assert_eq!(version(&three, "a"), 9);
    assert_eq!(changed(&three, 2), [("a", true)]);
}

#[test]
fn a_load_that_changes_nothing_but_white_space_and_order_is_none() {
    let one =
        first(r#"{"flagValues":{"a":{"x":1}},"segments":{"s":{"salt":"x","unbounded":false}}}"#);
    let same = r#"{ "segments": {"s": {"unbounded": false,
        "salt": "x" } }, "flagValues": {"a": {"x" : 1}} }"#;
    let same = load(same);
    assert!(one.next(&same).is_none());
}

#[test]
fn a_flag_and_a_segment_may_share_a_key() {
    let one = first(r#"{"flagValues":{"a":1},"segments":{"a":{}}}"#);
    assert_eq!(one.entries().len(), 2);
    assert_eq!(one.live(Kind::Flag).count(), 1);
}

#[test]
fn a_basis_of_this_run_needs_nothing_or_changes_and_any_other_everything() {
    let one = first(r#"{"flagValues":{"a":1}}"#);
    let two = edit(&one, r#"{"flagValues":{"a":2}}"#);
    assert_eq!(two.need_of(Some(&two.state())), Need::Nothing);
    assert_eq!(two.need_of(Some(&one.state())), Need::ChangesSince(1));
    let unknown = ["", "run-3", "run-0", "run-", "run-x", "run--1", "run", "other-1", "run-1 "];
    for basis in unknown {
        assert_eq!(two.need_of(Some(basis)), Need::Full, "{basis:?}");
    }
    assert_eq!(two.need_of(None), Need::Full);
}

#[test]
fn too_many_deleted_items_are_forgotten_and_older_clients_get_everything() {
    let many: Vec<String> = (0..=MAX_DELETED).map(|key| format!("\"{key}\":1")).collect();
    let one = first(&format!(r#"{{"flagValues":{{{}}}}}"#, many.join(",")));
    let two = edit(&one, r#"{"flagValues":{"a":1}}"#);
    assert_eq!(two.entries().len(), 1);
    assert_eq!(two.need_of(Some(&one.state())), Need::Full);
    assert_eq!(two.need_of(Some(&two.state())), Need::Nothing);
}

#[test]
fn the_fdv1_body_has_live_items_by_kind() {
    let one = first(r#"{"flagValues":{"a":1,"b":1},"segments":{"s":{"version":2}}}"#);
    let two = edit(&one, r#"{"flags":{"a":{"version":5}},"segments":{"s":{"version":2}}}"#);
    let expected =
        r#"{"flags":{"a":{"key":"a","version":5}},"segments":{"s":{"key":"s","version":2}}}"#;
    assert_eq!(two.fdv1_body(), expected);
    assert_eq!(first(r#"{"flags":{}}"#).fdv1_body(), r#"{"flags":{},"segments":{}}"#);
}
