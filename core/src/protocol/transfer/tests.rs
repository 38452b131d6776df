use super::*;
use crate::protocol::event::decode;

/// A connection that is fed as in `cases.md`, and what is held meanwhile.
struct Connection {
    transfer: Transfer,
    held: Arc<Snapshot>,
}

impl Connection {
    fn new(held: &Arc<Snapshot>, limits: Limits, may_salvage: bool) -> Self {
        let transfer = Transfer::new(held.selector().is_some(), limits, may_salvage);
        Self { transfer, held: held.clone() }
    }

    fn open() -> Self {
        Self::new(&Arc::default(), Limits::default(), true)
    }

    fn try_receive(&mut self, event: &(&str, String)) -> Result<Step, InvalidData> {
        let event = decode(event.0, &event.1, &self.transfer.limits)?;
        let step = self.transfer.on_event(&self.held, event)?;
        if let Step::Completed(commit) = &step {
            self.held = commit.snapshot.clone();
        }
        Ok(step)
    }

    /// Receives all of `events` and gives the last step.
    #[track_caller]
    fn receive(&mut self, events: &[(&str, String)]) -> Step {
        let steps = events.iter().map(|event| self.try_receive(event).unwrap());
        steps.last().unwrap()
    }

    #[track_caller]
    fn commit(&mut self, events: &[(&str, String)]) -> Commit {
        match self.receive(events) {
            Step::Completed(commit) => commit,
            step => panic!("not completed: {step:?}"),
        }
    }

    #[track_caller]
    fn refuse(&mut self, event: (&str, String)) -> InvalidData {
        let before = self.held.clone();
        let error = self.try_receive(&event).unwrap_err();
        assert_eq!(self.held, before);
        error
    }

    /// The flags that readers see, with their versions.
    fn flags(&self) -> Vec<(&str, u64)> {
        self.held.flags().map(|flag| (&**flag.key(), flag.version())).collect()
    }

    fn basis(&self) -> Option<&str> {
        self.held.selector().map(Selector::state)
    }
}

