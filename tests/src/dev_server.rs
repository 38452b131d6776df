//! The development server on a file and a runtime of its own.

use std::fs;
use std::time::Duration;

use fdv2_server::{Options, Server};
use tokio::runtime::{Builder, Runtime};

use crate::scratch::Scratch;

/// A running server with its file, which it looks at every 10 ms.
pub struct DevServer {
    server: Option<Server>,
    runtime: Runtime,
    scratch: Scratch,
}

impl DevServer {
    /// Serves a file of this text.
    pub fn start(text: &str) -> Self {
        Self::start_with(text, |options| options)
    }

    /// The same with other options.
    ///
    /// # Panics
    /// If the text is not what the server takes, or there is no socket for it.
    pub fn start_with(text: &str, change: impl FnOnce(Options) -> Options) -> Self {
        let scratch = Scratch::new();
        let file = scratch.file("flags.json");
        fs::write(&file, text).expect("a file in a directory of our own");
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("dev-server")
            .enable_all()
            .build()
            .expect("a runtime");
        let options = Options::new(file).check_interval(Duration::from_millis(10));
        let server = runtime.block_on(Server::start(change(options))).expect("a server");
        Self { server: Some(server), runtime, scratch }
    }

    /// The server.
    ///
    /// # Panics
    /// If it was stopped.
    pub fn server(&self) -> &Server {
        self.server.as_ref().expect("it runs")
    }

    /// The runtime that it runs on.
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// Changes the file, at once: no reader finds half of it.
    pub fn write(&self, text: &str) {
        let draft = self.scratch.file("draft.json");
        fs::write(&draft, text).expect("a file in a directory of our own");
        fs::rename(draft, self.scratch.file("flags.json")).expect("a file of our own");
    }

    /// Stops the server and waits for it.
    pub fn stop(&mut self) {
        if let Some(server) = self.server.take() {
            self.runtime.block_on(server.stop());
        }
    }

    /// Drops the server, which waits for nothing.
    pub fn drop_server(&mut self) {
        self.server = None;
    }
}
