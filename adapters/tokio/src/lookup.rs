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

type Addresses = io::Result<Vec<SocketAddr>>;

/// Asks the system's resolver, each look-up on a thread of its own: tokio's own way, its blocking
/// pool, holds up the end of a runtime until the resolver has answered (B 10.5).
#[derive(Clone)]
pub(crate) struct Lookups {
    resolver: fn(&str) -> Addresses,
    running: Arc<AtomicUsize>,
}

impl Lookups {
    pub(crate) fn new() -> Self {
        Self::by(|host| Ok((host, 0).to_socket_addrs()?.collect()))
    }

    fn by(resolver: fn(&str) -> Addresses) -> Self {
        Self { resolver, running: Arc::default() }
    }

    fn begin(&self, host: String) -> io::Result<oneshot::Receiver<Addresses>> {
        let place = Place::take(&self.running)?;
        let resolver = self.resolver;
        let (answer, answered) = oneshot::channel();
        thread::Builder::new().name("fdv2-lookup".to_owned()).spawn(move || {
            let addresses = resolver(&host);
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
    use std::time::{Duration, Instant};

    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    fn hangs(_: &str) -> Addresses {
        thread::sleep(HOUR);
        Ok(Vec::new())
    }

    fn is_refused(lookups: &Lookups) -> bool {
        lookups.begin("h".to_owned()).is_err()
    }

    #[test]
    fn a_name_is_looked_up() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let mut found =
            runtime.block_on(Lookups::new().resolve("localhost".parse().unwrap())).unwrap();
        assert!(found.all(|address| address.ip().is_loopback()));
    }

    /// B 10.5.
    #[test]
    fn a_runtime_does_not_wait_for_a_look_up() {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let lookup = Lookups::by(hangs).resolve("h".parse().unwrap());
        let task = runtime.spawn(async move { lookup.await.is_ok() });
        let begun = Instant::now();
        drop(runtime);
        assert!(begun.elapsed() < HOUR / 100);
        assert!(task.is_finished());
    }

    #[test]
    fn look_ups_that_hang_are_bounded() {
        let lookups = Lookups::by(hangs);
        let hanging: Vec<_> = (0..MOST).map(|_| lookups.begin("h".to_owned())).collect();
        assert!(hanging.iter().all(Result::is_ok));
        assert!(is_refused(&lookups));
    }

    #[test]
    fn look_ups_that_have_ended_make_room() {
        let lookups = Lookups::by(|_| Err(io::Error::other("no such name")));
        for _ in 0..4 * MOST {
            let answered = lookups.begin("h".to_owned()).unwrap();
            assert!(futures::executor::block_on(answered).unwrap().is_err());
        }
    }
}
