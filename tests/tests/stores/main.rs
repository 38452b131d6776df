//! Persistent stores: the suite for all of them, what each promises beyond, and the threads that
//! their calls run on.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "tests")]

mod big_segments;
mod conformance;
mod gated;
mod hanging;
mod host;
mod mirror;
mod order;
mod processes;
mod reading;
mod redis;
mod redis_faults;
mod redis_tls;
mod smol_alone;
mod sqlite;
mod workers;

use std::future::Future;

use fdv2_client::store::{Answer, Loaded, Query, Store};
use fdv2_core::model::{Flag, Kind, Segment};
use fdv2_tests::redis_server::RedisServer;

/// Waits for a call.
fn wait<T>(call: impl Future<Output = T>) -> T {
    smol::block_on(call)
}

/// All flags, as a client reads them.
fn flags(store: &Store) -> Loaded<Flag> {
    match wait(store.read(Query::All(Kind::Flag))) {
        Ok(Answer::Flags(loaded)) => loaded,
        other => panic!("no flags: {other:?}"),
    }
}

/// All segments, as a client reads them.
fn segments(store: &Store) -> Loaded<Segment> {
    match wait(store.read(Query::All(Kind::Segment))) {
        Ok(Answer::Segments(loaded)) => loaded,
        other => panic!("no segments: {other:?}"),
    }
}

/// Their keys, in order.
fn keys<T>(loaded: &Loaded<T>) -> Vec<&str> {
    loaded.items.iter().map(|(key, _)| &**key).collect()
}

/// Lets a server refuse writes, or take them again with 0.
fn limit_memory(server: &RedisServer, bytes: &str) {
    let mut raw = ::redis::Client::open(server.url()).unwrap().get_connection().unwrap();
    ::redis::cmd("CONFIG").arg(&["SET", "maxmemory", bytes]).exec(&mut raw).unwrap();
}