fn intent(code: &str) -> (&'static str, String) {
    ("server-intent", format!(r#"{{"payloads":[{{"id":"p1","intentCode":"{code}"}}]}}"#))
}

fn put_text(key: &str, version: u64, object: &str) -> (&'static str, String) {
    let data = format!(r#"{{"version":{version},"kind":"flag","key":"{key}","object":{object}}}"#);
    ("put-object", data)
}

fn put(key: &str, version: u64) -> (&'static str, String) {
    put_text(key, 1, &format!(r#"{{"key":"{key}","version":{version},"on":true}}"#))
}

fn bad(key: &str) -> (&'static str, String) {
    put_text(key, 1, r#"{"on":"yes"}"#)
}

fn delete(key: &str, version: u64) -> (&'static str, String) {
    ("delete-object", format!(r#"{{"version":{version},"kind":"flag","key":"{key}"}}"#))
}

fn transferred(state: &str) -> (&'static str, String) {
    ("payload-transferred", format!(r#"{{"state":"{state}","version":1}}"#))
}

fn error() -> (&'static str, String) {
    ("error", r#"{"payloadId":"p1","reason":"oops"}"#.to_owned())
}

fn goodbye() -> (&'static str, String) {
    ("goodbye", r#"{"reason":"rotate"}"#.to_owned())
}

fn full(state: &str, puts: &[(&'static str, String)]) -> Vec<(&'static str, String)> {
    [&[intent("xfer-full")], puts, &[transferred(state)]].concat()
}

fn holding(keys: &[&str]) -> Connection {
    let mut connection = Connection::open();
    let puts: Vec<_> = keys.iter().map(|key| put(key, 1)).collect();
    connection.commit(&full("s1", &puts));
    connection
}

fn changed(commit: &Commit) -> Vec<&str> {
    let keys = commit.changes.as_ref().map_or(&[][..], |changes| changes.keys());
    keys.iter().map(|key| &**key).collect()
}

/// B 1.2.
#[test]
fn nothing_is_visible_before_the_transfer_completes() {
    let mut connection = Connection::open();
    connection.receive(&[intent("xfer-full"), put("a", 1), put("b", 2)]);
    assert!(connection.transfer.is_open());
    assert!(!connection.held.is_held());
    let commit = connection.commit(&[transferred("s1")]);
    assert_eq!(connection.flags(), [("a", 1), ("b", 2)]);
    assert_eq!(connection.basis(), Some("s1"));
    assert_eq!(changed(&commit), ["a", "b"]);
    assert!(!connection.transfer.is_open());
}

/// B 1.1: a warning once a client is the caller's.
#[test]
fn more_payloads_are_told_of() {
    let mut connection = Connection::open();
    let data = r#"{"payloads":[{"intentCode":"xfer-full"},{"intentCode":"none"}]}"#;
    let step = connection.receive(&[("server-intent", data.to_owned())]);
    assert_eq!(step, Step::Opened { extra_payloads: true, garbage: Garbage::default() });
}

/// B 1.1, P04.
#[test]
fn a_full_transfer_replaces_everything_whatever_the_versions() {
    let mut connection = Connection::open();
    connection.commit(&full("s1", &[put("f1", 100), put("f2", 100)]));
    let commit = connection.commit(&full("s1", &[put("f1", 3)]));
    assert_eq!(connection.flags(), [("f1", 3)]);
    assert_eq!(changed(&commit), ["f1", "f2"]);
    connection.commit(&[intent("xfer-changes"), put("f1", 2), transferred("s2")]);
    assert_eq!(connection.flags(), [("f1", 2)]);
}

/// B 1.1: an empty full transfer wipes everything, and data is held from then on.
#[test]
fn an_empty_full_transfer_counts() {
    let mut connection = Connection::open();
    let commit = connection.commit(&full("s1", &[]));
    assert!(connection.held.is_held());
    assert_eq!(commit.changes, None);
    connection.commit(&full("s2", &[put("a", 1)]));
    assert_eq!(changed(&connection.commit(&full("s3", &[]))), ["a"]);
    assert!(connection.flags().is_empty());
}

/// B 1.3, P12.
#[test]
fn changes_need_no_new_intent_after_a_transfer_and_after_none() {
    let mut connection = holding(&["f1", "f2"]);
    connection.receive(&[put("f1", 2)]);
    assert!(connection.transfer.is_open());
    let commit = connection.commit(&[transferred("s2")]);
    assert_eq!(connection.flags(), [("f1", 2), ("f2", 1)]);
    assert_eq!((changed(&commit), connection.basis()), (vec!["f1"], Some("s2")));

    let mut again = Connection::new(&connection.held, Limits::default(), true);
    let step = again.receive(&[intent("none")]);
    assert!(matches!(step, Step::Unchanged { extra_payloads: false, .. }));
    assert!(!again.transfer.is_open());
    again.commit(&[put("f2", 3), transferred("s3")]);
    assert_eq!((again.flags(), again.basis()), (vec![("f1", 2), ("f2", 3)], Some("s3")));
}

/// B 1.3.
#[test]
fn a_transfer_without_anything_moves_the_selector_alone() {
    let mut connection = holding(&["a"]);
    for events in [vec![transferred("s2")], vec![intent("xfer-changes"), transferred("s2")]] {
        let commit = connection.commit(&events);
        assert_eq!((commit.changes, connection.basis()), (None, Some("s2")));
        assert_eq!(connection.flags(), [("a", 1)]);
    }
}

/// B 1.4.
#[test]
fn puts_and_deletes_before_the_first_intent_are_ignored() {
    let mut connection = Connection::open();
    for event in [put("a", 1), delete("a", 1)] {
        assert_eq!(connection.receive(&[event]), Step::Ignored(Ignored::BeforeIntent));
    }
    assert!(!connection.transfer.is_open());
    connection.refuse(transferred("s1"));
}

/// B 1.4.
#[test]
fn a_new_intent_discards_what_an_unfinished_transfer_had_collected() {
    let mut connection = holding(&["a"]);
    connection.receive(&[intent("xfer-changes"), put("b", 1)]);
    let Step::Opened { garbage, .. } = connection.receive(&[intent("xfer-changes")]) else {
        panic!("not opened");
    };
    assert!(!garbage.is_empty());
    connection.commit(&[put("c", 1), transferred("s2")]);
    assert_eq!(connection.flags(), [("a", 1), ("c", 1)]);

    connection.receive(&[intent("xfer-full"), put("d", 1), intent("none")]);
    connection.commit(&[transferred("s3")]);
    assert_eq!(connection.flags(), [("a", 1), ("c", 1)]);
}

/// B 1.5, P02.
#[test]
fn an_error_discards_what_was_collected_and_nothing_else() {
    for code in ["xfer-changes", "xfer-full"] {
        let mut connection = holding(&["f1", "f2"]);
        let step = connection.receive(&[intent(code), put("f1", 2), error()]);
        let Step::Aborted { reason, garbage } = step else { panic!("not aborted") };
        assert_eq!((&*reason, garbage.is_empty()), ("oops", false));
        assert!(!connection.transfer.is_open());
        connection.commit(&[put("f2", 2), transferred("s2")]);
        assert_eq!(connection.flags(), [("f1", 1), ("f2", 2)], "{code}");
        assert_eq!(connection.basis(), Some("s2"));
    }
}

/// B 1.5.
#[test]
fn a_transfer_without_anything_after_an_error_is_ignored() {
    let mut connection = holding(&["a"]);
    let step = connection.receive(&[put("b", 1), error(), transferred("s2")]);
    assert_eq!(step, Step::Ignored(Ignored::AfterError));
    assert_eq!((connection.flags(), connection.basis()), (vec![("a", 1)], Some("s1")));
    connection.commit(&full("s3", &[put("c", 1)]));
    assert_eq!((connection.flags(), connection.basis()), (vec![("c", 1)], Some("s3")));
}

/// B 1.4, 1.5: an error before the first intent aborts nothing and is no intent.
#[test]
fn an_error_before_the_first_intent_opens_nothing() {
    let mut connection = Connection::open();
    let aborted = Step::Aborted { reason: "oops".into(), garbage: Garbage::default() };
    assert_eq!(connection.receive(&[error()]), aborted);
    assert_eq!(connection.receive(&[put("a", 1)]), Step::Ignored(Ignored::BeforeIntent));
    connection.refuse(transferred("s1"));
}

/// B 1.5, 1.14: changes after an error need a base as any others do.
#[test]
fn changes_after_an_aborted_first_transfer_are_invalid_data() {
    let mut connection = Connection::open();
    connection.receive(&[intent("xfer-full"), put("a", 1), error()]);
    assert!(connection.refuse(put("b", 1)).is_missing_base());
    assert!(connection.refuse(delete("b", 1)).is_missing_base());
}

/// B 1.6, P10.
#[test]
fn a_goodbye_leaves_what_was_collected_to_be_abandoned() {
    let mut connection = holding(&["a"]);
    let step = connection.receive(&[put("b", 1), goodbye()]);
    assert_eq!(step, Step::Goodbye { reason: "rotate".into(), directive: None });
    assert!(!connection.transfer.abandon().is_empty());
    assert_eq!(connection.held.flags().count(), 1);
}

/// B 1.7, P06.
#[test]
fn what_is_unknown_changes_nothing_inside_a_transfer() {
    let mut connection = Connection::open();
    let unknown = [
        ("brand-new", "not json {{{".to_owned()),
        ("heart-beat", String::new()),
        ("put-object", r#"{"kind":"experiment","object":[1,2]}"#.to_owned()),
        ("delete-object", r#"{"kind":"experiment"}"#.to_owned()),
    ];
    connection.receive(&[intent("xfer-full"), put("a", 1)]);
    for event in unknown {
        let before = connection.transfer.clone();
        assert!(matches!(connection.receive(&[event]), Step::Ignored(_)));
        assert_eq!(connection.transfer, before);
    }
    connection.commit(&[put("b", 1), transferred("s1")]);
    assert_eq!(connection.flags(), [("a", 1), ("b", 1)]);
}

/// B 1.8, P03.
#[test]
fn the_version_is_the_objects_own_and_the_key_the_envelopes() {
    let mut connection = Connection::open();
    let puts = [
        put_text("f1", 42, r#"{"key":"f1","on":true}"#),
        put_text("f2", 42, r#"{"key":"f2","version":7}"#),
        put_text("f3", 42, r#"{"key":"other","version":1.0}"#),
    ];
    connection.commit(&full("s1", &puts));
    assert_eq!(connection.flags(), [("f1", 42), ("f2", 7), ("f3", 1)]);
    assert!(connection.held.flag("other").is_none());
}

/// B 1.8.
#[test]
fn an_object_that_says_deleted_is_a_deletion() {
    let mut connection = holding(&["a", "b"]);
    let deletion = put_text("a", 9, r#"{"key":"a","version":5,"deleted":true}"#);
    let commit = connection.commit(&[deletion.clone(), transferred("s2")]);
    assert_eq!((connection.flags(), changed(&commit)), (vec![("b", 1)], vec!["a"]));
    assert_eq!(connection.held.flag_slots().look_up("a").unwrap().version(), 5);
    connection.commit(&full("s3", &[put("a", 1), deletion]));
    assert!(connection.flags().is_empty());
}

/// B 1.14.
#[test]
fn none_and_changes_without_a_base_are_invalid_data() {
    for code in ["none", "xfer-changes"] {
        let mut nothing_held = Connection::open();
        assert!(nothing_held.refuse(intent(code)).is_missing_base());

        let held = holding(&["a"]).held;
        let mut no_basis = Connection::new(&held, Limits::default(), true);
        no_basis.transfer.has_base = false;
        assert!(no_basis.refuse(intent(code)).is_missing_base());

        let mut nothing_but_basis = Connection::open();
        nothing_but_basis.transfer.has_base = true;
        assert!(nothing_but_basis.refuse(intent(code)).is_missing_base());
    }
}

/// B 1.14: a transfer that completed on this connection is a base.
#[test]
fn a_completed_transfer_is_a_base() {
    let mut connection = holding(&["a"]);
    assert!(matches!(connection.receive(&[intent("none")]), Step::Unchanged { .. }));
    assert!(matches!(connection.receive(&[intent("xfer-changes")]), Step::Opened { .. }));
}

/// B 2.3.
#[test]
fn two_full_transfers_with_the_same_selector_are_both_applied() {
    let mut connection = holding(&["a"]);
    connection.commit(&full("s1", &[put("b", 1)]));
    assert_eq!(connection.flags(), [("b", 1)]);
}

mod limits;
mod salvage;
