//! A proxy that breaks connections: a pair of threads a connection, standard library only.
//!
//! It passes bytes between its clients and one server, and does to each connection what the test
//! says, at whatever byte.

mod fault;
mod pipe;

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

pub use fault::{Dice, Fault};

/// What to do to a connection: the how manieth it is, counted from 0.
type Choose = dyn FnMut(usize) -> Fault + Send;

/// A running proxy. Dropping it ends its socket and every connection.
pub struct FaultProxy {
    address: SocketAddr,
    shared: Arc<Shared>,
}

pub(crate) struct Shared {
    target: SocketAddr,
    choose: Mutex<Box<Choose>>,
    is_over: AtomicBool,
    accepted: AtomicUsize,
    sockets: Mutex<BTreeMap<usize, TcpStream>>,
    next_socket: AtomicUsize,
}

impl FaultProxy {
    /// Between clients and `target`, with the fault of each connection chosen by `choose`.
    ///
    /// # Panics
    /// If there is no loopback port.
    pub fn new(target: SocketAddr, choose: impl FnMut(usize) -> Fault + Send + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a loopback port");
        let address = listener.local_addr().expect("the port that was bound");
        let shared = Arc::new(Shared {
            target,
            choose: Mutex::new(Box::new(choose)),
            is_over: AtomicBool::new(false),
            accepted: AtomicUsize::new(0),
            sockets: Mutex::default(),
            next_socket: AtomicUsize::new(0),
        });
        let accepting = Arc::clone(&shared);
        thread::spawn(move || accepting.accept(&listener));
        Self { address, shared }
    }

    /// With a fault for each connection that a seed decides.
    pub fn seeded(target: SocketAddr, seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        Self::new(target, move |_| Fault::random(&mut dice))
    }

    /// Its base URL for clients.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// How many connections came.
    pub fn accepted(&self) -> usize {
        self.shared.accepted.load(Ordering::SeqCst)
    }

    /// Chooses otherwise for connections to come. Those that are there keep their faults.
    pub fn choose(&self, choose: impl FnMut(usize) -> Fault + Send + 'static) {
        *lock(&self.shared.choose) = Box::new(choose);
    }

    /// Breaks every connection that is there.
    pub fn cut(&self) {
        self.shared.cut();
    }
}

impl Drop for FaultProxy {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
        self.shared.cut();
        // Wakes the accepting thread, which then sees that it is over.
        let _ = TcpStream::connect(self.address);
    }
}

impl Shared {
    fn accept(self: &Arc<Self>, listener: &TcpListener) {
        for socket in listener.incoming() {
            if self.is_over.load(Ordering::SeqCst) {
                return;
            }
            let Ok(socket) = socket else { continue };
            let number = self.accepted.fetch_add(1, Ordering::SeqCst);
            let fault = (lock(&self.choose))(number);
            let shared = Arc::clone(self);
            thread::spawn(move || pipe::connect(socket, fault, &shared));
        }
    }

    /// Keeps a handle of a socket for as long as the guard lives.
    fn keep(self: &Arc<Self>, socket: &TcpStream) -> Option<Kept> {
        let number = self.next_socket.fetch_add(1, Ordering::SeqCst);
        lock(&self.sockets).insert(number, socket.try_clone().ok()?);
        if self.is_over.load(Ordering::SeqCst) {
            self.cut();
        }
        Some(Kept { number, shared: Arc::clone(self) })
    }

    fn cut(&self) {
        for socket in lock(&self.sockets).values() {
            let _ = socket.shutdown(Shutdown::Both);
        }
    }
}

/// A socket that is known.
struct Kept {
    number: usize,
    shared: Arc<Shared>,
}

impl Drop for Kept {
    fn drop(&mut self) {
        let socket = lock(&self.shared.sockets).remove(&self.number);
        drop(socket);
    }
}

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
