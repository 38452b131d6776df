use std::net::TcpListener;

use serde_json::Value;

use crate::process::{FlagFile, Running, fdv2, serve};

const ONE: &str = r#"{"flagValues":{"a":1,"b":"x"}}"#;
const TWO: &str = r#"{"flagValues":{"a":2}}"#;

/// Waits for a line of `watch --json` in which these members have these values.
fn wait_for(watch: &mut Running, members: &[(&str, Value)]) -> Value {
    let parse = |line: &str| serde_json::from_str::<Value>(line).expect("one JSON object a line");
    let is_it = |line: &str| {
        let object = parse(line);
        members.iter().all(|(name, value)| object[*name] == *value)
    };
    parse(&watch.line(is_it))
}

fn watch_sees_an_edit_on(runtime: &str) {
    let file = FlagFile::new(ONE);
    let (mut server, url) = serve(&file, &[]);
    let mut command = fdv2(&["watch", "--base-url", &url, "--runtime", runtime, "--json"]);
    let mut watch = Running::start(command.env("FDV2_SDK_KEY", "any"));
    wait_for(&mut watch, &[("type", "status".into()), ("state", "VALID".into())]);
    wait_for(&mut watch, &[("key", "b".into()), ("value", "x".into())]);
    file.write(TWO);
    let edited = wait_for(&mut watch, &[("key", "a".into()), ("value", 2.into())]);
    assert_eq!((&edited["version"], &edited["deleted"]), (&2.into(), &false.into()));
    wait_for(&mut watch, &[("key", "b".into()), ("deleted", true.into())]);
    assert_eq!(watch.end("INT"), (Some(0), String::new()));
    assert_eq!(server.end("TERM"), (Some(0), String::new()));
}

#[test]
fn watch_on_tokio_sees_an_edit_of_the_served_file() {
    watch_sees_an_edit_on("tokio");
}

#[test]
fn watch_on_smol_sees_an_edit_of_the_served_file() {
    watch_sees_an_edit_on("smol");
}

#[test]
fn watch_goes_on_while_the_server_is_away() {
    let file = FlagFile::new(ONE);
    let (server, url) = serve(&file, &[]);
    let mut watch = Running::start(&mut fdv2(&["watch", "--sdk-key", "any", "--base-url", &url]));
    watch.line(|line| line.contains("VALID"));
    drop(server);
    watch.line(|line| line.contains("INTERRUPTED"));
    assert_eq!(watch.end("TERM"), (Some(0), String::new()));
}

/// The first poll fails, once `watch` is there to be told.
#[test]
fn watch_speaks_of_no_data_before_there_is_any() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", server.local_addr().unwrap());
    let mut watch = Running::start(&mut fdv2(&["watch", "--sdk-key", "any", "--base-url", &url]));
    let poll = server.accept().unwrap();
    watch.line(|line| line.contains("INITIALIZING"));
    drop((poll, server));
    let switched = watch.line(|line| line.contains("source  streaming"));
    assert!(switched.ends_with("(the first poll is over)"), "{switched}");
    assert_eq!(watch.end("TERM"), (Some(0), String::new()));
}

#[test]
fn serve_tells_where_a_broken_file_is_broken_and_when_it_is_mended() {
    let file = FlagFile::new(ONE);
    let (mut server, _) = serve(&file, &[]);
    file.write("{\"flagValues\":\n{\"a\":1,}}");
    let told = server.line(|line| line.starts_with("broken"));
    assert!(told.contains("flags.json:2:8: not valid JSON"), "{told}");
    file.write(ONE);
    server.line(|line| line.starts_with("mended"));
    file.write(TWO);
    let told = server.line(|line| line.starts_with("edited"));
    assert!(told.ends_with("a, b"), "{told}");
    assert_eq!(server.end("INT"), (Some(0), String::new()));
}

#[test]
fn a_wrong_key_ends_watch_as_a_failure_and_is_never_shown() {
    let file = FlagFile::new(ONE);
    let (_server, url) = serve(&file, &["--sdk-key", "the-right-key"]);
    let mut command = fdv2(&["watch", "--base-url", &url]);
    let mut watch = Running::start(command.env("FDV2_SDK_KEY", "my-secret-key"));
    let (code, errors) = watch.wait();
    let shown = watch.rest().join("\n");
    assert_eq!(code, Some(1));
    assert!(errors.contains("401"), "{errors}");
    for text in [shown, errors] {
        assert!(!text.contains("my-secret-key"), "{text}");
    }
}
