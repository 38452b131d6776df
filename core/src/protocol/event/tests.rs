use super::*;

fn decoded<'a>(name: &str, data: &'a str) -> Result<ProtocolEvent<'a>, InvalidData> {
    decode(name, data, &Limits::default())
}

#[track_caller]
fn assert_invalid(name: &str, data: &str) {
    assert!(decoded(name, data).is_err(), "{name} {data} was taken");
}

fn put(version: u64, object: &str) -> ProtocolEvent<'_> {
    ProtocolEvent::Put { kind: Kind::Flag, key: Cow::Borrowed("f1"), version, object }
}

#[test]
fn a_put_borrows_its_object_byte_for_byte() {
    let data = r#"{"version":3,"kind":"flag","key":"f1","object": {"a" : [1, 2]} }"#;
    assert_eq!(decoded("put-object", data), Ok(put(3, r#"{"a" : [1, 2]}"#)));
}

/// B 1.8: versions may be missing, and any spelling of a number is one.
#[test]
fn a_version_may_be_missing_null_or_spelled_in_any_way() {
    for (version, expected) in [
        ("", 0),
        (r#""version":null,"#, 0),
        (r#""version":5e4,"#, 50_000),
        (r#""version":1.0,"#, 1),
        (r#""version":18446744073709551615,"#, u64::MAX),
        (r#""version":1e400,"#, u64::MAX),
        (r#""version":-3,"#, 0),
    ] {
        let data = format!(r#"{{{version}"kind":"flag","key":"f1","object":{{}}}}"#);
        assert_eq!(decoded("put-object", &data), Ok(put(expected, "{}")), "{version}");
    }
}

/// B 1.8: a put needs kind, key and object.
#[test]
fn a_put_without_kind_key_or_object_is_invalid_data() {
    for data in [
        "",
        "null",
        "{",
        "[]",
        r#"["flag","f1",1,{}]"#,
        r#"{"key":"f1","object":{}}"#,
        r#"{"kind":"flag","object":{}}"#,
        r#"{"kind":"flag","key":"f1"}"#,
        r#"{"kind":"flag","key":"f1","object":null}"#,
        r#"{"kind":null,"key":"f1","object":{}}"#,
        r#"{"kind":1,"key":"f1","object":{}}"#,
        r#"{"kind":"flag","key":1,"object":{}}"#,
        r#"{"kind":"flag","key":"f1","version":"1","object":{}}"#,
        r#"{"kind":"flag","key":"\ud800","object":{}}"#,
        r#"{"kind":"flag","key":"f1","object":{}} x"#,
    ] {
        assert_invalid("put-object", data);
    }
}

/// B 1.8: a delete needs kind and key.
#[test]
fn a_delete_without_kind_or_key_is_invalid_data() {
    assert_invalid("delete-object", r#"{"key":"f1"}"#);
    assert_invalid("delete-object", r#"{"kind":"flag"}"#);
    assert_eq!(
        decoded("delete-object", r#"{"kind":"segment","key":"s","version":7}"#),
        Ok(ProtocolEvent::Delete { kind: Kind::Segment, key: "s".into(), version: 7 })
    );
}

#[test]
fn a_key_may_be_empty_or_hold_escapes() {
    let data = r#"{"kind":"flag","key":"\u00e9\n","object":{}}"#;
    let Ok(ProtocolEvent::Put { key, .. }) = decoded("put-object", data) else {
        panic!("not taken");
    };
    assert_eq!(key, "é\n");
    assert!(decoded("delete-object", r#"{"kind":"flag","key":""}"#).is_ok());
}

/// B 1.7, P06: what is unknown is skipped unread.
#[test]
fn an_unknown_event_or_kind_is_skipped_without_parsing_its_data() {
    for (name, data) in [
        ("brand-new", "not json {{{"),
        ("message", ""),
        ("put-object", r#"{"kind":"experiment","version":"x","object":[1,2]}"#),
        ("delete-object", r#"{"kind":"experiment","key":7}"#),
    ] {
        assert_eq!(decoded(name, data), Ok(ProtocolEvent::Unknown), "{name}");
    }
}

/// B 1.7.
#[test]
fn both_spellings_of_a_heartbeat_are_known() {
    assert_eq!(decoded("heartbeat", "{}"), Ok(ProtocolEvent::Heartbeat));
    assert_eq!(decoded("heart-beat", ""), Ok(ProtocolEvent::Heartbeat));
}

/// B 1.1: only `intentCode` of the first payload is required.
#[test]
fn only_the_code_of_the_first_payload_counts() {
    for (data, code, extra_payloads) in [
        (r#"{"payloads":[{"intentCode":"xfer-full"}]}"#, IntentCode::Full, false),
        (r#"{"payloads":[{"id":1,"intentCode":"none"},{"x":0}]}"#, IntentCode::None, true),
        (r#"{"payloads":[{"intentCode":"xfer-changes"},7]}"#, IntentCode::Changes, true),
    ] {
        let expected = ProtocolEvent::ServerIntent { code, extra_payloads };
        assert_eq!(decoded("server-intent", data), Ok(expected));
    }
}

/// B 1.1: no `payloads`, an empty list, or an unknown code is invalid data.
#[test]
fn an_intent_without_a_known_code_is_invalid_data() {
    for data in [
        "{sorry",
        r#"{"data":{"flags":true,"segments":{}}}"#,
        r#"{"payloads":null}"#,
        r#"{"payloads":{}}"#,
        r#"{"payloads":[]}"#,
        r#"{"payloads":[null]}"#,
        r#"{"payloads":[["xfer-full"]]}"#,
        r#"{"payloads":[{}]}"#,
        r#"{"payloads":[{"intentCode":null}]}"#,
        r#"{"payloads":[{"intentCode":"xfer-none"}]}"#,
        r#"{"payloads":[{},{"intentCode":"xfer-full"}]}"#,
    ] {
        assert_invalid("server-intent", data);
    }
}

/// B 1.8: `payload-transferred` needs a non-empty `state`.
#[test]
fn a_transfer_without_state_is_invalid_data() {
    assert_invalid("payload-transferred", r#"{"version":1}"#);
    assert_invalid("payload-transferred", r#"{"state":"","version":1}"#);
    assert_invalid("payload-transferred", r#"{"state":null}"#);
    assert_invalid("payload-transferred", r#"{"state":3}"#);
    assert_eq!(
        decoded("payload-transferred", r#"{"state":"s1"}"#),
        Ok(ProtocolEvent::Transferred { selector: Selector::new("s1", 0) })
    );
}

/// B 1.13, P09.
#[test]
fn a_selector_over_its_limit_is_invalid_data() {
    let limits = Limits { selector_bytes: 4, ..Limits::default() };
    assert!(decode("payload-transferred", r#"{"state":"1234"}"#, &limits).is_ok());
    let error = decode("payload-transferred", r#"{"state":"12345"}"#, &limits).unwrap_err();
    assert!(error.is_limit());
}

/// B 1.5, 1.6, P10: nothing in an `error` or a `goodbye` has to be valid.
#[test]
fn an_error_and_a_goodbye_need_no_valid_json() {
    for data in ["", "<<not json>>", "[1]", r#"{"reason":7}"#] {
        let reason = Cow::Borrowed("");
        assert_eq!(decoded("error", data), Ok(ProtocolEvent::Error { reason: reason.clone() }));
        assert_eq!(
            decoded("goodbye", data),
            Ok(ProtocolEvent::Goodbye { reason, directive: None })
        );
    }
    assert_eq!(
        decoded("error", r#"{"payloadId":"p1","reason":"oops"}"#),
        Ok(ProtocolEvent::Error { reason: "oops".into() })
    );
}

#[test]
fn a_long_reason_is_clipped() {
    let data = format!(r#"{{"reason":"\n{}"}}"#, "é".repeat(1_000));
    let Ok(ProtocolEvent::Error { reason }) = decoded("error", &data) else {
        panic!("not taken");
    };
    assert_eq!(reason.chars().count(), super::super::error::QUOTE);
}

/// B 5.1, 5.4, V08: the field's presence is the directive, null is absent.
#[test]
fn a_goodbye_with_a_ttl_is_a_directive() {
    let sent = |seconds| Some(GoodbyeTtl::Sent(Duration::from_secs(seconds)));
    for (ttl, expected) in [
        ("null", None),
        ("1", sent(1)),
        ("3600", sent(3600)),
        ("6e1", sent(60)),
        ("60.0", sent(60)),
        ("0", Some(GoodbyeTtl::Unusable)),
        ("0.5", Some(GoodbyeTtl::Unusable)),
        ("3601", Some(GoodbyeTtl::Unusable)),
        ("-1", Some(GoodbyeTtl::Unusable)),
        ("1e999", Some(GoodbyeTtl::Unusable)),
        (r#""60""#, Some(GoodbyeTtl::Unusable)),
        ("{}", Some(GoodbyeTtl::Unusable)),
    ] {
        let data = format!(r#"{{"reason":5,"protocolFallbackTTL":{ttl}}}"#);
        let Ok(ProtocolEvent::Goodbye { directive, .. }) = decoded("goodbye", &data) else {
            panic!("not taken");
        };
        assert_eq!(directive, expected, "{ttl}");
    }
}

#[test]
fn an_error_quotes_little_of_a_hostile_event() {
    let data = format!(r#"{{"payloads":[{{"intentCode":"{}"}}]}}"#, "x".repeat(100_000));
    let error = decoded("server-intent", &data).unwrap_err();
    assert!(error.message().len() < 300);
}
