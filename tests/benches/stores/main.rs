//! Loading and replacing 10,000 flags of 2 KB in Redis and in SQLite, against a hand-written loop
//! of the same commands, decoding with the same model where it loads. None may take more than 1.5
//! times as long.
//!
//! By the clock on the wall, since most of the time is the database's; paired: the two take turns.
//! What counts is the median of the ratios.

#![expect(clippy::print_stdout, reason = "a bench tells its figures")]

mod outage;

use std::fmt::Debug;
use std::hint::black_box;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fdv2_client::store::{Answer, Kind, Query, Record, Store};
use fdv2_core::model::{Decoded, Flag, Item};
use fdv2_core::snapshot::Collection;
use fdv2_redis::RedisStore;
use fdv2_sqlite::SqliteStore;
use fdv2_tests::redis_server::RedisServer;
use fdv2_tests::scratch::Scratch;
use fdv2_tests::store_conformance::record;
use fdv2_tests::typical;
use redis::Commands;
use rusqlite::{Connection, TransactionBehavior};

const FLAGS: usize = 10_000;
const PAIRS: usize = 15;
const LARGEST_RATIO: f64 = 1.5;

fn main() -> ExitCode {
    let records: Vec<Record> = (0..FLAGS)
        .map(|number| record::<Flag>(&typical::key(number), &typical::flag(number, 1)))
        .collect();
    println!("{FLAGS} flags; medians of {PAIRS} pairs; bound {LARGEST_RATIO}");
    let is_reached = [in_redis(&records), in_sqlite(&records), vec![outage::compare()]].concat();
    if is_reached.iter().all(|is| *is) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn in_redis(records: &[Record]) -> Vec<bool> {
    let server = RedisServer::start();
    let store = Store::new(RedisStore::new(&server.url()).expect("a good URL"));
    let client = redis::Client::open(server.url()).expect("a good URL");
    let mut connection = client.get_connection().expect("the server runs");
    vec![
        compare(
            "Redis, replace all",
            || replace(&store, records),
            || redis_replace(&mut connection, records),
        ),
        compare("Redis, load", || load(&store), || redis_load(&mut connection)),
    ]
}

fn in_sqlite(records: &[Record]) -> Vec<bool> {
    let scratch = Scratch::new();
    let store = Store::new(SqliteStore::new(scratch.file("flags.sqlite")));
    let mut connection = sqlite(&scratch.file("by-hand.sqlite")).expect("a new file");
    vec![
        compare(
            "SQLite, replace all",
            || replace(&store, records),
            || good(sqlite_replace(&mut connection, records)),
        ),
        compare("SQLite, load", || load(&store), || good(sqlite_load(&connection))),
    ]
}

fn replace(store: &Store, records: &[Record]) {
    good(smol::block_on(store.replace_all(records.to_vec())));
}

fn load(store: &Store) -> Collection<Arc<Item<Flag>>> {
    match good(smol::block_on(store.read(Query::All(Kind::Flag)))) {
        Answer::Flags(loaded) => loaded.items,
        other => panic!("no flags: {other:?}"),
    }
}

fn redis_replace(connection: &mut redis::Connection, records: &[Record]) {
    let fields: Vec<(&str, &str)> =
        records.iter().map(|record| (&**record.key(), &**record.text())).collect();
    let replace = redis::pipe()
        .atomic()
        .del("by-hand:features")
        .hset_multiple("by-hand:features", &fields)
        .set("by-hand:$inited", "1")
        .exec(connection);
    good(replace);
}

fn redis_load(connection: &mut redis::Connection) -> Vec<Arc<Item<Flag>>> {
    let pairs: Vec<(String, String)> = good(connection.hgetall("by-hand:features"));
    pairs.iter().map(|(key, text)| decode(key, text)).collect()
}

fn sqlite(file: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(file)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.execute_batch(
        "CREATE TABLE features (
            key TEXT PRIMARY KEY NOT NULL, version INTEGER NOT NULL, item TEXT NOT NULL
        ) STRICT",
    )?;
    Ok(connection)
}

fn sqlite_replace(connection: &mut Connection, records: &[Record]) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute("DELETE FROM features", [])?;
    let mut insert = transaction.prepare_cached("INSERT INTO features VALUES (?1, ?2, ?3)")?;
    for record in records {
        insert.execute((&**record.key(), record.version().cast_signed(), &**record.text()))?;
    }
    drop(insert);
    transaction.commit()
}

fn sqlite_load(connection: &Connection) -> rusqlite::Result<Vec<Arc<Item<Flag>>>> {
    let mut select = connection.prepare_cached("SELECT key, item FROM features")?;
    let mut rows = select.query([])?;
    let mut items = Vec::new();
    while let Some(row) = rows.next()? {
        items.push(decode(row.get_ref(0)?.as_str()?, row.get_ref(1)?.as_str()?));
    }
    Ok(items)
}

fn decode(key: &str, text: &str) -> Arc<Item<Flag>> {
    match Item::decode(key.into(), 0, text) {
        Ok(Decoded::Live(item)) => Arc::new(item),
        other => panic!("not an item: {other:?}"),
    }
}

fn good<T, E: Debug>(result: Result<T, E>) -> T {
    result.expect("the database works")
}

/// Prints a row, and says whether the bound is kept.
fn compare<A, B>(name: &str, mut ours: impl FnMut() -> A, mut by_hand: impl FnMut() -> B) -> bool {
    drop((ours(), by_hand()));
    let pairs: Vec<_> = (0..PAIRS).map(|_| (timed(&mut ours), timed(&mut by_hand))).collect();
    let ratio = median(pairs.iter().map(|(ours, by_hand)| ours.div_duration_f64(*by_hand)));
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    println!(
        "{name:<20} {:>8.1} ms   by hand {:>8.1} ms   ratio {ratio:.2}",
        median(pairs.iter().map(|(ours, _)| millis(*ours))),
        median(pairs.iter().map(|(_, by_hand)| millis(*by_hand))),
    );
    ratio <= LARGEST_RATIO
}

fn timed<T>(work: &mut impl FnMut() -> T) -> Duration {
    let begun = Instant::now();
    let result = black_box(work());
    let elapsed = begun.elapsed();
    drop(result);
    elapsed
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
