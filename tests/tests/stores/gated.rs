//! A store whose calls begin and end when the test says so.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use fdv2_client::store::{Kind, PersistentStore, Record, StoreError, Upserted};

/// How long a test waits for what has to happen.
const PATIENCE: Duration = Duration::from_secs(20);

/// The store.
pub(crate) struct Gated {
    gate: Gate,
    begun: Mutex<Sender<String>>,
}

/// The test's hold on it.
#[derive(Clone)]
pub(crate) struct Gate(Arc<State>);

struct State {
    is_shut: Mutex<bool>,
    opened: Condvar,
    log: Mutex<Vec<String>>,
}

/// Says when a call begins.
pub(crate) struct Begun(Receiver<String>);

impl Gated {
    /// A store whose calls return at once.
    pub(crate) fn open() -> (Self, Gate) {
        let (store, gate, _) = Self::new(false);
        (store, gate)
    }

    /// A store whose calls hang until the gate is opened.
    pub(crate) fn shut() -> (Self, Gate, Begun) {
        Self::new(true)
    }

    fn new(is_shut: bool) -> (Self, Gate, Begun) {
        let (sender, receiver) = channel();
        let state =
            State { is_shut: Mutex::new(is_shut), opened: Condvar::new(), log: Mutex::default() };
        let gate = Gate(Arc::new(state));
        (Self { gate: gate.clone(), begun: Mutex::new(sender) }, gate, Begun(receiver))
    }

    fn call(&self, what: String) {
        self.gate.0.log.lock().unwrap().push(what.clone());
        // Not every test listens.
        let _ = self.begun.lock().unwrap().send(what);
        let mut is_shut = self.gate.0.is_shut.lock().unwrap();
        while *is_shut {
            is_shut = self.gate.0.opened.wait(is_shut).unwrap();
        }
    }
}

impl Gate {
    /// Lets all calls return.
    pub(crate) fn open(&self) {
        *self.0.is_shut.lock().unwrap() = false;
        self.0.opened.notify_all();
    }

    /// All calls until now.
    pub(crate) fn calls(&self) -> Vec<String> {
        self.0.log.lock().unwrap().clone()
    }

    /// Waits for a call of this name.
    pub(crate) fn wait_for(&self, call: &str) {
        let began = std::time::Instant::now();
        while !self.calls().iter().any(|made| made == call) {
            assert!(began.elapsed() < PATIENCE, "no {call:?} among {:?}", self.calls());
            thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Begun {
    /// The next call that begins.
    pub(crate) fn next(&self) -> String {
        self.0.recv_timeout(PATIENCE).expect("a call begins")
    }
}

impl PersistentStore for Gated {
    fn all(&self, kind: Kind, _: &mut dyn FnMut(&[u8], &[u8])) -> Result<(), StoreError> {
        self.call(format!("all {kind}"));
        Ok(())
    }

    fn one(&self, kind: Kind, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.call(format!("one {kind} {key}"));
        match key {
            "panic" => panic!("this store panics, as the test wants"),
            "fail" => Err(StoreError::new("the store is down")),
            _ => Ok(None),
        }
    }

    fn is_initialized(&self) -> Result<bool, StoreError> {
        self.call("is_initialized".into());
        Ok(true)
    }

    fn replace_all(&self, records: &[Record]) -> Result<(), StoreError> {
        let keys: Vec<&str> = records.iter().map(|record| &**record.key()).collect();
        self.call(format!("replace {}", keys.join(" ")));
        Ok(())
    }

    fn upsert(&self, record: &Record) -> Result<Upserted, StoreError> {
        let thread = thread::current().name().unwrap_or_default().to_owned();
        self.call(format!("upsert {} v{} on {thread}", record.key(), record.version()));
        if &**record.key() == "panic" {
            panic!("this store panics, as the test wants");
        }
        Ok(Upserted::Written)
    }

    fn close(&self) {
        self.call("close".into());
        panic!("this store panics at its end, as the test wants");
    }
}
