use std::process::Stdio;

use crate::process::{fdv2, text};

#[test]
fn the_demo_shows_both_runtimes_through_edit_fallback_and_recovery_and_exits_with_0() {
    // What the environment says of proxies does not matter on this machine.
    let nowhere = "http://127.0.0.1:9";
    let output = fdv2(&["demo"]).env("http_proxy", nowhere).env("ALL_PROXY", nowhere).output();
    let output = output.unwrap();
    let (shown, errors) = (text(&output.stdout), text(&output.stderr));
    assert_eq!((output.status.code(), &*errors), (Some(0), ""), "{shown}");
    for runtime in ["tokio", "smol "] {
        let lines: Vec<_> = shown.lines().filter(|line| line.contains(runtime)).collect();
        for what in ["ready", "saw it", "INTERRUPTED", "polling", "VALID", "streaming", "closed"] {
            assert!(lines.iter().any(|line| line.contains(what)), "no {what}: {lines:#?}");
        }
    }
    assert!(!shown.contains('\u{1b}'), "colours without a terminal");
}

#[test]
fn a_reader_that_goes_away_ends_the_demo_quietly() {
    let mut child = fdv2(&["demo"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_cannot_be_written_is_a_failure() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = fdv2(&["demo"]).stdout(full).output().unwrap();
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(errors.starts_with("error: standard output cannot be written"), "{errors}");
}
