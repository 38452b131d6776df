//! What servers say, out of a few things.

use serde_json::json;

use crate::sim::wire::{self, Item, Wire};

/// A flag or segment out of a few.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thing {
    /// A flag, else a segment.
    pub is_flag: bool,
    /// Which one.
    pub key: u8,
    /// Its own version.
    pub version: u8,
    /// Whether the flag is on.
    pub is_on: bool,
    /// The flag that it needs.
    pub needs: Option<u8>,
    /// The segment that it uses.
    pub uses: Option<u8>,
}

impl Thing {
    /// What is written of it. Put together by hand: this is most of what a step costs.
    pub fn item(&self) -> Item {
        let (key, version) = (name(self.is_flag, self.key), self.version);
        let object = if self.is_flag { self.flag(&key) } else { segment(&key, version) };
        let kind = if self.is_flag { "flag" } else { "segment" };
        Item { kind, key, version: version.into(), object }
    }

    fn flag(&self, key: &str) -> String {
        let Self { version, is_on, .. } = self;
        let needs = self.needs.map(name_of_flag);
        let needs = needs.map(|key| format!(r#"{{"key":"{key}","variation":1}}"#));
        let uses = self.uses.map(|key| name(false, key));
        let uses = uses.map(|key| {
            let clause = format!(r#"{{"attribute":"","op":"segmentMatch","values":["{key}"]}}"#);
            format!(r#"{{"id":"r","variation":1,"clauses":[{clause}]}}"#)
        });
        format!(
            r#"{{"key":"{key}","version":{version},"on":{is_on},"variations":[false,true],"fallthrough":{{"variation":1}},"offVariation":0,"salt":"s","targets":[],"rules":[{}],"prerequisites":[{}]}}"#,
            uses.unwrap_or_default(),
            needs.unwrap_or_default()
        )
    }
}

fn segment(key: &str, version: u8) -> String {
    format!(
        r#"{{"key":"{key}","version":{version},"included":[],"excluded":[],"rules":[],"salt":"s"}}"#
    )
}

pub(super) fn name(is_flag: bool, key: u8) -> String {
    format!("{}{key}", if is_flag { "f" } else { "g" })
}

pub(super) fn name_of_flag(key: u8) -> String {
    name(true, key)
}

/// One event of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Say {
    /// An intent.
    Full,
    /// An intent.
    Changes,
    /// An intent.
    None,
    /// A put.
    Put(Thing),
    /// A put that says `deleted: true`.
    PutDeleted(Thing),
    /// A put of a flag that cannot be decoded.
    PutBad(u8),
    /// A delete of a flag, else a segment.
    Delete(bool, u8),
    /// The end of a transfer, with this state.
    Transferred(u8),
    /// An `error`.
    Error,
    /// A goodbye.
    Goodbye,
    /// A goodbye that orders the fallback for so many seconds.
    GoodbyeToFdv1(u16),
    /// Something without meaning.
    Noise(u8),
    /// A known event that is not what the protocol says.
    Nonsense(u8),
    /// A known event whose data is no JSON.
    BadJson,
}

impl Say {
    /// What is written of it.
    pub fn wire(&self) -> Wire {
        match self {
            Self::Full => wire::intent("xfer-full"),
            Self::Changes => wire::intent("xfer-changes"),
            Self::None => wire::intent("none"),
            Self::Put(thing) => wire::put(thing.item()),
            Self::PutDeleted(thing) => wire::put(thing.item().with("deleted", json!(true))),
            Self::PutBad(key) => wire::put(wire::undecodable(&name_of_flag(*key))),
            Self::Delete(true, key) => wire::delete(&name(true, *key), 9),
            Self::Delete(false, key) => wire::delete_segment(&name(false, *key), 9),
            Self::Transferred(state) => wire::transferred(&format!("s{state}"), 1),
            Self::Error => wire::error(),
            Self::Goodbye => wire::goodbye(),
            Self::GoodbyeToFdv1(ttl) => wire::goodbye_to_fdv1(json!(ttl)),
            Self::Noise(which) => match which % 3 {
                0 => wire::heartbeat(),
                1 => wire::event("brand-new", r#"{"x":1}"#),
                _ => wire::event("delete-object", r#"{"kind":"experiment","key":"x"}"#),
            },
            Self::Nonsense(which) => match which % 4 {
                0 => wire::event("server-intent", r#"{"payloads":[]}"#),
                1 => wire::event("put-object", r#"{"kind":"flag","object":{}}"#),
                2 => wire::event("payload-transferred", r#"{"state":""}"#),
                _ => wire::event("delete-object", "[]"),
            },
            // Too many brackets: a body that holds it is broken, whoever reads it.
            Self::BadJson => wire::event("put-object", "}"),
        }
    }
}
