use std::fs;

use tempfile::TempDir;

use super::*;
use crate::notice::Notices;

/// A directory of this test's own, removed at its end.
struct Dir(TempDir);

impl Dir {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        path
    }
}

/// A feed that is stepped by hand.
struct Stepped {
    feed: Feed,
    notices: Notices,
}

fn start(path: PathBuf) -> Result<Stepped, FileError> {
    let board = Board::new();
    let notices = board.subscribe();
    Feed::start(path, Duration::ZERO, "run", board).map(|feed| Stepped { feed, notices })
}

impl Stepped {
    /// Looks twice, as a fault counts at the second look, and returns what was told.
    fn look(&mut self) -> Vec<Notice> {
        self.feed.step();
        self.feed.step();
        std::iter::from_fn(|| self.notices.try_next()).collect()
    }

    fn value_of_a(&self) -> String {
        let content = self.feed.subscribe().borrow().clone();
        let object = content.entries().first().and_then(|entry| entry.object()).unwrap().clone();
        let flag: serde_json::Value = serde_json::from_str(&object).unwrap();
        flag["variations"][0].to_string()
    }
}

const ONE: &str = r#"{"flagValues":{"a":1}}"#;
const TWO: &str = r#"{"flagValues":{"a":2}}"#;

#[test]
fn an_edit_is_served_and_told_of() {
    let dir = Dir::new();
    let mut stepped = start(dir.write("flags.json", ONE)).unwrap();
    assert_eq!(stepped.look(), []);
    dir.write("flags.json", TWO);
    assert_eq!(stepped.look(), [Notice::Edited { keys: vec!["a".into()] }]);
    assert_eq!(stepped.value_of_a(), "2");
    assert_eq!(stepped.look(), []);
}

#[test]
fn an_edit_that_changes_nothing_is_not_told_of() {
    let dir = Dir::new();
    let mut stepped = start(dir.write("flags.json", r#"{"flags":{"a":{"x":1,"y":2}}}"#)).unwrap();
    dir.write("flags.json", r#"{"flags":{"a":{"y":2,"x":1}}}"#);
    assert_eq!(stepped.look(), []);
}

#[test]
fn a_file_that_breaks_is_told_of_once_and_changes_nothing() {
    let dir = Dir::new();
    let path = dir.write("flags.json", ONE);
    let mut stepped = start(path.clone()).unwrap();
    dir.write("flags.json", TWO.get(..9).unwrap());
    let told = stepped.look();
    let [Notice::Broken(error)] = &told[..] else { panic!("{told:?}") };
    let expected = format!("{}:1:9: not valid JSON: EOF while parsing", path.display());
    assert!(error.to_string().starts_with(&expected), "{error}");
    assert_eq!(stepped.look(), []);
    assert_eq!(stepped.value_of_a(), "1");
}

#[test]
fn a_file_that_is_mended_to_what_is_served_says_so() {
    let dir = Dir::new();
    let path = dir.write("flags.json", ONE);
    let mut stepped = start(path.clone()).unwrap();
    fs::remove_file(&path).unwrap();
    let told = stepped.look();
    assert!(matches!(&told[..], [Notice::Broken(_)]), "{told:?}");
    dir.write("flags.json", ONE);
    assert_eq!(stepped.look(), [Notice::Mended]);
}

#[test]
fn a_file_in_yaml_is_served_as_well() {
    let dir = Dir::new();
    let mut stepped = start(dir.write("flags.yaml", "flagValues:\n  a: 1\n")).unwrap();
    assert_eq!(stepped.value_of_a(), "1");
    dir.write("flags.yaml", "flagValues:\n  a: 2\n");
    assert_eq!(stepped.look(), [Notice::Edited { keys: vec!["a".into()] }]);
    assert_eq!(stepped.value_of_a(), "2");
}

#[test]
fn a_directory_or_no_file_at_the_start_is_an_error() {
    let dir = Dir::new();
    let fault = |path: PathBuf| start(path).err().unwrap().message;
    assert_eq!(fault(dir.0.path().to_owned()), "the file cannot be read: this is not a file");
    assert_eq!(fault(dir.path("none.json")), "there is no such file");
}
