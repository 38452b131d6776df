//! A server with endpoints that come and go (C 1.1).

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use fdv2_tests::server::{Live, Received, Script, SelfSigned, Server};

use super::{never, soon};

/// A request to an endpoint: its target is what follows the endpoint's own path.
pub(crate) struct Asked<'a> {
    pub(crate) request: &'a Received,
    /// How many came before it.
    pub(crate) number: usize,
    lives: &'a Mutex<Vec<Live>>,
}

/// What an endpoint does about a request.
pub(crate) type Handler = Arc<dyn Fn(&Asked) -> Script + Send + Sync>;

/// A server on which endpoints are mounted, at `/endpoints/N`.
pub(crate) struct Mocks {
    server: Server,
    mounted: Arc<Mutex<Vec<Arc<Mounted>>>>,
}

struct Mounted {
    handler: Handler,
    requests: Mutex<Vec<Received>>,
    lives: Mutex<Vec<Live>>,
    is_closed: AtomicBool,
}

/// An endpoint that is mounted until it is closed.
pub(crate) struct Endpoint {
    url: String,
    mounted: Arc<Mounted>,
    taken: AtomicUsize,
}

impl Mocks {
    pub(crate) fn new() -> Self {
        let mounted = Arc::default();
        let routes = Arc::clone(&mounted);
        Self { server: Server::new(move |_, request| route(&routes, request)), mounted }
    }

    pub(crate) fn over_tls(own: &SelfSigned) -> Self {
        let mounted = Arc::default();
        let routes = Arc::clone(&mounted);
        let answer = move |_, request: &Received| route(&routes, request);
        Self { server: Server::over_tls(Arc::clone(&own.server), answer), mounted }
    }

    /// The server's own URL, where nothing is mounted.
    pub(crate) fn url(&self) -> String {
        self.server.url()
    }

    pub(crate) fn mount(&self, handler: Handler) -> Endpoint {
        let mut all = self.mounted.lock().unwrap();
        let mounted = Arc::new(Mounted {
            handler,
            requests: Mutex::default(),
            lives: Mutex::default(),
            is_closed: AtomicBool::new(false),
        });
        all.push(Arc::clone(&mounted));
        let url = format!("{}/endpoints/{}", self.server.url(), all.len());
        Endpoint { url, mounted, taken: AtomicUsize::new(0) }
    }

    /// An endpoint that is there no more.
    pub(crate) fn closed(&self) -> Endpoint {
        let endpoint = self.mount(Arc::new(|_| Script::status(500)));
        endpoint.close();
        endpoint
    }
}

/// Finds the endpoint of a request. Through a proxy, the target is a whole URL.
fn route(mounted: &Mutex<Vec<Arc<Mounted>>>, request: &Received) -> Script {
    let target = match request.target.strip_prefix("http://") {
        Some(rest) => rest.find('/').map_or("/", |path| &rest[path..]),
        None => &request.target,
    };
    let Some((number, rest)) = target
        .strip_prefix("/endpoints/")
        .map(|path| path.split_at(path.find(['/', '?']).unwrap_or(path.len())))
    else {
        return Script::status(404);
    };
    let number = number.parse::<usize>().unwrap_or(0);
    let endpoint = number.checked_sub(1).and_then(|at| mounted.lock().unwrap().get(at).cloned());
    match endpoint {
        Some(endpoint) if !endpoint.is_closed.load(Ordering::SeqCst) => {
            endpoint.answer(&Received { target: rest.to_owned(), ..request.clone() })
        }
        _ => Script::status(404),
    }
}

impl Mounted {
    fn answer(&self, request: &Received) -> Script {
        let number = {
            let mut requests = self.requests.lock().unwrap();
            requests.push(request.clone());
            requests.len() - 1
        };
        (self.handler)(&Asked { request, number, lives: &self.lives })
    }
}

impl Asked<'_> {
    /// What the answer goes on with, until the endpoint is closed.
    pub(crate) fn live(&self) -> Live {
        let live = Live::new();
        self.lives.lock().unwrap().push(live.clone());
        live
    }
}

impl Endpoint {
    /// The base URL, without a slash at its end.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// The next request that was not looked at yet.
    #[track_caller]
    pub(crate) fn request(&self, within: Duration) -> Received {
        let what = format!("a request to {}", self.url);
        let request = soon(&what, within, || self.untaken());
        self.taken.fetch_add(1, Ordering::SeqCst);
        request
    }

    /// Sees to it that no request comes for so long, but for those that were looked at.
    #[track_caller]
    pub(crate) fn is_left_alone(&self, window: Duration) {
        never(&format!("a request to {}", self.url), window, || match self.untaken() {
            Some(request) => panic!("{request:?}, {}", String::from_utf8_lossy(&request.body)),
            None => false,
        });
    }

    fn untaken(&self) -> Option<Received> {
        self.requests().get(self.taken.load(Ordering::SeqCst)).cloned()
    }

    pub(crate) fn requests(&self) -> MutexGuard<'_, Vec<Received>> {
        self.mounted.requests.lock().unwrap()
    }

    /// From here on a request gets a 404, and the answers under way end.
    pub(crate) fn close(&self) {
        self.mounted.is_closed.store(true, Ordering::SeqCst);
        self.mounted.lives.lock().unwrap().iter().for_each(Live::end);
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.close();
    }
}
