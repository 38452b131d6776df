//! Events on the wire (C 1.6), as a stream frames them and as a poll lists them.

use std::sync::Arc;

use crate::content::Entry;
use crate::file::quoted;

/// How events are set apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Server-sent events.
    Stream,
    /// Members of a poll body's `events`, without the commas between them.
    Poll,
}

/// Writes one event with its data.
fn write(framing: Framing, name: &str, data: &[&str], out: &mut Vec<u8>) {
    let (begin, middle, end) = match framing {
        Framing::Stream => ("event: ", "\ndata: ", "\n\n"),
        Framing::Poll => (r#"{"event":""#, r#"","data":"#, "}"),
    };
    let parts = [begin, name, middle].into_iter().chain(data.iter().copied()).chain([end]);
    parts.for_each(|part| out.extend_from_slice(part.as_bytes()));
}

pub(crate) fn server_intent(framing: Framing, code: &str, reason: &str, out: &mut Vec<u8>) {
    let begin = r#"{"payloads":[{"id":"file","target":1,"intentCode":""#;
    let data = [begin, code, r#"","reason":""#, reason, r#""}]}"#];
    write(framing, "server-intent", &data, out);
}

/// A put, or the delete of an item that is gone.
pub(crate) fn item(framing: Framing, entry: &Entry, out: &mut Vec<u8>) {
    let (kind, key, version) =
        (entry.id.kind.name(), quoted(&entry.id.key), entry.version.to_string());
    let named = [r#"{"kind":""#, kind, r#"","key":"#, &key, r#","version":"#, &version];
    match entry.object().map(Arc::as_ref) {
        Some(object) => {
            let data = [&named[..], &[r#","object":"#, object, "}"]].concat();
            write(framing, "put-object", &data, out);
        }
        None => write(framing, "delete-object", &[&named[..], &["}"]].concat(), out),
    }
}

pub(crate) fn payload_transferred(framing: Framing, state: &str, version: u64, out: &mut Vec<u8>) {
    let (state, version) = (quoted(state), version.to_string());
    let data = [r#"{"state":"#, &state, r#","version":"#, &version, "}"];
    write(framing, "payload-transferred", &data, out);
}

pub(crate) fn heartbeat(out: &mut Vec<u8>) {
    write(Framing::Stream, "heartbeat", &["{}"], out);
}
