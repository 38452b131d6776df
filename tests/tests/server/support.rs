//! A server on a file of its own, and requests by hand.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::ops::{Deref, DerefMut};
use std::time::{Duration, Instant};

use fdv2_server::Options;
use fdv2_tests::dev_server::DevServer;
use serde_json::Value;

/// How long a test waits for what has to happen.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A running server with its file.
pub(crate) struct Running(DevServer);

impl Deref for Running {
    type Target = DevServer;

    fn deref(&self) -> &DevServer {
        &self.0
    }
}

impl DerefMut for Running {
    fn deref_mut(&mut self) -> &mut DevServer {
        &mut self.0
    }
}

impl Running {
    pub(crate) fn start(text: &str) -> Self {
        Self(DevServer::start(text))
    }

    pub(crate) fn start_with(text: &str, change: impl FnOnce(Options) -> Options) -> Self {
        Self(DevServer::start_with(text, change))
    }

    /// Sends a GET with these further header lines, each ended by CRLF.
    pub(crate) fn send(&self, target: &str, headers: &str) -> Response {
        let mut socket = TcpStream::connect(self.server().addr()).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        // HTTP/1.0, so that bodies come without chunks and end with the connection.
        let head = format!("GET {target} HTTP/1.0\r\nHost: test\r\n{headers}\r\n");
        socket.write_all(head.as_bytes()).unwrap();
        Response::read(socket)
    }

    /// Sends a GET with an SDK key.
    pub(crate) fn ask(&self, target: &str) -> Response {
        self.send(target, "Authorization: key\r\n")
    }

    /// Waits until the server has so many open streams.
    pub(crate) fn wait_for_streams(&self, count: usize) {
        let start = Instant::now();
        while self.server().open_streams() != count {
            assert!(start.elapsed() < PATIENCE, "still {}", self.server().open_streams());
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// A response whose head was read.
pub(crate) struct Response {
    pub(crate) status: u16,
    head: String,
    reader: BufReader<TcpStream>,
}

/// One event of a stream or a poll body.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) name: String,
    pub(crate) data: Value,
}

impl Response {
    fn read(socket: TcpStream) -> Self {
        let mut reader = BufReader::new(socket);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(reader.read_line(&mut head).unwrap(), 0, "{head}");
        }
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Self { status, head, reader }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.filter(|(given, _)| given.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
    }

    pub(crate) fn bytes(mut self) -> Vec<u8> {
        let mut body = Vec::new();
        self.reader.read_to_end(&mut body).unwrap();
        body
    }

    pub(crate) fn json(self) -> Value {
        serde_json::from_slice(&self.bytes()).unwrap()
    }

    /// The events of a poll body.
    pub(crate) fn events(self) -> Vec<Event> {
        let body = self.json();
        let events = body["events"].as_array().unwrap().iter();
        let event = |event: &Value| Event {
            name: event["event"].as_str().unwrap().to_owned(),
            data: event["data"].clone(),
        };
        events.map(event).collect()
    }

    /// The next event of a stream; `None` at its end.
    pub(crate) fn next_event(&mut self) -> Option<Event> {
        let name = self.line()?;
        let data = self.line()?;
        assert_eq!(self.line().as_deref(), Some(""));
        let name = name.strip_prefix("event: ").unwrap().to_owned();
        let data = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
        Some(Event { name, data })
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        match self.reader.read_line(&mut line) {
            Ok(0) => None,
            Ok(_) => Some(line.trim_end_matches('\n').to_owned()),
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => None,
            Err(error) => panic!("{error}"),
        }
    }

    /// The events of a stream up to the end of its next transfer.
    pub(crate) fn transfer(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        loop {
            let event = self.next_event().expect("the stream goes on");
            let is_last = event.name == "payload-transferred"
                || event.data["payloads"][0]["intentCode"] == "none";
            if event.name != "heartbeat" {
                events.push(event);
            }
            if is_last {
                return events;
            }
        }
    }

    /// Closes the connection from this side.
    pub(crate) fn close(self) {
        let _ = self.reader.get_ref().shutdown(Shutdown::Both);
    }
}

/// A transfer in short: its intent, then `+key` and `-key`.
pub(crate) fn summary(events: &[Event]) -> String {
    let piece = |event: &Event| {
        let key = event.data["key"].as_str().unwrap_or_default();
        match event.name.as_str() {
            "server-intent" => {
                event.data["payloads"][0]["intentCode"].as_str().unwrap_or_default().to_owned()
            }
            "put-object" => format!("+{key}"),
            "delete-object" => format!("-{key}"),
            "payload-transferred" => "end".to_owned(),
            other => other.to_owned(),
        }
    };
    events.iter().map(piece).collect::<Vec<_>>().join(" ")
}

/// The selector's state at the end of a transfer.
pub(crate) fn state(events: &[Event]) -> String {
    let last = events.last().expect("a transfer has an end");
    last.data["state"].as_str().expect("it names its state").to_owned()
}
