//! What a server may send, and how it looks on the wire.

use proptest::prelude::*;

/// A flag or segment.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Id {
    pub(super) is_flag: bool,
    pub(super) key: String,
}

/// What an object says.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Content {
    pub(super) version: u64,
    pub(super) is_deleted: bool,
    salt: u8,
    /// Two orders of the members say the same.
    is_reversed: bool,
    /// The version stands in the envelope only.
    is_version_outside: bool,
    prerequisites: Vec<u8>,
    segments: Vec<u8>,
}

/// One event.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Event {
    Full,
    Changes,
    None,
    Put(Id, Content),
    BadPut(Id),
    Delete(Id, u64),
    Transferred(String),
    Error,
    Goodbye,
    /// Something that means nothing.
    Noise,
}

impl Id {
    fn new(is_flag: bool, number: u8) -> Self {
        Self { is_flag, key: format!("{}{number}", if is_flag { "f" } else { "s" }) }
    }

    fn kind(&self) -> &'static str {
        if self.is_flag { "flag" } else { "segment" }
    }
}

impl Content {
    /// The JSON text as it is kept.
    pub(super) fn text(&self, id: &Id) -> String {
        let version = format!(r#""version":{}"#, self.version);
        let rest = self.members(id);
        match (self.is_version_outside, self.is_reversed) {
            (true, _) | (false, false) => format!("{{{version},{rest}}}"),
            (false, true) => format!("{{{rest},{version}}}"),
        }
    }

    fn sent(&self, id: &Id) -> String {
        if self.is_version_outside { format!("{{{}}}", self.members(id)) } else { self.text(id) }
    }

    fn members(&self, id: &Id) -> String {
        let segments: Vec<String> = self.segments.iter().map(|n| format!(r#""s{n}""#)).collect();
        let mut members = vec![
            format!(r#""key":"{}""#, id.key),
            format!(r#""salt":"{}""#, self.salt),
            format!(r#""deleted":{}"#, self.is_deleted),
            format!(
                concat!(
                    r#""rules":[{{"variation":0,"clauses":[{{"attribute":"","#,
                    r#""op":"segmentMatch","values":[{}]}}]}}]"#
                ),
                segments.join(",")
            ),
        ];
        if id.is_flag {
            let names = self.prerequisites.iter();
            let list: Vec<String> =
                names.map(|n| format!(r#"{{"key":"f{n}","variation":0}}"#)).collect();
            members.push(format!(r#""prerequisites":[{}]"#, list.join(",")));
        }
        if self.is_reversed {
            members.reverse();
        }
        members.join(",")
    }

    /// What it names.
    pub(super) fn references(&self, id: &Id) -> Vec<Id> {
        let flags = self.prerequisites.iter().filter(|_| id.is_flag).map(|n| Id::new(true, *n));
        flags.chain(self.segments.iter().map(|n| Id::new(false, *n))).collect()
    }
}

impl Event {
    /// Its name and data.
    pub(super) fn wire(&self) -> (&'static str, String) {
        let intent = |code: &str| {
            ("server-intent", format!(r#"{{"payloads":[{{"id":"p","intentCode":"{code}"}}]}}"#))
        };
        let put = |id: &Id, version: u64, object: &str| {
            let (kind, key) = (id.kind(), &id.key);
            let head = format!(r#""kind":"{kind}","key":"{key}","version":{version}"#);
            ("put-object", format!(r#"{{{head},"object":{object}}}"#))
        };
        match self {
            Self::Full => intent("xfer-full"),
            Self::Changes => intent("xfer-changes"),
            Self::None => intent("none"),
            Self::Put(id, content) => {
                let envelope = if content.is_version_outside { content.version } else { 99 };
                put(id, envelope, &content.sent(id))
            }
            Self::BadPut(id) => put(id, 1, r#"{"rules":7}"#),
            Self::Delete(id, version) => {
                let (kind, key) = (id.kind(), &id.key);
                let data = format!(r#"{{"version":{version},"kind":"{kind}","key":"{key}"}}"#);
                ("delete-object", data)
            }
            Self::Transferred(state) => {
                ("payload-transferred", format!(r#"{{"state":"{state}","version":1}}"#))
            }
            Self::Error => ("error", r#"{"reason":"oops"}"#.to_owned()),
            Self::Goodbye => ("goodbye", "no JSON".to_owned()),
            Self::Noise => ("put-object", r#"{"kind":"experiment","object":[]}"#.to_owned()),
        }
    }
}

fn id() -> impl Strategy<Value = Id> {
    (any::<bool>(), 0..5_u8).prop_map(|(is_flag, number)| Id::new(is_flag, number))
}

prop_compose! {
    fn content()(
        version in 1..3_u64,
        is_deleted in prop::bool::weighted(0.1),
        salt in 0..2_u8,
        is_reversed in any::<bool>(),
        is_version_outside in any::<bool>(),
        prerequisites in prop::collection::vec(0..5_u8, 0..3),
        segments in prop::collection::vec(0..5_u8, 0..2),
    ) -> Content {
        Content {
            version, is_deleted, salt, is_reversed, is_version_outside, prerequisites, segments,
        }
    }
}

/// Everything, with a transfer that completes as the most likely course.
pub(super) fn script() -> impl Strategy<Value = Vec<Event>> {
    let event = prop_oneof![
        6 => Just(Event::Full),
        4 => Just(Event::Changes),
        2 => Just(Event::None),
        30 => (id(), content()).prop_map(|(id, content)| Event::Put(id, content)),
        1 => id().prop_map(Event::BadPut),
        6 => (id(), 1..3_u64).prop_map(|(id, version)| Event::Delete(id, version)),
        10 => "s[0-9]".prop_map(Event::Transferred),
        2 => Just(Event::Error),
        1 => Just(Event::Goodbye),
        1 => Just(Event::Noise),
    ];
    prop::collection::vec(event, 1..80)
}
