use std::fs;
use std::path::Path;

use super::*;
use crate::notice::Notices;

/// A directory of this test's own, removed at its end.
struct Dir(PathBuf);

impl Dir {
    fn new(name: &str) -> Self {
        let dir = std::env::temp_dir().join(format!("fdv2-{}-{name}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        Self(dir)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A watcher that is stepped by hand.
struct Stepped {
    watcher: Watcher,
    notices: Notices,
}

impl Stepped {
    fn start(path: &Path) -> Self {
        let board = Board::new();
        let notices = board.subscribe();
        let watcher = Watcher::start(path.to_owned(), "run", board).expect("a good file");
        Self { watcher, notices }
    }

    /// Looks twice, as a fault is told at the second look, and returns what was told.
    fn look(&mut self) -> Vec<Notice> {
        self.watcher.step();
        self.watcher.step();
        std::iter::from_fn(|| self.notices.try_next()).collect()
    }

    fn value_of_a(&self) -> String {
        let content = self.watcher.subscribe().borrow().clone();
        let object = content.entries().first().and_then(|entry| entry.object()).unwrap().clone();
        let flag: serde_json::Value = serde_json::from_str(&object).unwrap();
        flag["variations"][0].to_string()
    }
}

fn edited() -> Vec<Notice> {
    vec![Notice::Edited { keys: vec!["a".into()] }]
}

const ONE: &str = r#"{"flagValues":{"a":1}}"#;
const TWO: &str = r#"{"flagValues":{"a":2}}"#;

#[test]
fn an_edit_of_the_same_size_in_the_same_moment_is_seen() {
    let dir = Dir::new("edit");
    let mut stepped = Stepped::start(&dir.write("flags.json", ONE));
    assert_eq!(stepped.look(), []);
    dir.write("flags.json", TWO);
    assert_eq!(stepped.look(), edited());
    assert_eq!(stepped.value_of_a(), "2");
    assert_eq!(stepped.look(), []);
}

#[test]
fn a_half_written_file_changes_nothing_and_is_told_once() {
    let dir = Dir::new("half");
    let path = dir.write("flags.json", ONE);
    let mut stepped = Stepped::start(&path);
    dir.write("flags.json", TWO.get(..9).unwrap());
    let told = stepped.look();
    let [Notice::Broken(error)] = &told[..] else { panic!("{told:?}") };
    let expected = format!("{}:1:9: not valid JSON: EOF while parsing", path.display());
    assert!(error.to_string().starts_with(&expected), "{error}");
    assert_eq!(stepped.look(), []);
    assert_eq!(stepped.value_of_a(), "1");
    dir.write("flags.json", TWO);
    assert_eq!(stepped.look(), edited());
}

#[test]
fn a_fault_that_is_gone_at_the_next_look_is_not_told() {
    let dir = Dir::new("brief");
    let mut stepped = Stepped::start(&dir.write("flags.json", ONE));
    dir.write("flags.json", "");
    stepped.watcher.step();
    dir.write("flags.json", TWO);
    assert_eq!(stepped.look(), edited());
}

#[test]
fn a_file_that_is_mended_to_what_is_served_says_so() {
    let dir = Dir::new("mended");
    let path = dir.write("flags.json", ONE);
    let mut stepped = Stepped::start(&path);
    fs::remove_file(&path).unwrap();
    let told = stepped.look();
    assert!(matches!(&told[..], [Notice::Broken(_)]), "{told:?}");
    dir.write("flags.json", ONE);
    assert_eq!(stepped.look(), [Notice::Mended]);
}

#[test]
fn an_atomic_rename_is_an_edit() {
    let dir = Dir::new("rename");
    let path = dir.write("flags.json", ONE);
    let mut stepped = Stepped::start(&path);
    fs::rename(dir.write("new.json", TWO), &path).unwrap();
    assert_eq!(stepped.look(), edited());
    assert_eq!(stepped.value_of_a(), "2");
}

#[cfg(unix)]
#[test]
fn a_swapped_symbolic_link_is_an_edit() {
    let dir = Dir::new("link");
    let (one, two) = (dir.write("one.json", ONE), dir.write("two.json", TWO));
    let link = dir.path("flags.json");
    std::os::unix::fs::symlink(one, &link).unwrap();
    let mut stepped = Stepped::start(&link);
    let swap = dir.path("swap.json");
    std::os::unix::fs::symlink(two, &swap).unwrap();
    fs::rename(swap, &link).unwrap();
    assert_eq!(stepped.look(), edited());
    assert_eq!(stepped.value_of_a(), "2");
}

#[test]
fn a_directory_or_no_file_at_the_start_is_an_error() {
    let dir = Dir::new("missing");
    let start = |path: PathBuf| Watcher::start(path, "run", Board::new()).err().unwrap().message;
    assert_eq!(start(dir.0.clone()), "the file cannot be read: this is not a file");
    assert_eq!(start(dir.path("none.json")), "there is no such file");
}
