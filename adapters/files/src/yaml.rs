//! From YAML to the JSON that says the same, with the places of the keys in it.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::options::DuplicateKeyPolicy;
use serde_saphyr::{Error, MessageFormatter, Options, Spanned, UserMessageFormatter};

use crate::Position;
use crate::error::Fault;
use crate::item::quoted;

/// The largest YAML file that is read.
pub(crate) const MAX_BYTES: usize = 16 << 20;

/// How much text may stand in it, that of its aliases written out included.
const MAX_TEXT: usize = 32 << 20;

/// How many values and keys may stand in it, those of its aliases included.
const MAX_NODES: usize = 4_000_000;

/// How many values and keys may stand behind anchors, and how many aliases may add. Writing them
/// out takes time.
const MAX_ALIASED: usize = 200_000;

/// How deep it may be nested. The parser calls itself for each level.
const MAX_DEPTH: usize = 64;

/// The JSON of a YAML text.
#[derive(Debug, Default)]
pub(crate) struct Converted {
    pub(crate) json: String,
    pub(crate) marks: Marks,
}

/// The places of keys, in the order of the JSON.
#[derive(Debug, Default)]
pub(crate) struct Marks(Vec<Mark>);

/// Here in the JSON begins the key that stands there in the YAML.
#[derive(Clone, Copy, Debug)]
struct Mark {
    offset: usize,
    position: Position,
}

impl Marks {
    /// The place of the last key before a byte of the JSON.
    pub(crate) fn place_of(&self, offset: usize) -> Position {
        let behind = self.0.partition_point(|mark| mark.offset <= offset);
        let mark = behind.checked_sub(1).and_then(|at| self.0.get(at));
        mark.map_or(Position { line: 1, column: 1 }, |mark| mark.position)
    }
}

/// The JSON that says the same as `text`.
///
/// Keys are the text they are written as; `true` and `false` alone are booleans, as in YAML 1.2.
pub(crate) fn convert(text: &str) -> Result<Converted, Fault> {
    if text.len() > MAX_BYTES {
        return Err(Fault::of_file("the file is larger than 16 MiB, the most for YAML; use JSON"));
    }
    let mut converted = Converted::default();
    serde_saphyr::with_deserializer_from_str_with_options(text, options(), |yaml| {
        Node(&mut converted).deserialize(yaml)
    })
    .map_err(|error| fault(&error))?;
    Ok(converted)
}

fn options() -> Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: 2 * MAX_NODES,
            max_nodes: MAX_NODES,
            max_total_scalar_bytes: MAX_TEXT,
            max_recorded_anchor_events: MAX_ALIASED,
            // What they add is bounded. That there are many is what they are for.
            max_anchors: MAX_ALIASED,
            max_aliases: MAX_ALIASED,
            max_merge_keys: MAX_ALIASED,
            enforce_alias_anchor_ratio: false,
            max_depth: MAX_DEPTH,
            flow_nesting_limit: MAX_DEPTH,
        },
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: MAX_ALIASED },
        duplicate_keys: DuplicateKeyPolicy::Error,
        leading_zero_numbers_as_strings: true,
        underscored_numbers_as_strings: true,
        strict_booleans: true,
        reject_unsupported_tags: true,
        with_snippet: false,
    }
}

fn fault(error: &Error) -> Fault {
    let position = error.location().map(position);
    let original = match error.without_snippet() {
        Error::AliasError { error, .. } => error,
        error => error,
    };
    let message: String = UserMessageFormatter
        .format_message(original)
        .chars()
        .map(|character| if character.is_control() { ' ' } else { character })
        .collect();
    Fault { position, message: format!("not valid YAML: {message}") }
}

fn position(location: serde_saphyr::Location) -> Position {
    let whole = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    Position { line: whole(location.line()), column: whole(location.column()) }
}

/// Writes one node behind what is there.
struct Node<'a>(&'a mut Converted);

impl Node<'_> {
    fn write<E>(self, json: &str) -> Result<(), E> {
        self.0.json.push_str(json);
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("something that JSON has, too")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        self.write("null")
    }

    fn visit_none<E: serde::de::Error>(self) -> Result<(), E> {
        self.write("null")
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.deserialize(deserializer)
    }

    fn visit_bool<E: serde::de::Error>(self, is_true: bool) -> Result<(), E> {
        self.write(if is_true { "true" } else { "false" })
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<(), E> {
        self.write(&number.to_string())
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<(), E> {
        self.write(&number.to_string())
    }

    fn visit_i128<E: serde::de::Error>(self, number: i128) -> Result<(), E> {
        self.write(&number.to_string())
    }

    fn visit_u128<E: serde::de::Error>(self, number: u128) -> Result<(), E> {
        self.write(&number.to_string())
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<(), E> {
        match serde_json::Number::from_f64(number) {
            Some(number) => self.write(&number.to_string()),
            None => Err(E::custom("JSON has no such number; put it in quotes to make it text")),
        }
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<(), E> {
        self.write(&quoted(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        let start = self.0.open('[');
        while elements.next_element_seed(Node(self.0))?.is_some() {
            self.0.json.push(',');
        }
        self.0.close(start, ']');
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let start = self.0.open('{');
        while let Some(key) = members.next_key::<Spanned<String>>()? {
            self.0.write_key(&key.value, position(key.referenced));
            members.next_value_seed(Node(self.0))?;
            self.0.json.push(',');
        }
        self.0.close(start, '}');
        Ok(())
    }
}

impl Converted {
    /// Begins an array or an object, and tells where what is in it begins.
    fn open(&mut self, bracket: char) -> usize {
        self.json.push(bracket);
        self.json.len()
    }

    fn write_key(&mut self, key: &str, position: Position) {
        self.marks.0.push(Mark { offset: self.json.len(), position });
        self.json.push_str(&quoted(key));
        self.json.push(':');
    }

    /// Ends what began at `start`: if there is anything in it, a comma stands behind the last.
    fn close(&mut self, start: usize, bracket: char) {
        if self.json.len() > start {
            self.json.pop();
        }
        self.json.push(bracket);
    }
}

#[cfg(test)]
mod tests;
