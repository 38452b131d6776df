//! The handle of a running server.

use std::hash::{BuildHasher, RandomState};
use std::net::SocketAddr;
use std::sync::{Arc, mpsc};
use std::time::Duration;
use std::{io, thread};

use fdv2_core::model::Kind;
use fdv2_files::FileError;
use tokio::net::TcpListener;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;

use crate::connection;
use crate::content::Content;
use crate::control::Control;
use crate::feed::Feed;
use crate::notice::{Board, Notices};
use crate::options::Options;
use crate::routes::{Service, router};

/// How long [`Server::stop`] waits for connections before it closes them.
const STOP_LIMIT: Duration = Duration::from_secs(2);

/// Why a server could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The file cannot be used.
    #[error("{0}")]
    File(FileError),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// Where to listen.
        address: SocketAddr,
        /// What is wrong with it.
        error: io::Error,
    },
    /// The thread that watches the file could not be started.
    #[error("the thread that watches the file could not be started: {0}")]
    Thread(io::Error),
}

/// A running server. Dropping it stops it without waiting.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    content: watch::Receiver<Arc<Content>>,
    control: Arc<Control>,
    board: Board,
    accepting: JoinHandle<()>,
    /// Its end stops the thread that watches the file.
    _watching: mpsc::Sender<()>,
}

impl Server {
    /// Reads the file, listens, and serves. To be called on a tokio runtime with I/O and time.
    ///
    /// # Errors
    /// [`StartError`] when the file cannot be used or the address not be listened on.
    pub async fn start(options: Options) -> Result<Self, StartError> {
        let address = options.address;
        let listen = async {
            let listener = TcpListener::bind(address).await?;
            Ok((listener.local_addr()?, listener))
        };
        let (address, listener) =
            listen.await.map_err(|error| StartError::Listen { address, error })?;
        let board = Board::new();
        let (content, watching) = watch_file(&options, board.clone()).await?;
        let control = Arc::new(Control::new(board.clone()));
        let service = Service {
            content: content.clone(),
            control: control.clone(),
            sdk_key: options.sdk_key,
            heartbeat: options.heartbeat,
        };
        let serving = connection::serve(
            listener,
            router(Arc::new(service)),
            control.orders(),
            options.stall_limit,
        );
        let accepting = tokio::spawn(serving);
        Ok(Self { address, content, control, board, accepting, _watching: watching })
    }

    /// Where it listens, with the port that was free.
    pub fn addr(&self) -> SocketAddr {
        self.address
    }

    /// The base URL for clients on this machine.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// How many flags are served now.
    pub fn flags(&self) -> usize {
        self.content.borrow().live(Kind::Flag).count()
    }

    /// How many streams are open now.
    pub fn open_streams(&self) -> usize {
        self.control.open_streams()
    }

    /// What happens from now on.
    pub fn notices(&self) -> Notices {
        self.board.subscribe()
    }

    /// Breaks every open stream, as a network fault would.
    pub fn cut_streams(&self) {
        self.control.cut_streams();
    }

    /// Answers new streams with 503, or serves them again. Polls go on in either case.
    pub fn refuse_streams(&self, refuse: bool) {
        self.control.refuse_streams(refuse);
    }

    /// Ends the streams, lets running answers end, and closes what is left after 2 s.
    pub async fn stop(mut self) {
        self.control.stop();
        let _ = tokio::time::timeout(STOP_LIMIT, &mut self.accepting).await;
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Reads the file and goes on watching it on a thread of its own, until the sender is dropped.
async fn watch_file(
    options: &Options,
    board: Board,
) -> Result<(watch::Receiver<Arc<Content>>, mpsc::Sender<()>), StartError> {
    let (stop, stopped) = mpsc::channel();
    let (told, first) = oneshot::channel();
    let (file, interval, run) = (options.file.clone(), options.check_interval, run_id());
    let work = move || match Feed::start(file, interval, &run, board) {
        Ok(feed) => {
            // Nobody listens any more if the start was given up, and then `stop` is gone, too.
            let _ = told.send(Ok(feed.subscribe()));
            feed.run(interval, &stopped);
        }
        Err(error) => drop(told.send(Err(error))),
    };
    thread::Builder::new()
        .name("fdv2-server-file".to_owned())
        .spawn(work)
        .map_err(StartError::Thread)?;
    let content = first
        .await
        .map_err(|_| StartError::Thread(io::Error::other("it ended early")))?
        .map_err(StartError::File)?;
    Ok((content, stop))
}

/// Sets this run's selectors apart from those of any other: a random number.
fn run_id() -> String {
    format!("run-{:016x}", RandomState::new().hash_one(std::process::id()))
}
