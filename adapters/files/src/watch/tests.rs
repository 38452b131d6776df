use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use super::*;

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

fn watch<const N: usize>(paths: [PathBuf; N]) -> Watcher {
    Watcher::new(paths, DuplicateKeys::Fail)
}

/// What a state says: the load's number and its items, or the fault.
fn told(state: Option<&State>) -> Option<String> {
    state.map(|state| match state {
        State::Good(load) => {
            let items = load.items.iter().map(|item| format!("{}={}", item.id.key, item.source));
            format!("{} {}", load.number, items.collect::<Vec<_>>().join(" "))
        }
        State::Broken(error) => {
            let name = error.file.file_name().unwrap().to_str().unwrap();
            let place = error.position.map(|position| format!(":{position}")).unwrap_or_default();
            format!("{name}{place}: {}", error.message)
        }
    })
}

fn look(watcher: &mut Watcher) -> Option<String> {
    told(watcher.look())
}

/// The flags of a state as `key=value`, each with a value for everybody.
fn values(state: Option<&State>) -> String {
    let Some(State::Good(load)) = state else { return format!("{state:?}") };
    let value = |item: &FileItem| {
        let flag: serde_json::Value = serde_json::from_str(&item.source).unwrap();
        format!("{}={}", item.id.key, flag["variations"][0])
    };
    load.items.iter().map(value).collect::<Vec<_>>().join(" ")
}

const ONE: &str = r#"{"flagValues":{"a":1}}"#;
const TWO: &str = r#"{"flagValues":{"a":2}}"#;

#[test]
fn an_edit_of_the_same_size_in_the_same_moment_is_seen() {
    let dir = Dir::new();
    let mut watcher = watch([dir.write("flags.json", ONE)]);
    assert_eq!(values(watcher.look()), "a=1");
    assert_eq!(look(&mut watcher), None);
    dir.write("flags.json", TWO);
    assert_eq!(values(watcher.look()), "a=2");
    assert_eq!(look(&mut watcher), None);
}

/// Case M10, B 4.6: truncated, then written in two steps.
#[test]
fn a_half_written_file_changes_nothing() {
    let dir = Dir::new();
    let mut watcher = watch([dir.write("flags.json", ONE)]);
    watcher.look();
    for length in 0..TWO.len() {
        dir.write("flags.json", TWO.get(..length).unwrap());
        let news = look(&mut watcher);
        assert!(news.is_none_or(|news| news.starts_with("flags.json")), "{length}");
    }
    dir.write("flags.json", TWO);
    assert_eq!(values(watcher.look()), "a=2");
}

#[test]
fn a_fault_counts_when_the_next_look_finds_one_too() {
    let dir = Dir::new();
    let mut watcher = watch([dir.write("flags.json", ONE)]);
    watcher.look();
    dir.write("flags.json", "");
    assert_eq!(look(&mut watcher), None);
    assert_eq!(look(&mut watcher).unwrap(), "flags.json: the file is empty");
    assert_eq!(look(&mut watcher), None);
    dir.write("flags.json", "{");
    let fault = "flags.json:1:1: not valid JSON: EOF while parsing an object";
    assert_eq!(look(&mut watcher).unwrap(), fault);
    dir.write("flags.json", ONE);
    assert!(look(&mut watcher).unwrap().starts_with("1 a="), "the load from before");

    dir.write("flags.json", "");
    assert_eq!(look(&mut watcher), None);
    dir.write("flags.json", TWO);
    assert!(look(&mut watcher).unwrap().starts_with("2 a="));
}

/// A part of a YAML file is often good YAML.
#[test]
fn a_young_yaml_file_has_to_say_the_same_twice() {
    let dir = Dir::new();
    let text = "flagValues:\n  a: 1\n  b: 1\n";
    let mut watcher = watch([dir.write("flags.yaml", text)]);
    assert_eq!(look(&mut watcher), None);
    assert_eq!(values(watcher.look()), "a=1 b=1");
    dir.write("flags.yaml", "flagValues:\n  a: 2\n");
    assert_eq!(look(&mut watcher), None);
    dir.write("flags.yaml", "flagValues:\n  a: 2\n  b: 2\n");
    assert_eq!(look(&mut watcher), None);
    assert_eq!(values(watcher.look()), "a=2 b=2");
    assert_eq!(look(&mut watcher), None);
}

