//! B 1.9, 1.15: undecodable objects.

use super::*;

/// B 1.9.
#[test]
fn while_data_is_held_one_undecodable_object_ends_the_attempt() {
    let mut connection = holding(&["a"]);
    connection.receive(&[intent("xfer-full"), put("b", 1)]);
    let error = connection.refuse(bad("the-bad-one"));
    assert!(error.is_undecodable());
    assert!(error.message().contains("flag") && error.message().contains("the-bad-one"), "{error}");
    assert_eq!((connection.flags(), connection.basis()), (vec![("a", 1)], Some("s1")));
}

/// B 1.15.
#[test]
fn the_good_objects_of_a_first_full_transfer_are_salvaged() {
    let mut connection = Connection::open();
    let commit = connection.commit(&full("s1", &[put("a", 1), bad("x"), bad("y"), put("b", 1)]));
    assert_eq!(connection.flags(), [("a", 1), ("b", 1)]);
    assert_eq!(connection.basis(), None);
    assert_eq!(connection.held.held(), Held::Salvaged);
    assert_eq!(connection.held.availability(), crate::status::Availability::Cached);
    assert!(commit.salvaged.unwrap().message().contains('x'));
}

/// B 1.15: what an earlier salvage left does not stand in the way of the next.
#[test]
fn a_salvage_follows_a_salvage_until_a_whole_transfer_comes() {
    let mut connection = Connection::open();
    connection.commit(&full("s1", &[put("a", 1), bad("x")]));
    connection.transfer = Transfer::new(false, Limits::default(), true);
    connection.commit(&full("s1", &[put("b", 1), bad("x")]));
    assert_eq!(connection.flags(), [("b", 1)]);
    connection.transfer = Transfer::new(false, Limits::default(), true);
    connection.commit(&full("s1", &[put("c", 1)]));
    assert_eq!((connection.held.held(), connection.basis()), (Held::Whole, Some("s1")));
    connection.receive(&[intent("xfer-full")]);
    connection.refuse(bad("x"));
}

/// B 1.14, 1.15: a salvage is no base.
#[test]
fn nothing_can_refer_to_salvaged_data() {
    let mut connection = Connection::open();
    connection.commit(&full("s1", &[put("a", 1), bad("x")]));
    assert!(connection.refuse(put("b", 1)).is_missing_base());
    assert!(connection.refuse(intent("none")).is_missing_base());
    assert!(connection.refuse(transferred("s2")).is_missing_base());
}

/// B 1.15: an initialized store is better than what is left of a bad transfer.
#[test]
fn nothing_is_salvaged_before_an_initialized_store() {
    let mut connection = Connection::new(&Arc::default(), Limits::default(), false);
    connection.receive(&[intent("xfer-full"), put("a", 1)]);
    assert!(connection.refuse(bad("x")).is_undecodable());
}

/// B 1.15: an abort forgets the bad objects with the good.
#[test]
fn a_transfer_after_an_abort_is_judged_for_itself() {
    let mut connection = Connection::open();
    connection.receive(&[intent("xfer-full"), bad("x"), error()]);
    let commit = connection.commit(&full("s1", &[put("a", 1)]));
    assert_eq!((commit.salvaged, connection.basis()), (None, Some("s1")));
}

/// B 1.15: text that is not JSON and missing envelope fields are never salvaged.
#[test]
fn a_broken_envelope_is_never_salvaged() {
    let mut connection = Connection::open();
    connection.receive(&[intent("xfer-full"), put("a", 1)]);
    for data in [r#"{"kind":"flag","key":"x","object":{]}"#, r#"{"kind":"flag","object":{}}"#] {
        assert!(!connection.refuse(("put-object", data.to_owned())).is_undecodable());
    }
}

/// B 5.7, P11: FDv1 data has no selector, and takes the one that was held away.
#[test]
fn a_full_transfer_without_selector_clears_the_selector() {
    let held = holding(&["a", "b"]).held;
    let mut fdv1 = FullTransfer::new(&held, Limits::default(), true);
    fdv1.put(Kind::Flag, "a", r#"{"key":"a","version":1,"on":false}"#).unwrap();
    assert!(fdv1.put(Kind::Flag, "x", "[]").unwrap_err().is_undecodable());
    let commit = fdv1.finish().unwrap();
    assert_eq!((commit.snapshot.selector(), commit.snapshot.held()), (None, Held::Whole));
    assert_eq!(changed(&commit), ["a", "b"]);
}

/// B 1.15 for FDv1.
#[test]
fn fdv1_data_is_salvaged_while_none_is_held() {
    let mut fdv1 = FullTransfer::new(&Arc::default(), Limits::default(), true);
    fdv1.put(Kind::Segment, "s", "{}").unwrap();
    fdv1.put(Kind::Flag, "x", "[]").unwrap();
    let commit = fdv1.finish().unwrap();
    assert!(commit.salvaged.is_some() && commit.snapshot.segment("s").is_some());
}
