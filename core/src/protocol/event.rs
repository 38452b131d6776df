//! Events: a name and a JSON text, decoded without copying the objects in them.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use serde::de::{Deserialize, Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::Selector;
use super::error::{InvalidData, clip};
use crate::limits::Limits;
use crate::model::Kind;

/// One event of the protocol, on a stream or in a poll body.
#[derive(Clone, Debug, PartialEq)]
pub enum ProtocolEvent<'a> {
    /// Opens a transfer (B 1.1).
    ServerIntent {
        /// Its mode.
        code: IntentCode,
        /// More payloads than one were announced. Only the first counts.
        extra_payloads: bool,
    },
    /// A flag or segment is new or changed.
    Put {
        /// Which kind of item.
        kind: Kind,
        /// The envelope's key, which is the item's.
        key: Cow<'a, str>,
        /// The envelope's version, 0 if missing.
        version: u64,
        /// The JSON text of the item, as it came.
        object: &'a str,
    },
    /// A flag or segment is gone.
    Delete {
        /// Which kind of item.
        kind: Kind,
        /// The item's key.
        key: Cow<'a, str>,
        /// The version of the deletion, 0 if missing.
        version: u64,
    },
    /// The transfer is complete (B 1.2).
    Transferred {
        /// Names the data that is now held.
        selector: Selector,
    },
    /// The transfer is aborted (B 1.5).
    Error {
        /// Why, clipped; empty if it does not say.
        reason: Cow<'a, str>,
    },
    /// The server ends the connection (B 1.6).
    Goodbye {
        /// Why, clipped; empty if it does not say.
        reason: Cow<'a, str>,
        /// The directive to fall back to FDv1, if it is one (B 5.1).
        directive: Option<GoodbyeTtl>,
    },
    /// The connection lives. Neither progress nor health.
    Heartbeat,
    /// An event or a kind of object that this version does not know (B 1.7).
    Unknown,
}

/// The mode of a transfer (B 1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntentCode {
    /// `xfer-full`: replaces everything.
    Full,
    /// `xfer-changes`: merges.
    Changes,
    /// `none`: the data held is current.
    None,
}

impl IntentCode {
    /// The code on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "xfer-full",
            Self::Changes => "xfer-changes",
            Self::None => "none",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        [Self::Full, Self::Changes, Self::None].into_iter().find(|code| code.name() == name)
    }
}

/// How long a goodbye's directive holds (B 5.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoodbyeTtl {
    /// As long as it says: more than zero, at most an hour.
    Sent(Duration),
    /// It says nothing usable: a random time of ours.
    Unusable,
}

/// Decodes one event.
///
/// # Errors
/// [`InvalidData`] if the data of a known event is not what the protocol says (B 1.1, 1.8), or
/// its selector is too long (B 1.13). The objects in it are not looked into.
pub fn decode<'a>(
    name: &str,
    data: &'a str,
    limits: &Limits,
) -> Result<ProtocolEvent<'a>, InvalidData> {
    match name {
        "put-object" => put(data),
        "delete-object" => delete(data),
        "server-intent" => server_intent(data),
        "payload-transferred" => transferred(data, limits),
        "error" => Ok(ProtocolEvent::Error { reason: farewell(data).reason() }),
        "goodbye" => Ok(goodbye(data)),
        "heartbeat" | "heart-beat" => Ok(ProtocolEvent::Heartbeat),
        _ => Ok(ProtocolEvent::Unknown),
    }
}

/// A JSON string, borrowed where it has no escapes.
#[derive(serde::Deserialize)]
#[serde(transparent)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

#[derive(serde::Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    kind: Option<Text<'a>>,
    #[serde(borrow)]
    key: Option<&'a RawValue>,
    #[serde(borrow)]
    version: Option<&'a RawValue>,
    #[serde(borrow)]
    object: Option<&'a RawValue>,
}

impl<'a> Envelope<'a> {
    /// The kind, `None` for one that this version does not know.
    fn kind(&self, event: &'static str) -> Result<Option<Kind>, InvalidData> {
        let name = self.kind.as_ref().ok_or_else(|| missing(event, "kind"))?;
        Ok([Kind::Flag, Kind::Segment].into_iter().find(|kind| kind.name() == name.0))
    }

    fn key(&self, event: &'static str) -> Result<Cow<'a, str>, InvalidData> {
        let raw = self.key.ok_or_else(|| missing(event, "key"))?;
        let key = serde_json::from_str::<Text<'a>>(raw.get());
        Ok(key.map_err(|error| InvalidData::json(format_args!("{event}, key"), error))?.0)
    }
}

/// Reads the fields of a JSON object. An array is refused, which serde would take for one.
fn fields<'a, T: Deserialize<'a>>(event: &str, data: &'a str) -> Result<T, InvalidData> {
    if !data.trim_start().starts_with('{') {
        return Err(InvalidData::protocol(format_args!("{event}: its data is not a JSON object")));
    }
    serde_json::from_str(data).map_err(|error| InvalidData::json(event, error))
}

fn missing(event: &str, field: &str) -> InvalidData {
    InvalidData::protocol(format_args!("{event} without {field}"))
}

fn put(data: &str) -> Result<ProtocolEvent<'_>, InvalidData> {
    const EVENT: &str = "put-object";
    let envelope: Envelope<'_> = fields(EVENT, data)?;
    let Some(kind) = envelope.kind(EVENT)? else {
        return Ok(ProtocolEvent::Unknown);
    };
    let object = envelope.object.ok_or_else(|| missing(EVENT, "object"))?;
    Ok(ProtocolEvent::Put {
        kind,
        key: envelope.key(EVENT)?,
        version: version(EVENT, envelope.version)?,
        object: object.get(),
    })
}

