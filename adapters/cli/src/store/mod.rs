//! Persistent stores on the command line: naming one, `fdv2 store show` and `fdv2 store clear`.

mod contents;
mod show;

use std::convert::Infallible;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use fdv2_client::store::{PersistentStore, Store, StoreError};
use fdv2_redis::RedisStore;
use fdv2_sqlite::SqliteStore;

use self::contents::Contents;
use crate::args::{StoreArgs, StoreCommand};
use crate::failure::Failure;
use crate::output::Output;

/// A store as it is named on the command line: `redis://…`, `rediss://…` or `sqlite:PATH`.
///
/// A URL may hold a password, so it shows neither in `Debug` nor in an error (B 11.1): whatever is
/// wrong with it is said when it is opened, as the parser of arguments repeats what it refuses.
#[derive(Clone)]
pub(crate) enum StoreName {
    Redis(String),
    Sqlite(PathBuf),
    Unknown,
}

/// What is said of a store that is named otherwise.
const USAGE: &str = "the store is not known: name it redis://HOST:PORT/DATABASE, rediss://… for TLS, or sqlite:PATH";

impl FromStr for StoreName {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let path = text.strip_prefix("sqlite:").filter(|path| !path.is_empty());
        let is_redis = text.starts_with("redis://") || text.starts_with("rediss://");
        Ok(match path {
            Some(path) => Self::Sqlite(path.into()),
            None if is_redis => Self::Redis(text.to_owned()),
            None => Self::Unknown,
        })
    }
}

impl fmt::Debug for StoreName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Redis(_) => "Redis",
            Self::Sqlite(_) => "SQLite",
            Self::Unknown => "unknown",
        })
    }
}

impl StoreName {
    /// The store, for a client.
    pub(crate) fn open(&self, prefix: Option<&str>) -> Result<Store, Failure> {
        Ok(match self {
            Self::Redis(url) => Store::new(redis(url, prefix)?),
            Self::Sqlite(path) => Store::new(SqliteStore::new(path)),
            Self::Unknown => return Err(Failure::Usage(USAGE.to_owned())),
        })
    }

    /// That the store is there and can be read. Makes no file.
    pub(crate) async fn check(&self) -> Result<(), Failure> {
        self.work(None, |store| store.is_initialized()).await.map(drop)
    }

    /// Runs `work` on the store, away from the runtime. A file that is not there is not made.
    async fn work<R: Send + 'static>(
        &self,
        prefix: Option<&str>,
        work: impl FnOnce(&dyn Clearable) -> Result<R, StoreError> + Send + 'static,
    ) -> Result<R, Failure> {
        let store: Box<dyn Clearable> = match self {
            Self::Redis(url) => Box::new(redis(url, prefix)?),
            Self::Sqlite(path) if path.is_file() => Box::new(SqliteStore::new(path)),
            Self::Sqlite(path) => {
                let message = format!("there is no file {}", path.display());
                return Err(Failure::Failed(message));
            }
            Self::Unknown => return Err(Failure::Usage(USAGE.to_owned())),
        };
        let worked = tokio::task::spawn_blocking(move || work(&*store)).await;
        let worked = worked.map_err(|_| Failure::Failed("the store panicked".to_owned()))?;
        worked.map_err(|error| Failure::Failed(error.to_string()))
    }
}

fn redis(url: &str, prefix: Option<&str>) -> Result<RedisStore, Failure> {
    let store = RedisStore::new(url).map_err(|error| Failure::Usage(error.to_string()))?;
    Ok(store.prefix(prefix.unwrap_or_default()))
}

/// A store that can be emptied.
trait Clearable: PersistentStore {
    fn clear(&self) -> Result<(), StoreError>;
}

impl Clearable for RedisStore {
    fn clear(&self) -> Result<(), StoreError> {
        self.clear()
    }
}

impl Clearable for SqliteStore {
    fn clear(&self) -> Result<(), StoreError> {
        self.clear()
    }
}

/// `fdv2 store …`.
pub(crate) async fn run(args: StoreArgs, output: &Output) -> Result<(), Failure> {
    match args.command {
        StoreCommand::Show(show) => {
            let prefix = show.store.prefix.as_deref();
            let contents = show.store.name.work(prefix, Contents::read);
            show::print(&contents.await?, show.json, output).await
        }
        StoreCommand::Clear(clear) => {
            if !clear.yes {
                let message = "this removes every flag and segment from the store, for all who \
                               use it; say so with --yes";
                return Err(Failure::Usage(message.to_owned()));
            }
            let prefix = clear.store.prefix.as_deref();
            clear.store.name.work(prefix, |store| store.clear()).await?;
            output.line("The store is empty, and has no marker.").await
        }
    }
}
