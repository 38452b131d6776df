//! `fdv2 store show`: lines for people, or JSON.

use fdv2_client::core::model::Kind;
use serde_json::{Value, json};

use super::contents::{Contents, Record, State};
use crate::failure::Failure;
use crate::output::Output;
use crate::table;
use crate::words::counted;

pub(super) async fn print(
    contents: &Contents,
    is_json: bool,
    output: &Output,
) -> Result<(), Failure> {
    if is_json {
        return output.line(as_json(contents).to_string()).await;
    }
    output.line(summary(contents)).await?;
    if contents.records.is_empty() {
        return Ok(());
    }
    output.line("").await?;
    let rows: Vec<_> = contents.records.iter().map(row).collect();
    for line in table::lines(output.style, &["kind", "key", "version", "state"], &rows) {
        output.line(line).await?;
    }
    Ok(())
}

fn summary(contents: &Contents) -> String {
    let marker = if contents.is_initialized {
        "The store is initialized"
    } else {
        "The store has no marker, so clients with sources leave it alone"
    };
    let flags = counted(contents.live(Kind::Flag), "flag");
    let segments = counted(contents.live(Kind::Segment), "segment");
    let tombstones = counted(contents.count(|state| *state == State::Deleted), "tombstone");
    let unreadable = contents.count(|state| matches!(state, State::Unreadable(_)));
    let unreadable = match unreadable {
        0 => String::new(),
        count => format!(", {} that cannot be read", counted(count, "record")),
    };
    format!("{marker}. It holds {flags}, {segments}, {tombstones}{unreadable}.")
}

fn row(record: &Record) -> Vec<String> {
    let version = record.version.map_or_else(|| "-".to_owned(), |version| version.to_string());
    let state = match &record.state {
        State::Live => "live".to_owned(),
        State::Deleted => "deleted".to_owned(),
        State::Unreadable(why) => why.clone(),
    };
    vec![record.kind.to_string(), printable(&record.key), version, state]
}

/// A key that is safe to print: control characters in it could move a terminal's cursor.
fn printable(key: &str) -> String {
    key.chars()
        .flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] })
        .collect()
}

fn as_json(contents: &Contents) -> Value {
    let records: Vec<_> = contents
        .records
        .iter()
        .map(|record| {
            let (state, error) = match &record.state {
                State::Live => ("live", None),
                State::Deleted => ("deleted", None),
                State::Unreadable(why) => ("unreadable", Some(why)),
            };
            json!({
                "kind": record.kind.to_string(),
                "key": record.key,
                "version": record.version,
                "state": state,
                "error": error,
            })
        })
        .collect();
    json!({
        "initialized": contents.is_initialized,
        "flags": contents.live(Kind::Flag),
        "segments": contents.live(Kind::Segment),
        "records": records,
    })
}
