//! B 1.13: how much a transfer may bring, and how much may be held.

use super::*;

fn text_of(key: &str, fill: usize) -> String {
    format!(r#"{{"key":"{key}","version":1,"salt":"{}"}}"#, "x".repeat(fill))
}

fn limited(limits: Limits) -> Connection {
    Connection::new(&Arc::default(), limits, true)
}

#[test]
fn a_transfer_of_exactly_its_limit_of_objects_is_taken_and_one_more_is_not() {
    let mut connection = limited(Limits { transfer_objects: 2, ..Limits::default() });
    connection.commit(&full("s1", &[put("a", 1), put("a", 2)]));
    connection.commit(&[put("a", 1), delete("a", 2), transferred("s2")]);
    connection.receive(&[put("a", 1), delete("a", 2)]);
    assert!(connection.refuse(delete("a", 3)).is_limit());
}

#[test]
fn a_transfer_of_exactly_its_limit_of_bytes_is_taken_and_one_more_is_not() {
    let text = text_of("a", 0);
    let limits = Limits { transfer_bytes: text.len() + 1, ..Limits::default() };
    let mut connection = limited(limits);
    connection.commit(&full("s1", &[put_text("a", 1, &text)]));
    connection.receive(&[intent("xfer-full")]);
    assert!(connection.refuse(put_text("a", 1, &text_of("a", 1))).is_limit());
}

/// What is skipped is not held, and does not count; what is undecodable counts.
#[test]
fn an_undecodable_object_counts_towards_the_transfer() {
    let mut connection = limited(Limits { transfer_objects: 2, ..Limits::default() });
    connection.receive(&[intent("xfer-full"), bad("x"), bad("y")]);
    let unknown = ("put-object", r#"{"kind":"experiment","key":"k","object":{}}"#.to_owned());
    connection.receive(&[unknown]);
    assert!(connection.refuse(bad("z")).is_limit());
}

#[test]
fn the_text_held_counts_replacements_and_deletions_exactly() {
    let limits = Limits { held_bytes: 2 * text_of("a", 10).len(), ..Limits::default() };
    let mut connection = limited(limits);
    let fill = |key: &str, fill| put_text(key, 1, &text_of(key, fill));
    connection.commit(&full("s1", &[fill("a", 10), fill("b", 10)]));
    assert_eq!(connection.held.text_bytes(), limits.held_bytes);

    connection.commit(&[fill("a", 11), fill("b", 9), transferred("s2")]);
    assert_eq!(connection.held.text_bytes(), limits.held_bytes);

    connection.receive(&[fill("b", 10)]);
    assert!(connection.refuse(transferred("s3")).is_limit());
    assert!(!connection.transfer.clone().abandon().is_empty());

    // What a deletion leaves counts with its key.
    connection.transfer = Transfer::new(true, limits, true);
    let events = [intent("xfer-changes"), delete("a", 2), fill("b", 20), transferred("s3")];
    connection.commit(&events);
    assert_eq!(connection.held.text_bytes(), "a".len() + text_of("b", 20).len());
    connection.commit(&full("s4", &[]));
    assert_eq!(connection.held.text_bytes(), 0);
}

#[test]
fn the_objects_held_count_what_deletions_left() {
    let mut connection = limited(Limits { held_objects: 2, ..Limits::default() });
    connection.commit(&full("s1", &[put("a", 1), put("b", 1)]));
    connection.commit(&[delete("a", 2), transferred("s2")]);
    connection.receive(&[delete("c", 2)]);
    assert!(connection.refuse(transferred("s3")).is_limit());
    connection.transfer =
        Transfer::new(true, Limits { held_objects: 2, ..Limits::default() }, true);
    connection.commit(&full("s4", &[put("c", 1), put("d", 1)]));
    assert_eq!(connection.flags(), [("c", 1), ("d", 1)]);
}

/// B 1.15: limits are never salvaged.
#[test]
fn going_over_a_limit_is_never_salvaged() {
    let mut connection = limited(Limits { held_objects: 1, ..Limits::default() });
    connection.receive(&[intent("xfer-full"), put("a", 1), put("b", 1), bad("x")]);
    assert!(connection.refuse(transferred("s1")).is_limit());
}

#[test]
fn fdv1_data_has_the_same_limits() {
    let limits = Limits { transfer_objects: 2, held_objects: 1, ..Limits::default() };
    let mut fdv1 = FullTransfer::new(&Arc::default(), limits, true);
    fdv1.put(Kind::Flag, "a", "{}").unwrap();
    fdv1.put(Kind::Segment, "a", "{}").unwrap();
    assert!(fdv1.clone().put(Kind::Flag, "b", "{}").unwrap_err().is_limit());
    let rejected = fdv1.finish().unwrap_err();
    assert!(rejected.error.is_limit() && !rejected.garbage.is_empty());
}
