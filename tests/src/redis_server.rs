//! A real Redis server of a test's own, on a free loopback port, that keeps nothing on disk.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

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
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let process = process.unwrap_or_else(|error| match error.kind() {
            ErrorKind::NotFound => panic!(
                "redis-server is not installed; `sh tests/run.sh` installs it, \
                 or `apt-get install redis-server`"
            ),
            _ => panic!("redis-server cannot be run: {error}"),
        });
        self.process = Some(process);
        self.comes_up()
    }

    fn comes_up(&mut self) -> bool {
        let began = Instant::now();
        while began.elapsed() < START {
            let process = self.process.as_mut().expect("it was run");
            if process.try_wait().expect("its state is known").is_some() {
                return false;
            }
            if self.answers() {
                return true;
            }
            thread::sleep(Duration::from_millis(5));
        }
        false
    }

    /// Anything will do: where a password is needed, it is an error.
    fn answers(&self) -> bool {
        let Ok(mut socket) = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)) else {
            return false;
        };
        socket.write_all(b"PING\r\n").is_ok() && socket.read(&mut [0]).is_ok_and(|read| read == 1)
    }
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

fn free_port() -> u16 {
    let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    socket.local_addr().expect("it is bound").port()
}
