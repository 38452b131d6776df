//! The running test once more, in a process of its own: for what belongs to a whole process.

use std::env;
use std::process::Command;
use std::thread;

/// Runs the test that this thread runs in a child with these variables. The test has to find out by
/// them that it is the child.
///
/// # Panics
/// If the child's test fails, or did not run.
pub(crate) fn run_again(variables: &[(&str, &str)]) {
    let name = thread::current().name().unwrap().to_owned();
    let ran = Command::new(env::current_exe().unwrap())
        .args(["--exact", &name, "--nocapture"])
        // With one thread there would be none of the test's name.
        .env("RUST_TEST_THREADS", "2")
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat()).into_owned();
    assert!(ran.status.success() && text.contains("1 passed"), "{text}");
}
