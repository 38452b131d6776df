//! One store after another.

use fdv2_client::store::{Kind, PersistentStore, Record, Upserted};
use fdv2_core::model::{Flag, Segment};

use super::{Contents, Database, flag, padded, record, segment, tombstone};

fn contents(store: &dyn PersistentStore) -> Contents {
    Contents::read(store).expect("the database can be read")
}

fn replace(store: &dyn PersistentStore, records: &[Record]) {
    store.replace_all(records).expect("the database can be written");
}

fn upsert(store: &dyn PersistentStore, record: &Record) -> Upserted {
    store.upsert(record).expect("the database can be written")
}

/// A store that holds a full set.
fn filled(database: &dyn Database, records: &[Record]) -> std::sync::Arc<dyn PersistentStore> {
    let store = database.open();
    replace(&*store, records);
    store
}

/// B 9.2.
pub fn a_new_database_is_empty_and_has_no_marker(database: &dyn Database) {
    let store = database.open();
    assert_eq!(store.is_initialized(), Ok(false));
    assert_eq!(store.one(Kind::Flag, "f1"), Ok(None));
    assert!(contents(&*store).texts.is_empty());
}

/// B 9.4.
pub fn what_is_written_is_read_byte_for_byte(database: &dyn Database) {
    let text = "{ \"key\":\"f1\",\n\t\"version\":5e1, \"été\":\"\\u0000 \\ud83d\\ude00 ☃ '\\\"\" }";
    let written = record::<Flag>("f1", text);
    let store = filled(database, std::slice::from_ref(&written));
    assert_eq!(contents(&*store), Contents::of(std::slice::from_ref(&written)));
    assert_eq!(store.one(Kind::Flag, "f1"), Ok(Some(text.as_bytes().to_vec())));
}

/// Also one that means something to a database.
pub fn a_key_may_be_any_text(database: &dyn Database) {
    let keys = ["", " ", "$inited", "a:b", "A", "a", "ä", "a'b\"c\\", "a\0b", "%", "☃\r\n"];
    let records: Vec<_> = keys.iter().map(|key| flag(key, 1)).collect();
    let store = filled(database, &records);
    assert_eq!(contents(&*store), Contents::of(&records));
    for (key, record) in keys.iter().zip(&records) {
        assert_eq!(store.one(Kind::Flag, key), Ok(Some(record.text().as_bytes().to_vec())));
        assert_eq!(upsert(&*store, &flag(key, 2)), Upserted::Written, "{key:?}");
    }
    let newer: Vec<_> = keys.iter().map(|key| flag(key, 2)).collect();
    assert_eq!(contents(&*store), Contents::of(&newer));
}

/// A flag and a segment may have the same key.
pub fn the_two_kinds_have_keys_of_their_own(database: &dyn Database) {
    let store = filled(database, &[segment("k", 1), flag("k", 2)]);
    assert_eq!(upsert(&*store, &segment("k", 3)), Upserted::Written);
    assert_eq!(contents(&*store), Contents::of(&[segment("k", 3), flag("k", 2)]));
}

/// What is written is shared, the marker included.
pub fn another_store_on_the_database_sees_what_was_written(database: &dyn Database) {
    let (one, other) = (database.open(), database.open());
    assert_eq!(other.is_initialized(), Ok(false));
    replace(&*one, &[flag("f1", 1)]);
    assert_eq!(contents(&*other), Contents::of(&[flag("f1", 1)]));
    assert_eq!(upsert(&*other, &flag("f1", 2)), Upserted::Written);
    assert_eq!(contents(&*one), Contents::of(&[flag("f1", 2)]));
}

/// B 9.4.
pub fn a_full_set_removes_what_it_does_not_bring(database: &dyn Database) {
    let store = filled(database, &[segment("s1", 1), flag("f1", 1), flag("f2", 1)]);
    let second = [segment("s2", 1), flag("f2", 1), flag("f3", 1)];
    replace(&*store, &second);
    assert_eq!(contents(&*store), Contents::of(&second));
}

