use std::path::PathBuf;

use tempfile::TempDir;

use crate::process::{FlagFile, Running, fdv2, run, serve, text};

/// Where a SQLite file can be, as long as this value is.
struct File(TempDir);

impl File {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("flags.sqlite")
    }

    fn name(&self) -> String {
        format!("sqlite:{}", self.path().display())
    }
}

#[test]
fn the_demo_fills_a_store_that_a_later_one_without_server_reads_as_cached() {
    let file = File::new();
    let store = file.name();
    let first = run(&["demo", "--store", &store]);
    assert_eq!(first.status.code(), Some(0), "{}", text(&first.stderr));

    let shown = run(&["store", "show", &store]);
    let shown = text(&shown.stdout);
    assert!(shown.contains("is initialized. It holds 5 flags, 1 segment"), "{shown}");

    let json = run(&["store", "show", &store, "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!((&json["flags"], &json["initialized"]), (&5.into(), &true.into()));
    assert_eq!(json["records"][0]["key"], "banner");
    assert_eq!(json["records"][0]["version"], 3);

    let second = run(&["demo", "--store", &store, "--offline-server"]);
    let shown = text(&second.stdout);
    assert_eq!(second.status.code(), Some(0), "{shown}{}", text(&second.stderr));
    assert_eq!(shown.matches("The data is CACHED").count(), 2, "{shown}");
    assert!(shown.contains("\"fast index\""), "{shown}");
}

#[test]
fn the_demo_says_what_is_wrong_with_a_store_that_cannot_be_used() {
    let file = File::new();
    let nowhere = format!("sqlite:{}", file.path().join("flags.sqlite").display());
    let demo = run(&["demo", "--store", &nowhere]);
    let errors = text(&demo.stderr);
    assert!(demo.status.code() == Some(1) && errors.contains("not in the store"), "{errors}");

    let offline = run(&["demo", "--store", &file.name(), "--offline-server"]);
    let errors = text(&offline.stderr);
    assert!(offline.status.code() == Some(1) && errors.contains("there is no file"), "{errors}");
    assert!(!file.path().exists(), "a look makes no file");
}

/// What one `watch` wrote to the store, the next one shows while the service does not answer.
#[test]
fn watch_keeps_a_store_and_shows_what_it_has_until_the_service_answers() {
    let (file, flags) = (File::new(), FlagFile::new(r#"{"flagValues":{"a":"kept"}}"#));
    let store = file.name();
    let (mut server, url) = serve(&flags, &[]);
    let arguments = ["watch", "--sdk-key", "any", "--base-url", &url, "--store", &store, "--json"];
    let mut watch = Running::start(&mut fdv2(&arguments));
    watch.line(|line| line.contains(r#""type":"store""#) && line.contains(r#""available":true"#));
    watch.line(|line| line.contains(r#""type":"flag""#) && line.contains("kept"));
    assert_eq!(watch.end("INT"), (Some(0), String::new()));
    assert_eq!(server.end("TERM"), (Some(0), String::new()));

    let mut watch = Running::start(&mut fdv2(&arguments));
    let cached = watch.line(|line| line.contains(r#""type":"cached""#));
    assert!(cached.contains(r#""key":"a""#) && cached.contains("kept"), "{cached}");
    assert_eq!(watch.end("TERM"), (Some(0), String::new()));
}

#[test]
fn a_store_is_cleared_only_when_that_is_meant() {
    let file = File::new();
    let store = file.name();
    let missing = run(&["store", "show", &store]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(!file.path().exists(), "a look makes no file");

    std::fs::write(file.path(), "").unwrap();
    let hasty = run(&["store", "clear", &store]);
    assert_eq!(hasty.status.code(), Some(2));
    assert!(text(&hasty.stderr).contains("--yes"));
    let meant = run(&["store", "clear", &store, "--yes"]);
    assert_eq!(meant.status.code(), Some(0), "{}", text(&meant.stderr));
    let shown = run(&["store", "show", &store]);
    assert!(text(&shown.stdout).contains("has no marker"));
}

/// B 11.1: whatever is wrong with a store's URL, its password is not shown.
#[test]
fn a_password_in_a_stores_url_is_never_shown() {
    for store in ["redis://u:s3cret@h:99999/0", "redis://u:s3cret@127.0.0.1:1/0", "pg://s3cret@h"] {
        for arguments in
            [vec!["store", "show", store], vec!["demo", "--store", store, "--offline-server"]]
        {
            let output = run(&arguments);
            let shown = text(&output.stdout) + &text(&output.stderr);
            assert_ne!(output.status.code(), Some(0), "{shown}");
            assert!(!shown.contains("s3cret"), "{shown}");
        }
    }
}
