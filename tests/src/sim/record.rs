//! What a simulated run was told, as a recording: `fdv2 replay` runs it again.

use std::cell::Cell;
use std::fs;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::thread;

use fdv2_core::{Command, DataSystem};
use fdv2_recording::{Ending, Options, Recorder};

use super::{Core, Sim};

thread_local! {
    /// This failure is saved. Those that a run was forked from are dropped with it.
    static IS_SAVED: Cell<bool> = const { Cell::new(false) };
}

/// Where the recordings of runs that failed go, each named for its test.
pub fn recordings() -> PathBuf {
    let target = match std::env::var_os("CARGO_TARGET_DIR") {
        Some(target) => PathBuf::from(target),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"),
    };
    target.join("recordings")
}

/// A new run begins on this thread.
pub(super) fn begin() {
    IS_SAVED.set(false);
}

impl<C: Core> Sim<C> {
    /// What the core was told so far, as a recording. What a saboteur made of it is not in it.
    pub fn recording(&self) -> Vec<u8> {
        let (config, seed) = (self.core.system().config(), self.core.system().seed());
        let mut system = DataSystem::new(config.clone(), seed);
        let mut recorder = Recorder::begin(Vec::new(), config, seed, &Options::default())
            .expect("a configuration that can be recorded");
        for (now, event) in &self.heard {
            // The failure may be a panic of the core, at the last event.
            let handle = || system.handle(*now, event.clone()).collect::<Vec<Command>>();
            let commands = catch_unwind(AssertUnwindSafe(handle));
            recorder
                .record(*now, event, commands.as_deref().unwrap_or_default())
                .expect("memory can be written");
            if commands.is_err() {
                break;
            }
        }
        recorder.end(Ending::Closed).expect("memory can be written")
    }

    /// Writes the recording where `fdv2 replay` can be pointed to.
    fn save(&self) -> io::Result<PathBuf> {
        let folder = recordings();
        fs::create_dir_all(&folder)?;
        // A property's later failures are smaller ones: they take the place of the first.
        let test = thread::current().name().unwrap_or("run").replace("::", ".");
        let path = folder.join(format!("{test}.fdv2"));
        fs::write(&path, self.recording())?;
        Ok(path.canonicalize().unwrap_or(path))
    }

    /// When a test fails, what the core was told is written to a file, whose name is printed.
    #[expect(clippy::print_stderr, reason = "for whoever looks into the failure")]
    pub(super) fn save_if_failing(&self) {
        if !thread::panicking() || self.heard.is_empty() || IS_SAVED.replace(true) {
            return;
        }
        let what = format!(
            "the run of seed {} failed after {} events",
            self.core.system().seed(),
            self.heard.len()
        );
        match catch_unwind(AssertUnwindSafe(|| self.save())) {
            Ok(Ok(path)) => {
                eprintln!("{what}; to see them: cargo run -- replay {}", path.display());
            }
            Ok(Err(error)) => eprintln!("{what}, and cannot be saved: {error}"),
            Err(_) => eprintln!("{what}, and cannot be recorded"),
        }
    }
}
