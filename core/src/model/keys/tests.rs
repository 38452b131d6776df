use std::collections::BTreeSet;

use super::{KeyList, KeySet, hash};

fn set<'a>(keys: impl IntoIterator<Item = &'a String>) -> KeySet {
    let mut list = KeyList::default();
    for key in keys {
        assert!(list.push(key).is_ok());
    }
    list.into_set()
}

/// So many keys that several pairs of them have one hash.
#[test]
fn every_key_is_found_and_no_other() {
    let keys: Vec<_> = (0..200_000).map(|number| format!("key-{number}")).collect();
    let distinct: BTreeSet<_> = keys.iter().map(|key| hash(key)).collect();
    assert!(distinct.len() < keys.len());
    let set = set(&keys);
    for key in &keys {
        assert!(set.contains(key, hash(key)) && set.contains_text(key), "{key}");
        let other = format!("{key}!");
        assert!(!set.contains(&other, hash(&other)), "{other}");
    }
}

/// Keys of one hash are told apart by their text, whatever their number.
#[test]
fn a_key_of_the_same_hash_is_another_key() {
    let keys: Vec<_> = (0..100).map(|number| number.to_string()).collect();
    let set = set(&keys);
    assert!(keys.iter().all(|key| !set.contains("no such key", hash(key))));
}

#[test]
fn a_set_of_any_size_is_searched() {
    for size in 0..20 {
        let keys: Vec<_> = (0..size).map(|number| "x".repeat(number)).collect();
        let set = set(keys.iter().chain(&keys));
        assert_eq!(set.is_empty(), size == 0);
        for length in 0..25 {
            let key = "x".repeat(length);
            assert_eq!(set.contains_text(&key), length < size);
            assert_eq!(set.contains(&key, hash(&key)), length < size);
        }
    }
}

/// The order of hashes shows nowhere, not even for debugging.
#[test]
fn keys_are_shown_in_the_order_of_their_text() {
    let keys = ["c", "a", "é", "b"].map(str::to_owned);
    assert_eq!(format!("{:?}", set(&keys)), r#"{"a", "b", "c", "é"}"#);
    let backwards: Vec<_> = keys.iter().rev().cloned().collect();
    assert_eq!(set(&keys), set(&backwards));
}
