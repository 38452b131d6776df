use std::path::PathBuf;

use crate::process::{FlagFile, Running, fdv2, run, serve, text};

/// A recording of a `watch` that saw an edit, in the directory of the flag file.
struct Recorded {
    path: String,
    _flags: FlagFile,
}

impl Recorded {
    fn new(more: &[&str]) -> Self {
        let flags = FlagFile::new(r#"{"flagValues":{"a":"first-s3cret"}}"#);
        let path = PathBuf::from(flags.path()).with_file_name("watch.fdv2");
        let path = path.to_str().unwrap().to_owned();
        let (mut server, url) = serve(&flags, &[]);
        let mut command = fdv2(&["watch", "--sdk-key", "sdk-key-s3cret", "--base-url", &url]);
        let mut watch = Running::start(command.args(["--record", &path]).args(more));
        watch.line(|line| line.contains("first-s3cret"));
        flags.write(r#"{"flagValues":{"a":"second-s3cret"}}"#);
        watch.line(|line| line.contains("second-s3cret"));
        assert_eq!(watch.end("INT"), (Some(0), String::new()));
        assert_eq!(server.end("TERM"), (Some(0), String::new()));
        Self { path, _flags: flags }
    }

    fn change(&self, change: impl Fn(String) -> String) {
        let recording = std::fs::read_to_string(&self.path).unwrap();
        std::fs::write(&self.path, change(recording)).unwrap();
    }

    fn refused(&self) -> String {
        let output = run(&["replay", &self.path]);
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
        text(&output.stderr)
    }
}

#[test]
fn what_watch_records_replay_repeats_bit_for_bit() {
    let recorded = Recorded::new(&[]);
    let output = run(&["replay", &recorded.path]);
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{shown}{}", text(&output.stderr));
    for what in ["/sdk/stream", "status Valid", "flags changed: 1 (a)", "the same, bit for bit"] {
        assert!(shown.contains(what), "no {what}: {shown}");
    }
    let again = run(&["replay", &recorded.path]);
    assert_eq!(text(&again.stdout), shown, "the same output each time");
    let quiet = text(&run(&["replay", "--quiet", &recorded.path]).stdout);
    assert!(quiet.lines().count() < 8 && quiet.contains("bit for bit"), "{quiet}");
    let recording = std::fs::read_to_string(&recorded.path).unwrap();
    assert!(!recording.contains("sdk-key-s3cret") && !shown.contains("sdk-key-s3cret"));
}

#[test]
fn a_recording_that_was_damaged_or_is_none_is_refused_by_name() {
    let recorded = Recorded::new(&[]);
    let is_there = run(&["watch", "--sdk-key", "k", "--record", &recorded.path]);
    assert!(text(&is_there.stderr).contains("there is such a file"));
    recorded.change(|recording| recording.replacen("\"n\":3", "\"n\":4", 1));
    assert!(recorded.refused().contains("line 4 is damaged"), "{}", recorded.refused());
    recorded
        .change(|recording| recording.lines().take(3).map(|line| format!("{line}\n")).collect());
    assert!(recorded.refused().contains("ends after line 3 without saying so"));
    recorded.change(|recording| recording.get(..recording.len() - 5).unwrap().to_owned());
    assert!(recorded.refused().contains("cut off in the middle of line 3"));
    recorded.change(|_| "{\"flags\":{}}\n".to_owned());
    assert!(recorded.refused().contains("this is not a recording"));
    let missing = run(&["replay", "no-such-file.fdv2"]);
    assert_eq!(text(&missing.stderr), "error: no-such-file.fdv2: there is no such file\n");
}

#[test]
fn a_redacted_recording_replays_and_holds_no_text_of_a_flag() {
    let recorded = Recorded::new(&["--redact"]);
    let output = run(&["replay", &recorded.path]);
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{shown}{}", text(&output.stderr));
    for what in [", redacted", "flags changed: 1 (a)", "the same, bit for bit", "nothing more"] {
        assert!(shown.contains(what), "no {what}: {shown}");
    }
    // In base64 the text could begin at any of three places.
    let recording = std::fs::read_to_string(&recorded.path).unwrap();
    for part in ["s3cret", "czNjcmV0", "MzY3JldC", "zM2NyZX"] {
        assert!(!recording.contains(part), "{recording}");
    }
}

#[test]
fn the_help_of_record_says_that_it_holds_flag_data() {
    let help = text(&run(&["watch", "--help"]).stdout);
    assert!(help.contains("It holds flag data"), "{help}");
}

#[test]
fn a_recording_that_has_no_room_for_its_first_line_is_not_begun() {
    let flags = FlagFile::new(r#"{"flagValues":{"a":1}}"#);
    let (mut server, url) = serve(&flags, &[]);
    let path = PathBuf::from(flags.path()).with_file_name("small.fdv2");
    let mut command = fdv2(&["watch", "--sdk-key", "k", "--base-url", &url, "--max-size", "100B"]);
    let mut watch = Running::start(command.arg("--record").arg(&path));
    watch.line(|line| line.contains("allow more"));
    assert_eq!(watch.end("INT"), (Some(0), String::new()));
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 0);
    assert_eq!(server.end("TERM"), (Some(0), String::new()));
}

/// A recording comes from somebody else, and so may what its file is called.
#[test]
fn what_is_printed_does_not_order_the_terminal_about() {
    let output = run(&["replay", "no\u{1b}[2J\nsuch.fdv2"]);
    let said = "error: no\\u001b[2J\\u000asuch.fdv2: there is no such file\n";
    assert_eq!(text(&output.stderr), said);
}