/// B 9.4, D05.
pub fn a_full_set_may_lack_either_kind_or_both(database: &dyn Database) {
    let flags: Vec<_> = (0..5).map(|at| flag(&format!("f{at}"), 1)).collect();
    let segments: Vec<_> = (0..5).map(|at| segment(&format!("s{at}"), 1)).collect();
    let store = database.open();
    for records in [&segments[..], &flags, &[], &segments, &[]] {
        replace(&*store, records);
        assert_eq!(contents(&*store), Contents::of(records));
    }
}

/// B 9.4: a full change set ends what a version check has left.
pub fn a_full_set_may_bring_lower_versions(database: &dyn Database) {
    let store = filled(database, &[flag("f1", 9), flag("f2", 9)]);
    replace(&*store, &[flag("f1", 3)]);
    assert_eq!(contents(&*store), Contents::of(&[flag("f1", 3)]));
}

/// More than a database takes in one piece.
pub fn a_full_set_of_many_large_records_is_kept(database: &dyn Database) {
    let mut records = vec![padded::<Segment>("huge", 1, 3 << 20)];
    records.extend((0..3000).map(|at| padded::<Flag>(&format!("f{at}"), 1, 2000)));
    let store = filled(database, &records);
    assert!(contents(&*store) == Contents::of(&records), "not what was written");
}

/// B 9.4.
pub fn a_newer_version_replaces_an_older_one_and_nothing_else(database: &dyn Database) {
    let store = filled(database, &[segment("s1", 5), flag("f1", 5), flag("f2", 5)]);
    assert_eq!(upsert(&*store, &flag("f1", 6)), Upserted::Written);
    assert_eq!(upsert(&*store, &flag("new", 0)), Upserted::Written);
    let expected = [segment("s1", 5), flag("f1", 6), flag("f2", 5), flag("new", 0)];
    assert_eq!(contents(&*store), Contents::of(&expected));
}

/// B 9.4.
pub fn an_equal_or_older_version_changes_nothing(database: &dyn Database) {
    let store = filled(database, &[segment("s1", 5), flag("f1", 5)]);
    for late in [padded::<Flag>("f1", 5, 9), flag("f1", 4), tombstone("f1", 5), segment("s1", 0)] {
        assert_eq!(upsert(&*store, &late), Upserted::NotNewer);
    }
    assert_eq!(contents(&*store), Contents::of(&[segment("s1", 5), flag("f1", 5)]));
}

/// B 9.4, D04, D09.
pub fn a_tombstone_is_kept_and_not_revived(database: &dyn Database) {
    let store = filled(database, &[flag("f1", 200), tombstone("f2", 7)]);
    assert_eq!(upsert(&*store, &tombstone("f1", 201)), Upserted::Written);
    assert_eq!(upsert(&*store, &flag("f1", 200)), Upserted::NotNewer);
    assert_eq!(upsert(&*store, &flag("f2", 7)), Upserted::NotNewer);
    assert_eq!(contents(&*store), Contents::of(&[tombstone("f1", 201), tombstone("f2", 7)]));
    assert_eq!(upsert(&*store, &flag("f1", 202)), Upserted::Written);
}

/// B 9.4, D02: one record alone would pass for all.
pub fn a_record_without_a_marker_is_not_written(database: &dyn Database) {
    let store = database.open();
    assert_eq!(upsert(&*store, &flag("f1", 1)), Upserted::NotInitialized);
    assert!(contents(&*store).texts.is_empty());
    replace(&*store, &[]);
    assert_eq!(upsert(&*store, &flag("f1", 1)), Upserted::Written);
}

/// B 9.4: as whole numbers of 64 bits.
pub fn versions_far_beyond_floating_point_are_told_apart(database: &dyn Database) {
    let large = 1 << 60;
    let store = filled(database, &[flag("f1", large)]);
    assert_eq!(upsert(&*store, &flag("f1", large)), Upserted::NotNewer);
    assert_eq!(upsert(&*store, &flag("f1", large + 1)), Upserted::Written);
    assert_eq!(upsert(&*store, &flag("f1", large)), Upserted::NotNewer);
}

/// B 9.10.
pub fn a_probe_of_a_good_database_succeeds(database: &dyn Database) {
    let store = database.open();
    assert_eq!(store.probe(), Ok(()));
    replace(&*store, &[]);
    assert_eq!(store.probe(), Ok(()));
    store.close();
}