#[test]
fn a_yaml_file_that_never_comes_to_rest_is_a_fault() {
    let dir = Dir::new();
    let path = dir.path("flags.yaml");
    let mut watcher = watch([path]);
    let mut news = Vec::new();
    for number in 0..5 {
        dir.write("flags.yaml", &format!("flagValues:\n  a: {number}\n"));
        news.extend(look(&mut watcher));
    }
    assert_eq!(news, ["flags.yaml: it keeps changing"]);
    watcher.look();
    assert_eq!(values(watcher.state()), "a=4");
}

#[test]
fn an_old_yaml_file_is_read_at_once() {
    let dir = Dir::new();
    let path = dir.write("flags.yaml", "flagValues: {a: 1}");
    let an_hour_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(an_hour_ago).unwrap();
    assert_eq!(values(watch([path]).look()), "a=1");
}

#[test]
fn an_atomic_rename_is_an_edit() {
    let dir = Dir::new();
    let path = dir.write("flags.json", ONE);
    let mut watcher = watch([path.clone()]);
    watcher.look();
    fs::rename(dir.write("new.json", TWO), &path).unwrap();
    assert_eq!(values(watcher.look()), "a=2");
}

/// As in a mounted ConfigMap: the file is a link through a directory that is a link itself.
#[cfg(unix)]
#[test]
fn a_swapped_link_to_a_directory_is_an_edit() {
    use std::os::unix::fs::symlink;

    let dir = Dir::new();
    for (name, text) in [("..1", ONE), ("..2", TWO)] {
        fs::create_dir(dir.path(name)).unwrap();
        dir.write(&format!("{name}/flags.json"), text);
    }
    symlink("..1", dir.path("..data")).unwrap();
    symlink("..data/flags.json", dir.path("flags.json")).unwrap();
    let mut watcher = watch([dir.path("flags.json")]);
    assert_eq!(values(watcher.look()), "a=1");
    symlink("..2", dir.path("..swap")).unwrap();
    fs::rename(dir.path("..swap"), dir.path("..data")).unwrap();
    fs::remove_dir_all(dir.path("..1")).unwrap();
    assert_eq!(values(watcher.look()), "a=2");
}

#[test]
fn a_file_that_vanishes_is_a_fault_until_it_is_back() {
    let dir = Dir::new();
    let path = dir.write("flags.json", ONE);
    let mut watcher = watch([path.clone()]);
    watcher.look();
    fs::remove_file(path).unwrap();
    assert_eq!(look(&mut watcher), None);
    assert_eq!(look(&mut watcher).unwrap(), "flags.json: there is no such file");
    dir.write("flags.json", ONE);
    assert!(look(&mut watcher).unwrap().starts_with("1 a="));
}

#[test]
fn a_directory_and_a_file_that_is_none_are_faults() {
    let dir = Dir::new();
    fs::create_dir(dir.path("flags.json")).unwrap();
    let mut watcher = watch([dir.path("flags.json")]);
    watcher.look();
    let fault = "flags.json: the file cannot be read: this is not a file";
    assert_eq!(look(&mut watcher).unwrap(), fault);
    let mut watcher = watch([dir.path("flags.json").join("below")]);
    watcher.look();
    assert!(look(&mut watcher).unwrap().starts_with("below: "));
}

#[test]
fn several_files_are_one_set_of_flags() {
    let dir = Dir::new();
    let more = "flagValues: {b: 1}\n";
    let mut watcher = watch([dir.write("a.json", ONE), dir.write("b.yaml", more)]);
    watcher.look();
    watcher.look();
    assert_eq!(values(watcher.state()), "a=1 b=1");
    dir.write("a.json", TWO);
    assert_eq!(values(watcher.look()), "a=2 b=1");
    fs::remove_file(dir.path("b.yaml")).unwrap();
    watcher.look();
    assert_eq!(look(&mut watcher).unwrap(), "b.yaml: there is no such file");
    dir.write("a.json", ONE);
    assert_eq!(look(&mut watcher), None, "all files count together");
    dir.write("b.yaml", "flagValues: {b: 2}\n");
    watcher.look();
    watcher.look();
    assert_eq!(values(watcher.state()), "a=1 b=2");
}

