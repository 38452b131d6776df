//! A scripted HTTP server on a loopback socket: a thread a connection, standard library only.
//!
//! It answers each request with a [`Script`] and keeps a log of requests and connections, on which
//! most tests rest.

mod connection;
mod live;
mod log;
mod request;
mod script;
mod tls;

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use rustls::ServerConfig;

pub use live::Live;
pub use log::Log;
pub use request::Received;
pub use script::{Script, gzip};
pub use tls::SelfSigned;

use connection::Connection;

/// What to do about a request: the how manieth it is, counted from 0, and what it says.
type Answer = dyn Fn(usize, &Received) -> Script + Send + Sync;

/// A running server. Dropping it closes its socket and every connection.
pub struct Server {
    address: SocketAddr,
    scheme: &'static str,
    shared: Arc<Shared>,
}

pub(crate) struct Shared {
    answer: Box<Answer>,
    tls: Option<Arc<ServerConfig>>,
    log: Log,
    answered: AtomicUsize,
    is_over: AtomicBool,
    /// Those that are open, by the number of their connection.
    sockets: Mutex<BTreeMap<usize, TcpStream>>,
}

impl Server {
    /// Answers each request with what `answer` says.
    pub fn new(answer: impl Fn(usize, &Received) -> Script + Send + Sync + 'static) -> Self {
        Self::bind(Box::new(answer), None)
    }

    /// Answers one request after another with these scripts, the last one again and again.
    pub fn scripted(scripts: impl Into<Vec<Script>>) -> Self {
        let scripts = scripts.into();
        let last = scripts.last().cloned().unwrap_or_default();
        Self::new(move |number, _| scripts.get(number).unwrap_or(&last).clone())
    }

    /// Answers every request with this script.
    pub fn always(script: Script) -> Self {
        Self::scripted([script])
    }

    /// As [`new`](Self::new), over TLS.
    pub fn over_tls(
        tls: Arc<ServerConfig>,
        answer: impl Fn(usize, &Received) -> Script + Send + Sync + 'static,
    ) -> Self {
        Self::bind(Box::new(answer), Some(tls))
    }

    fn bind(answer: Box<Answer>, tls: Option<Arc<ServerConfig>>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a loopback port");
        let address = listener.local_addr().expect("the port that was bound");
        let scheme = if tls.is_some() { "https" } else { "http" };
        let shared = Arc::new(Shared {
            answer,
            tls,
            log: Log::new(),
            answered: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
            sockets: Mutex::default(),
        });
        let accepting = Arc::clone(&shared);
        thread::spawn(move || accepting.accept(&listener));
        Self { address, scheme, shared }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its base URL, by name for TLS, without a slash at the end.
    pub fn url(&self) -> String {
        match self.scheme {
            "https" => format!("https://localhost:{}", self.address.port()),
            scheme => format!("{scheme}://{}", self.address),
        }
    }

    /// What has happened so far.
    pub fn log(&self) -> &Log {
        &self.shared.log
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
        for socket in self.shared.sockets.lock().expect("the sockets").values() {
            let _ = socket.shutdown(Shutdown::Both);
        }
        // Wakes the accepting thread, which then sees that it is over.
        let _ = TcpStream::connect(self.address);
    }
}

impl Shared {
    fn accept(self: &Arc<Self>, listener: &TcpListener) {
        for (number, socket) in listener.incoming().enumerate() {
            if self.is_over.load(Ordering::SeqCst) {
                return;
            }
            let Ok(socket) = socket else { continue };
            // Here, so that connections are logged in the order in which they came.
            self.log.connected();
            let shared = Arc::clone(self);
            thread::spawn(move || shared.serve(number, socket));
        }
    }

    fn serve(&self, number: usize, socket: TcpStream) {
        if let Ok(socket) = socket.try_clone() {
            self.sockets.lock().expect("the sockets").insert(number, socket);
        }
        let connection = Connection::serve(socket, self);
        // First the log: a client that sees the end may be back before this thread goes on.
        self.log.disconnected();
        // A reset needs the last handle of the socket to go.
        drop(self.sockets.lock().expect("the sockets").remove(&number));
        drop(connection);
    }

    fn script(&self, request: &Received) -> Script {
        let number = self.answered.fetch_add(1, Ordering::SeqCst);
        (self.answer)(number, request)
    }
}