fn delete(data: &str) -> Result<ProtocolEvent<'_>, InvalidData> {
    const EVENT: &str = "delete-object";
    let envelope: Envelope<'_> = fields(EVENT, data)?;
    let Some(kind) = envelope.kind(EVENT)? else {
        return Ok(ProtocolEvent::Unknown);
    };
    Ok(ProtocolEvent::Delete {
        kind,
        key: envelope.key(EVENT)?,
        version: version(EVENT, envelope.version)?,
    })
}

/// A version in any spelling of a number, 0 if missing (B 1.8). What no version can be, negative
/// or with a fraction, becomes the nearest one below.
fn version(event: &str, raw: Option<&RawValue>) -> Result<u64, InvalidData> {
    let Some(text) = raw.map(RawValue::get) else {
        return Ok(0);
    };
    if let Ok(whole) = text.parse() {
        return Ok(whole);
    }
    let number = number(text).ok_or_else(|| {
        InvalidData::protocol(format_args!("{event}: version {} is not a number", clip(text)))
    })?;
    Ok(number as u64)
}

/// The value of a JSON text, if it is a number.
fn number(text: &str) -> Option<f64> {
    let is_number = text.starts_with(|first: char| first == '-' || first.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

#[derive(serde::Deserialize)]
struct ServerIntent<'a> {
    #[serde(borrow)]
    payloads: Option<Payloads<'a>>,
}

/// The first of a list, and whether there are more, which are skipped.
struct Payloads<'a> {
    first: Option<&'a RawValue>,
    has_more: bool,
}

impl<'de: 'a, 'a> Deserialize<'de> for Payloads<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(FirstOnly)
    }
}

struct FirstOnly;

impl<'de> Visitor<'de> for FirstOnly {
    type Value = Payloads<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of payloads")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let first = list.next_element()?;
        let mut has_more = false;
        while list.next_element::<IgnoredAny>()?.is_some() {
            has_more = true;
        }
        Ok(Payloads { first, has_more })
    }
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Payload<'a> {
    #[serde(borrow)]
    intent_code: Option<Text<'a>>,
}

fn server_intent(data: &str) -> Result<ProtocolEvent<'_>, InvalidData> {
    const EVENT: &str = "server-intent";
    let intent: ServerIntent<'_> = fields(EVENT, data)?;
    let payloads = intent.payloads.ok_or_else(|| missing(EVENT, "payloads"))?;
    let first = payloads.first.ok_or_else(|| missing(EVENT, "payloads"))?;
    let payload: Payload<'_> = fields(EVENT, first.get())?;
    let name = payload.intent_code.ok_or_else(|| missing(EVENT, "intentCode"))?.0;
    let code = IntentCode::from_name(&name).ok_or_else(|| {
        InvalidData::protocol(format_args!("{EVENT}: unknown intentCode {:?}", clip(&name)))
    })?;
    Ok(ProtocolEvent::ServerIntent { code, extra_payloads: payloads.has_more })
}

#[derive(serde::Deserialize)]
struct Transferred<'a> {
    #[serde(borrow)]
    state: Option<Text<'a>>,
    #[serde(borrow)]
    version: Option<&'a RawValue>,
}

fn transferred<'a>(data: &'a str, limits: &Limits) -> Result<ProtocolEvent<'a>, InvalidData> {
    const EVENT: &str = "payload-transferred";
    let transferred: Transferred<'_> = fields(EVENT, data)?;
    let state = transferred.state.map(|text| text.0).unwrap_or_default();
    if state.is_empty() {
        return Err(missing(EVENT, "state"));
    }
    let selector = Selector::new(state, version(EVENT, transferred.version)?);
    selector.check(limits)?;
    Ok(ProtocolEvent::Transferred { selector })
}

/// What `error` and `goodbye` say. Each field is read for itself: a strange one spoils no other.
#[derive(Default, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Farewell<'a> {
    #[serde(borrow)]
    reason: Option<&'a RawValue>,
    #[serde(borrow, rename = "protocolFallbackTTL")]
    protocol_fallback_ttl: Option<&'a RawValue>,
}

fn farewell(data: &str) -> Farewell<'_> {
    fields("farewell", data).unwrap_or_default()
}

impl<'a> Farewell<'a> {
    fn reason(&self) -> Cow<'a, str> {
        let raw = self.reason.map_or("\"\"", RawValue::get);
        match serde_json::from_str::<Text<'a>>(raw).map(|text| text.0).unwrap_or_default() {
            Cow::Borrowed(reason) => Cow::Borrowed(clip(reason)),
            Cow::Owned(reason) => Cow::Owned(clip(&reason).to_owned()),
        }
    }
}

fn goodbye(data: &str) -> ProtocolEvent<'_> {
    let farewell = farewell(data);
    ProtocolEvent::Goodbye {
        reason: farewell.reason(),
        directive: farewell.protocol_fallback_ttl.map(|raw| ttl(raw.get())),
    }
}

fn ttl(text: &str) -> GoodbyeTtl {
    match number(text) {
        Some(seconds) if seconds > 0.0 && seconds <= 3600.0 && seconds.fract() == 0.0 => {
            GoodbyeTtl::Sent(Duration::from_secs(seconds as u64))
        }
        _ => GoodbyeTtl::Unusable,
    }
}

#[cfg(test)]
mod tests;