/// B 4.6.
#[test]
fn the_same_key_in_two_files_is_an_error() {
    let dir = Dir::new();
    let two = r#"{"flags": {"b": {}},
  "flagValues": {"a": 2}}"#;
    let paths = [dir.write("a.json", ONE), dir.write("b.json", two)];
    let mut watcher = watch(paths.clone());
    watcher.look();
    let fault = look(&mut watcher).unwrap();
    let first = format!("{}:1:20", paths[0].display());
    let expected = format!("b.json:2:23: there is a second flag \"a\"; the first is at {first}");
    assert_eq!(fault, expected);
    assert_eq!(look(&mut watcher), None);
    dir.write("b.json", r#"{"flagValues": {"c": 3}, "segments": {"a": {}}}"#);
    let good = look(&mut watcher).unwrap();
    assert!(good.starts_with("1 a=") && good.ends_with(" a={}"), "{good}");
}

#[test]
fn by_another_policy_the_first_file_with_a_key_counts() {
    let dir = Dir::new();
    let paths = [
        dir.write("a.json", ONE),
        dir.write("b.json", r#"{"flagValues": {"a": 2, "b": 2}, "flags": {"a": {}}}"#),
    ];
    let mut watcher = Watcher::new(paths, DuplicateKeys::KeepFirst);
    assert_eq!(values(watcher.look()), "a=1 b=2");
}

#[test]
fn the_same_key_in_two_parts_of_a_file_goes_by_the_policy_too() {
    let text = r#"{"flagValues": {"a": 1}, "flags": {"a": {}}}"#;
    let dir = Dir::new();
    let path = dir.write("flags.json", text);
    let mut watcher = watch([path.clone()]);
    watcher.look();
    assert!(look(&mut watcher).unwrap().starts_with("flags.json:1:41: there is a second flag"));
    let mut watcher = Watcher::new([path], DuplicateKeys::KeepFirst);
    assert_eq!(values(watcher.look()), "a=1");
}

#[test]
fn a_change_that_says_the_same_is_none() {
    let dir = Dir::new();
    let mut watcher = watch([dir.write("flags.json", ONE)]);
    watcher.look();
    dir.write("flags.json", "{\n \"flagValues\": {\"a\": 1}\n}");
    assert_eq!(look(&mut watcher), None);
}

/// B 11.2.
#[test]
fn no_file_at_all_is_a_fault_and_not_an_empty_set() {
    let mut watcher = watch([]);
    assert!(watcher.look().is_none());
    let Some(State::Broken(error)) = watcher.look() else { panic!("it can be used") };
    assert_eq!(error.to_string(), "no flag file was named; name at least one");
}

fn set_time(path: &Path, time: SystemTime) {
    fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

/// As what unpacks an archive or copies with its times leaves it.
#[cfg(unix)]
#[test]
fn an_edit_of_the_same_size_and_with_the_same_time_is_seen() {
    let dir = Dir::new();
    let an_hour_ago = SystemTime::now() - Duration::from_secs(3600);
    let path = dir.write("flags.json", ONE);
    set_time(&path, an_hour_ago);
    let mut watcher = watch([path.clone()]);
    assert_eq!(values(watcher.look()), "a=1");
    dir.write("flags.json", TWO);
    set_time(&path, an_hour_ago);
    assert_eq!(values(watcher.look()), "a=2");
}

/// Where the time of the file says nothing of when it was written.
#[test]
fn a_yaml_file_that_was_rewritten_has_to_say_the_same_twice_whatever_its_time() {
    let dir = Dir::new();
    let an_hour_ago = SystemTime::now() - Duration::from_secs(3600);
    let path = dir.path("flags.yaml");
    let write = |text: &str| {
        dir.write("flags.yaml", text);
        set_time(&path, an_hour_ago);
    };
    write("flagValues:\n  a: 1\n  b: 1\n");
    let mut watcher = watch([path.clone()]);
    assert_eq!(values(watcher.look()), "a=1 b=1", "nothing tells of a write");
    write("flagValues:\n  a: 2\n");
    assert_eq!(look(&mut watcher), None);
    write("flagValues:\n  a: 2\n  b: 2\n");
    assert_eq!(look(&mut watcher), None);
    assert_eq!(values(watcher.look()), "a=2 b=2");
}

#[test]
fn a_file_that_is_too_large_is_a_fault() {
    let dir = Dir::new();
    let path = dir.write("flags.json", "");
    fs::File::options().write(true).open(&path).unwrap().set_len(1 << 40).unwrap();
    let mut watcher = watch([path]);
    watcher.look();
    let fault = "flags.json: the file cannot be read: the file is larger than 256 MiB";
    assert_eq!(look(&mut watcher).unwrap(), fault);
}
