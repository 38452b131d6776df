use super::*;

fn parse_json(text: &[u8]) -> Result<Vec<FileItem>, Fault> {
    parse(text, Format::Json)
}

fn keys(text: &str) -> Vec<String> {
    let items = parse_json(text.as_bytes()).expect("a good file");
    items.iter().map(|item| format!("{} {}", item.id.kind.name(), item.id.key)).collect()
}

fn fault(text: &[u8]) -> String {
    let fault = parse_json(text).expect_err("a bad file");
    fault.in_file("flags.json".as_ref()).to_string()
}

#[test]
fn both_forms_are_read_together_and_other_members_ignored() {
    let text =
        "\u{feff}{\"flags\":{\"b\":{}},\"flagValues\":{\"a\":1},\"segments\":{\"s\":{}},\"x\":[]}";
    assert_eq!(keys(text), ["flag b", "flag a", "segment s"]);
}

#[test]
fn a_value_becomes_a_flag_that_is_on_with_that_value() {
    let items = parse_json(br#"{"flagValues":{"a": {"x": [1, "y z"]} }}"#).unwrap();
    let object = items[0].object(4);
    assert_eq!(
        &*object,
        r#"{"key":"a","version":4,"on":true,"variations":[{"x":[1,"y z"]}],"fallthrough":{"variation":0},"offVariation":0}"#
    );
}

#[test]
fn a_syntax_error_is_told_with_its_place() {
    assert_eq!(
        fault(b"{\"flags\": {\n  \"a\": {\"on\": tru}\n}}"),
        "flags.json:2:18: not valid JSON: expected ident"
    );
    assert_eq!(
        fault(b"{\"flags\": {"),
        "flags.json:1:11: not valid JSON: EOF while parsing an object"
    );
}

#[test]
fn what_is_not_an_object_is_told_with_its_place() {
    assert_eq!(
        fault(b"{\"flags\":\n [1]}"),
        "flags.json:2:2: \"flags\" must be an object with one member for each key"
    );
    assert_eq!(
        fault(b"{\"segments\": {\"a\": {},\n\"s\": 3}}"),
        "flags.json:2:6: segment \"s\" cannot be decoded: invalid type: integer `3`, expected an object"
    );
    assert_eq!(
        fault(b"[]"),
        "flags.json:1:1: a flag file is an object with \"flags\", \"segments\" and \"flagValues\" in it"
    );
}

#[test]
fn an_item_that_clients_could_not_decode_is_told_with_the_place_inside_it() {
    assert_eq!(
        fault(b"{\"flags\": {\"a\": {\n  \"key\": \"a\",\n  \"on\": \"yes\"}}}"),
        "flags.json:3:13: flag \"a\" cannot be decoded: on: invalid type: string \"yes\", expected a boolean"
    );
}

#[test]
fn a_key_that_stands_twice_in_one_object_is_an_error_at_the_second_place() {
    assert_eq!(
        fault(b"{\"flags\":{\"a\":{},\n\"a\":{}}}"),
        "flags.json:2:5: there is a second flag \"a\" in the same place"
    );
}

#[test]
fn an_item_larger_than_an_event_may_be_is_refused() {
    let value = "x".repeat(MAX_ITEM);
    let text = format!("{{\"flagValues\":{{\n\"a\":\"{value}\"}}}}");
    assert_eq!(fault(text.as_bytes()), "flags.json:2:5: flag \"a\" is larger than 16 MiB");
}

#[test]
fn empty_foreign_and_undecodable_files_are_told_apart() {
    assert_eq!(fault(b" \n"), "flags.json: the file is empty");
    assert_eq!(
        fault(br#"{"name":"x"}"#),
        "flags.json: there is none of \"flags\", \"segments\" and \"flagValues\" in it"
    );
    assert_eq!(
        fault(b"{\n \"a\xff\": 1}"),
        "flags.json:2:4: this byte is not UTF-8; save the file as UTF-8"
    );
}

#[test]
fn every_way_of_cutting_a_file_short_is_a_fault() {
    let text = br#"{"flags":{"a":{"on":true}},"segments":{}}"#;
    for length in 0..text.len() {
        assert!(parse_json(&text[..length]).is_err(), "{length}");
    }
}

#[test]
fn the_name_tells_the_format_and_else_the_first_character() {
    for (name, text, format) in [
        ("flags.json", "a: 1", Format::Json),
        ("flags.YAML", "{}", Format::Yaml),
        ("flags.yml", "{}", Format::Yaml),
        ("flags", "\u{feff} \n{", Format::Json),
        ("..data/flags.v2", "flagValues:", Format::Yaml),
    ] {
        assert_eq!(Format::of(name.as_ref(), text.as_bytes()), format, "{name}");
    }
}

/// B 4.6: what is no JSON for a client is none for the file, and has its place in it.
#[test]
fn a_value_that_clients_could_not_decode_is_told_with_its_place() {
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    for (value, place, what) in [
        ("[1,\n 1e999]", "3:6", "number out of range"),
        ("-1e999", "2:12", "number out of range"),
        (r#""\ud800""#, "2:14", "unexpected end of hex escape"),
        (&deep, "2:132", "recursion limit exceeded"),
    ] {
        let text = format!("{{\"flagValues\": {{\"a\": 1,\n \"b\": {value}}}}}");
        let expected =
            format!("flags.json:{place}: flag \"b\" cannot be decoded: variations: {what}");
        assert_eq!(fault(text.as_bytes()), expected, "{value}");
    }
}

#[test]
fn a_key_that_is_no_text_is_told_as_what_it_is() {
    assert_eq!(
        fault(br#"{"flagValues":{"a\ud800":1}}"#),
        "flags.json:1:24: not valid JSON: unexpected end of hex escape"
    );
}

/// However much the fault has to say: a flag is long, and its first line says little.
#[test]
fn a_long_fault_is_told_with_its_place_too() {
    for length in [40, 50, 60, 70, 1000] {
        let text =
            format!("{{\"flags\": {{\"a\\n\": {{\n \"on\": \"{}\"}}}}}}", "x".repeat(length));
        let told = fault(text.as_bytes());
        let expected =
            format!("flags.json:2:{}: flag \"a\\n\" cannot be decoded: on: ", 9 + length);
        assert!(told.starts_with(&expected) && !told.contains(" at line"), "{told}");
    }
}
