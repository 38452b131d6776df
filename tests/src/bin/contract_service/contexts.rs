//! Making, converting and comparing contexts (C 3.7).

use std::collections::BTreeMap;

use fdv2_client::context::ContextError;
use fdv2_client::{
    AttributeValue, Client, Context, ContextBuilder, MultiContextBuilder, Reference,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::refusal::Refusal;

/// One context, or several in one.
#[derive(Deserialize)]
pub(crate) struct Build {
    single: Option<Single>,
    multi: Option<Vec<Single>>,
}

#[derive(Deserialize)]
struct Single {
    kind: Option<String>,
    key: Option<String>,
    name: Option<String>,
    anonymous: Option<bool>,
    private: Option<Vec<String>>,
    custom: Option<BTreeMap<String, AttributeValue>>,
}

#[derive(Deserialize)]
pub(crate) struct Convert {
    input: String,
}

/// A context, which may come in the old form of a user.
#[derive(Deserialize)]
pub(crate) struct Whom {
    context: Option<Context>,
    user: Option<Context>,
}

impl Whom {
    pub(crate) fn context(self) -> Result<Context, Refusal> {
        let context = self.context.or(self.user);
        context.ok_or_else(|| Refusal::malformed("a context is missing"))
    }
}

#[derive(Deserialize)]
pub(crate) struct Compare {
    context1: Described,
    context2: Described,
}

#[derive(Deserialize)]
struct Described {
    single: Option<DescribedSingle>,
    multi: Option<Vec<DescribedSingle>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DescribedSingle {
    kind: Option<String>,
    key: Option<String>,
    attributes: Option<Vec<Attribute>>,
    private_attributes: Option<Vec<Private>>,
}

#[derive(Deserialize)]
struct Attribute {
    name: String,
    value: Option<AttributeValue>,
}

#[derive(Deserialize)]
struct Private {
    value: String,
    literal: Option<bool>,
}

pub(crate) fn build(wanted: Build) -> Result<Value, Refusal> {
    let Build { single, multi } = wanted;
    // Some leave an empty list out. It makes no context, like one that is sent.
    let multi = if single.is_none() { Some(multi.unwrap_or_default()) } else { multi };
    let built = one_or_several(single, multi, Single::build)?;
    Ok(said(built.map_err(|error| error.to_string())))
}

/// Old users become contexts, and attributes that are null go.
pub(crate) fn convert(wanted: &Convert) -> Value {
    said(serde_json::from_str(&wanted.input).map_err(|error| error.to_string()))
}

pub(crate) fn compare(wanted: Compare) -> Result<Value, Refusal> {
    let Compare { context1, context2 } = wanted;
    Ok(json!({ "equals": context1.build()? == context2.build()? }))
}

pub(crate) fn secure_mode_hash(client: &Client, wanted: Whom) -> Result<Value, Refusal> {
    let context = wanted.context()?;
    let result = client.secure_mode_hash(&context);
    Ok(json!({ "result": result.ok_or_else(|| Refusal::malformed("there is no SDK key"))? }))
}

/// A context that cannot be made is an answer like another.
fn said(context: Result<Context, String>) -> Value {
    let text = context
        .and_then(|context| serde_json::to_string(&context).map_err(|error| error.to_string()));
    match text {
        Ok(output) => json!({ "output": output }),
        Err(error) => json!({ "error": error }),
    }
}

fn one_or_several<T>(
    single: Option<T>,
    multi: Option<Vec<T>>,
    build: impl Fn(T) -> Result<Context, ContextError>,
) -> Result<Result<Context, ContextError>, Refusal> {
    match (single, multi) {
        (Some(single), None) => Ok(build(single)),
        (None, Some(parts)) => {
            let parts = parts.into_iter().map(build).collect::<Result<Vec<_>, _>>();
            Ok(parts.and_then(|parts| MultiContextBuilder::of(parts).build()))
        }
        _ => Err(Refusal::malformed("a context is either \"single\" or \"multi\"")),
    }
}

impl Single {
    fn build(self) -> Result<Context, ContextError> {
        let mut builder = ContextBuilder::new(self.key.unwrap_or_default());
        if let Some(kind) = self.kind {
            builder.kind(kind);
        }
        if let Some(name) = self.name {
            builder.name(name);
        }
        builder.anonymous(self.anonymous.unwrap_or(false));
        for reference in self.private.unwrap_or_default() {
            builder.add_private_attribute(reference);
        }
        for (name, value) in self.custom.unwrap_or_default() {
            builder.set_value(&name, value);
        }
        builder.build()
    }
}

impl Described {
    fn build(self) -> Result<Context, Refusal> {
        one_or_several(self.single, self.multi, DescribedSingle::build)?.map_err(Refusal::malformed)
    }
}

impl DescribedSingle {
    fn build(self) -> Result<Context, ContextError> {
        let mut builder = ContextBuilder::new(self.key.unwrap_or_default());
        if let Some(kind) = self.kind {
            builder.kind(kind);
        }
        for attribute in self.attributes.unwrap_or_default() {
            builder.set_value(&attribute.name, attribute.value.unwrap_or(AttributeValue::Null));
        }
        for private in self.private_attributes.unwrap_or_default() {
            if private.literal.unwrap_or(false) {
                builder.add_private_attribute(Reference::from_literal_name(&private.value));
            } else {
                builder.add_private_attribute(private.value);
            }
        }
        builder.build()
    }
}
