//! Contexts as JSON: one kind, several, or a user as before there were kinds.

use std::collections::BTreeMap;

use serde::de::Error;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{AttributeValue, Context, ContextBuilder, Kind, MultiContextBuilder, Reference};

type Members = BTreeMap<String, AttributeValue>;

impl<'de> Deserialize<'de> for Context {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let AttributeValue::Object(members) = AttributeValue::deserialize(deserializer)? else {
            return Err(Error::custom("a context is a JSON object"));
        };
        read(members).map_err(Error::custom)
    }
}

fn read(mut members: Members) -> Result<Context, String> {
    match members.remove("kind") {
        None => read_user(members),
        Some(AttributeValue::String(kind)) if kind == "multi" => read_multi(members),
        Some(AttributeValue::String(kind)) => read_single(kind, members),
        Some(_) => Err("the kind of a context is a string".to_owned()),
    }
}

fn read_multi(members: Members) -> Result<Context, String> {
    let mut builder = MultiContextBuilder::new();
    for (kind, part) in members {
        let AttributeValue::Object(mut members) = part else {
            return Err("the parts of a context are JSON objects".to_owned());
        };
        members.remove("kind");
        builder.add_context(read_single(kind, members)?);
    }
    Ok(builder.build()?)
}

fn read_single(kind: String, mut members: Members) -> Result<Context, String> {
    let mut builder = ContextBuilder::new(take_key(&mut members)?);
    builder.kind(kind);
    if let Some(meta) = take_object(&mut members, "_meta")? {
        for text in take_texts(meta, "privateAttributes")? {
            builder.add_private_attribute(text);
        }
    }
    set_all(&mut builder, members)?;
    Ok(builder.build()?)
}

/// The attributes of a user that stood beside the key.
const USER_TEXTS: [&str; 7] = ["name", "firstName", "lastName", "email", "country", "avatar", "ip"];

fn read_user(mut members: Members) -> Result<Context, String> {
    let mut builder = ContextBuilder::new(take_key(&mut members)?);
    builder.allow_empty_key();
    let custom = take_object(&mut members, "custom")?.unwrap_or_default();
    let private = members.remove("privateAttributeNames").unwrap_or(AttributeValue::Null);
    for name in texts(private, "privateAttributeNames")? {
        builder.add_private_attribute(Reference::from_literal_name(&name));
    }
    members.retain(|name, value| {
        *value != AttributeValue::Null && (name == "anonymous" || USER_TEXTS.contains(&&**name))
    });
    if members.iter().any(|(name, value)| name != "anonymous" && value.as_str().is_none()) {
        return Err("the attributes of a user are strings".to_owned());
    }
    let is_free =
        |name: &str| !matches!(name, "kind" | "key" | "name" | "anonymous" | "_meta" | "");
    set_all(&mut builder, members)?;
    set_all(&mut builder, custom.into_iter().filter(|(name, _)| is_free(name)).collect())?;
    Ok(builder.build()?)
}

fn set_all(builder: &mut ContextBuilder, members: Members) -> Result<(), String> {
    for (name, value) in members {
        let is_nameless = name.is_empty();
        if !builder.try_set_value(&name, value) && !is_nameless {
            return Err(format!("the attribute \"{name}\" of a context has the wrong type"));
        }
    }
    Ok(())
}

fn take_key(members: &mut Members) -> Result<String, String> {
    match members.remove("key") {
        Some(AttributeValue::String(key)) => Ok(key),
        _ => Err("the key of a context is a string".to_owned()),
    }
}

fn take_object(members: &mut Members, name: &str) -> Result<Option<Members>, String> {
    match members.remove(name) {
        None | Some(AttributeValue::Null) => Ok(None),
        Some(AttributeValue::Object(members)) => Ok(Some(members)),
        Some(_) => Err(format!("\"{name}\" of a context is a JSON object")),
    }
}

fn take_texts(mut members: Members, name: &str) -> Result<Vec<String>, String> {
    texts(members.remove(name).unwrap_or(AttributeValue::Null), name)
}

fn texts(value: AttributeValue, name: &str) -> Result<Vec<String>, String> {
    let wrong_type = || format!("\"{name}\" of a context is a list of strings");
    let elements = match value {
        AttributeValue::Null => Vec::new(),
        AttributeValue::Array(elements) => elements,
        _ => return Err(wrong_type()),
    };
    let texts = elements.into_iter().map(|element| match element {
        AttributeValue::String(text) => Ok(text),
        _ => Err(wrong_type()),
    });
    texts.collect()
}

impl Serialize for Context {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !self.is_multi() {
            return Single { context: self, has_kind: true }.serialize(serializer);
        }
        let mut members = serializer.serialize_map(Some(1 + self.parts.len()))?;
        members.serialize_entry("kind", Kind::multi().as_str())?;
        for part in &self.parts {
            members.serialize_entry(&part.kind, &Single { context: part, has_kind: false })?;
        }
        members.end()
    }
}

/// A context of one kind, on its own or as a part.
struct Single<'a> {
    context: &'a Context,
    has_kind: bool,
}

impl Serialize for Single<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let context = self.context;
        let mut members = serializer.serialize_map(None)?;
        if self.has_kind {
            members.serialize_entry("kind", &context.kind)?;
        }
        members.serialize_entry("key", &context.key)?;
        if let Some(name) = &context.name {
            members.serialize_entry("name", name)?;
        }
        if context.is_anonymous {
            members.serialize_entry("anonymous", &true)?;
        }
        for (name, value) in context.attributes.iter() {
            members.serialize_entry(name, value)?;
        }
        if !context.private_attributes.is_empty() {
            members.serialize_entry("_meta", &Meta { context })?;
        }
        members.end()
    }
}

struct Meta<'a> {
    context: &'a Context,
}

impl Serialize for Meta<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(Some(1))?;
        members.serialize_entry("privateAttributes", &self.context.private_attributes)?;
        members.end()
    }
}
