//! A persistent store for fdv2 in Redis, and one of the members of big segments, in LaunchDarkly's
//! layout: its Relay Proxy and its SDKs read and write the same data.
//!
//! Nothing is connected before the first call, which runs on a thread of the store's own. There is
//! no asynchronous runtime in it.
//!
//! ```
//! use fdv2_client::store::Store;
//! use fdv2_redis::RedisStore;
//!
//! let store = Store::new(RedisStore::new("redis://localhost:6379")?.prefix("my-app"));
//! # drop(store);
//! # Ok::<(), fdv2_redis::RedisUrlError>(())
//! ```

mod big_segments;
mod connections;
mod database;
mod fault;
mod store;
#[cfg(feature = "tls")]
mod tls;
mod url;

pub use big_segments::RedisBigSegmentStore;
pub use store::RedisStore;
pub use url::RedisUrlError;
