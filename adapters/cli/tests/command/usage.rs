use std::net::TcpListener;

use crate::process::{FlagFile, fdv2, run, text};

/// The exit code, and what stands on standard error.
fn refused(arguments: &[&str]) -> (Option<i32>, String) {
    let output = run(arguments);
    assert_eq!(text(&output.stdout), "");
    (output.status.code(), text(&output.stderr))
}

#[test]
fn what_cannot_be_meant_is_exit_code_2() {
    let watch = ["watch", "--sdk-key", "key", "--base-url"];
    let wrong: [&[&str]; 10] = [
        &[],
        &["dance"],
        &["serve"],
        &["serve", "flags.json", "--listen", "nowhere"],
        &["serve", "flags.json", "--sdk-key", ""],
        &["serve", "flags.json", "--sdk-key", "two words"],
        &["watch"],
        &[&watch[..], &["ftp://flags.example.com"]].concat(),
        &[&watch[..], &["http://user:secret@flags.example.com"]].concat(),
        &["watch", "--sdk-key", "two words"],
    ];
    for arguments in wrong {
        let (code, errors) = refused(arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {errors}");
        assert!(!errors.contains("secret") && !errors.contains("two words"), "{errors}");
    }
}

#[test]
fn a_file_or_port_that_cannot_be_used_is_exit_code_1() {
    let (code, errors) = refused(&["serve", "no-such-file.json"]);
    assert_eq!((code, &*errors), (Some(1), "error: no-such-file.json: there is no such file\n"));

    let broken = FlagFile::new("{\"flags\": {\n  \"a\": 1\n}}");
    let (code, errors) = refused(&["serve", &broken.path()]);
    let expected = format!("error: {}:2:8: flag \"a\" cannot be decoded", broken.path());
    assert!(code == Some(1) && errors.starts_with(&expected), "{errors}");

    let busy = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = busy.local_addr().unwrap().to_string();
    let file = FlagFile::new(r#"{"flagValues":{}}"#);
    let (code, errors) = refused(&["serve", &file.path(), "--listen", &address]);
    assert!(code == Some(1) && errors.contains("choose another port"), "{errors}");
}

#[test]
fn help_names_every_command_and_shows_no_key() {
    let shown = text(&run(&["--help"]).stdout);
    for command in ["demo", "serve", "watch"] {
        assert!(shown.contains(command), "{shown}");
        let help = fdv2(&[command, "--help"]).env("FDV2_SDK_KEY", "my-secret-key").output();
        let help = help.unwrap();
        assert_eq!(help.status.code(), Some(0));
        assert!(!text(&help.stdout).contains("my-secret-key"));
    }
}
