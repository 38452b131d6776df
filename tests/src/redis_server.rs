//! A real Redis server of a test's own, on a free loopback port, that keeps nothing on disk.

use std::io::{BufRead, BufReader, ErrorKind};
use std::net::{Ipv4Addr, TcpListener};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

/// How long a server may take to start on a busy machine.
const START: Duration = Duration::from_secs(20);

/// How many ports to try: another program may take one in between.
const PORTS: usize = 10;

/// A running server. Dropping it ends it.
pub struct RedisServer {
    process: Option<Child>,
    port: u16,
    options: Vec<String>,
}

impl RedisServer {
    /// Starts one without a password.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// Starts one with these options of `redis-server`'s.
    pub fn start_with(options: &[&str]) -> Self {
        let options = options.iter().map(ToString::to_string).collect::<Vec<_>>();
        for _ in 0..PORTS {
            let mut server = Self { process: None, port: free_port(), options: options.clone() };
            if server.run() {
                return server;
            }
        }
        panic!("redis-server does not start");
    }

    /// Host and port.
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// The URL, without user and password.
    pub fn url(&self) -> String {
        format!("redis://{}", self.address())
    }

    /// Kills it. What it held is gone.
    pub fn stop(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().expect("redis-server can be killed");
            process.wait().expect("redis-server ends");
        }
    }

    /// Starts it on the same port as before, empty.
    pub fn restart(&mut self) {
        self.stop();
        assert!(self.run(), "redis-server does not start on its port again");
    }

    /// Lets it hang, and then go on: connections are accepted meanwhile, and nothing is answered.
    pub fn hang_during<R>(&self, work: impl FnOnce() -> R) -> R {
        self.signal("-STOP");
        let result = work();
        self.signal("-CONT");
        result
    }

    fn signal(&self, signal: &str) {
        let id = self.process.as_ref().expect("it runs").id().to_string();
        let status = Command::new("kill").args([signal, &id]).status().expect("kill");
        assert!(status.success(), "kill {signal} {id}");
    }

    /// Says whether it came up.
    fn run(&mut self) -> bool {
        let process = Command::new("redis-server")
            .args(["--port", &self.port.to_string(), "--bind", "127.0.0.1"])
            .args(["--save", "", "--appendonly", "no"])
            .args(&self.options)
            .current_dir(std::env::temp_dir())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let process = process.unwrap_or_else(|error| match error.kind() {
            ErrorKind::NotFound => panic!(
                "redis-server is not installed; `sh tests/run.sh` installs it, \
                 or `apt-get install redis-server`"
            ),
            _ => panic!("redis-server cannot be run: {error}"),
        });
        let is_ready = self.process.insert(process).stdout.take().is_some_and(comes_up);
        if !is_ready {
            self.stop();
        }
        is_ready
    }
}

/// Whether a server says that it is ready. (To ask it would not do: another one may have its port.)
fn comes_up(log: ChildStdout) -> bool {
    let (ready, is_ready) = channel();
    thread::spawn(move || {
        // Read to its end, so that the server never waits for a reader.
        for line in BufReader::new(log).lines().map_while(Result::ok) {
            if line.contains("eady to accept connections") {
                // Nobody may listen any more.
                let _ = ready.send(());
            }
        }
    });
    is_ready.recv_timeout(START).is_ok()
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        if let Some(process) = &mut self.process {
            // A test that failed must not hang here.
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// A port that nobody uses at the moment.
pub fn free_port() -> u16 {
    let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    socket.local_addr().expect("it is bound").port()
}
