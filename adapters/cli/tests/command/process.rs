//! Running the command.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// How long a test waits for what has to happen.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The command with nothing of the environment that changes what it does.
pub(crate) fn fdv2(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fdv2"));
    command.args(arguments).stdin(Stdio::null());
    for name in ["FDV2_SDK_KEY", "FDV2_STORE", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"]
    {
        command.env_remove(name);
    }
    command
}

/// Runs the command to its end.
pub(crate) fn run(arguments: &[&str]) -> Output {
    fdv2(arguments).output().unwrap()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A command that goes on until it is told to end.
pub(crate) struct Running {
    child: Child,
    lines: Receiver<String>,
    passed_over: Vec<String>,
}

impl Running {
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines() {
                if sender.send(line.unwrap()).is_err() {
                    return;
                }
            }
        });
        Self { child, lines, passed_over: Vec::new() }
    }

    /// Waits for a line that `is_it` is true for, and takes it away. The others stay.
    pub(crate) fn line(&mut self, is_it: impl Fn(&str) -> bool) -> String {
        if let Some(at) = self.passed_over.iter().position(|line| is_it(line)) {
            return self.passed_over.remove(at);
        }
        let deadline = Instant::now() + PATIENCE;
        while let Ok(line) = self.lines.recv_timeout(deadline - Instant::now()) {
            if is_it(&line) {
                return line;
            }
            self.passed_over.push(line);
        }
        panic!("waited in vain, saw {:#?}", self.passed_over);
    }

    /// Sends a signal by its name, and returns the exit code and what stood on standard error.
    pub(crate) fn end(&mut self, signal: &str) -> (Option<i32>, String) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
        self.wait()
    }

    /// Waits for the end, and returns the exit code and what stood on standard error.
    pub(crate) fn wait(&mut self) -> (Option<i32>, String) {
        let code = self.child.wait().unwrap().code();
        let mut errors = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        (code, errors)
    }

    /// What is still to read of standard output.
    pub(crate) fn rest(&self) -> Vec<String> {
        self.lines.iter().collect()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A flag file in a directory of its own.
pub(crate) struct FlagFile {
    dir: TempDir,
}

impl FlagFile {
    pub(crate) fn new(text: &str) -> Self {
        let file = Self { dir: TempDir::new().unwrap() };
        file.write(text);
        file
    }

    pub(crate) fn write(&self, text: &str) {
        fs::write(self.path(), text).unwrap();
    }

    pub(crate) fn path(&self) -> String {
        self.dir.path().join("flags.json").to_str().unwrap().to_owned()
    }
}

/// `fdv2 serve` on a free port, with where it serves.
pub(crate) fn serve(file: &FlagFile, more: &[&str]) -> (Running, String) {
    let path = file.path();
    let mut command = fdv2(&["serve", &path, "--listen", "127.0.0.1:0"]);
    let mut server = Running::start(command.args(more));
    let first = server.line(|line| line.starts_with("Serving "));
    let url = first.rsplit(' ').next().unwrap().to_owned();
    (server, url)
}
