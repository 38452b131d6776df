//! The clients that there are.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fdv2_client::{Client, Listener};

use crate::refusal::Refusal;

/// A client with what was registered with it.
pub(crate) struct Held {
    pub(crate) client: Client,
    /// By the ids that they were given.
    pub(crate) listeners: Mutex<BTreeMap<String, Listener>>,
}

/// All clients, by number.
#[derive(Default)]
pub(crate) struct Clients(Mutex<Numbered>);

#[derive(Default)]
struct Numbered {
    clients: BTreeMap<u64, Arc<Held>>,
    newest: u64,
}

impl Clients {
    /// Adds a client, and gives its number.
    pub(crate) fn add(&self, client: Client) -> u64 {
        let mut numbered = self.locked();
        numbered.newest += 1;
        let (number, held) = (numbered.newest, Held { client, listeners: Mutex::default() });
        numbered.clients.insert(number, Arc::new(held));
        number
    }

    pub(crate) fn find(&self, number: u64) -> Result<Arc<Held>, Refusal> {
        self.locked().clients.get(&number).cloned().ok_or_else(|| unknown(number))
    }

    pub(crate) fn take(&self, number: u64) -> Result<Arc<Held>, Refusal> {
        self.locked().clients.remove(&number).ok_or_else(|| unknown(number))
    }

    fn locked(&self) -> MutexGuard<'_, Numbered> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unknown(number: u64) -> Refusal {
    Refusal::unknown(format!("client {number}"))
}
