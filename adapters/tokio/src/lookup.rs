//! Name look-ups that no runtime waits for.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use futures::channel::oneshot;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// So many look-ups can be under way at once; one more is refused. Attempts give up on theirs
/// after seconds, so that only a resolver that hangs for minutes gets there.
const MOST: usize = 8;

/// Asks the system's resolver, each look-up on a thread of its own: tokio's own way, its blocking
/// pool, holds up the end of a runtime until the resolver has answered (B 10.5).
#[derive(Clone, Default)]
pub(crate) struct Lookups {
    running: Arc<AtomicUsize>,
}

impl Lookups {
    fn begin(&self, host: String) -> io::Result<oneshot::Receiver<io::Result<Vec<SocketAddr>>>> {
        let place = Place::take(&self.running)?;
        let (answer, answered) = oneshot::channel();
        thread::Builder::new().name("fdv2-lookup".to_owned()).spawn(move || {
            let addresses = (host.as_str(), 0).to_socket_addrs().map(Iterator::collect);
            drop(place);
            // Nobody listens any more when the attempt was given up.
            let _ = answer.send(addresses);
        })?;
        Ok(answered)
    }
}

impl Resolve for Lookups {
    fn resolve(&self, name: Name) -> Resolving {
        let begun = self.begin(name.as_str().to_owned());
        Box::pin(async move {
            let addresses = begun?.await.map_err(|_| io::Error::other("the look-up ended"))??;
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

/// One of the [`MOST`] places.
struct Place(Arc<AtomicUsize>);

impl Place {
    fn take(running: &Arc<AtomicUsize>) -> io::Result<Self> {
        let place = Self(Arc::clone(running));
        if running.fetch_add(1, Ordering::Relaxed) < MOST {
            Ok(place)
        } else {
            Err(io::Error::other("the system's resolver hangs: too many look-ups are under way"))
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_ups_are_bounded() {
        let running = Arc::default();
        let taken: Vec<_> = (0..MOST).map(|_| Place::take(&running).unwrap()).collect();
        assert!(Place::take(&running).is_err());
        drop(taken);
        assert!(Place::take(&running).is_ok());
    }
}
