//! Evaluating flags, always in the asynchronous form, which reads through the store (C 3.7).

use fdv2_client::{Client, Context, Detail, FlagDetailConfig};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::task::block_in_place;

use crate::contexts::Whom;
use crate::refusal::Refusal;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Evaluate {
    flag_key: String,
    #[serde(flatten)]
    whom: Whom,
    value_type: Option<ValueType>,
    default_value: Option<Value>,
    detail: Option<bool>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ValueType {
    Bool,
    Int,
    Double,
    String,
    Any,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EvaluateAll {
    #[serde(flatten)]
    whom: Whom,
    with_reasons: Option<bool>,
    client_side_only: Option<bool>,
    details_only_for_tracked_flags: Option<bool>,
}

pub(crate) fn one(client: &Client, wanted: Evaluate) -> Result<Value, Refusal> {
    let context = wanted.whom.context()?;
    let value_type = wanted.value_type.unwrap_or(ValueType::Any);
    let default = wanted.default_value.unwrap_or(Value::Null);
    let evaluation = typed(client, &context, &wanted.flag_key, value_type, default);
    // Hooks run on this thread, and ours wait for an answer.
    let detail = block_in_place(|| Handle::current().block_on(evaluation))?;
    if wanted.detail.unwrap_or(false) {
        serde_json::to_value(detail).map_err(Refusal::failed)
    } else {
        Ok(json!({ "value": detail.value }))
    }
}

async fn typed(
    client: &Client,
    context: &Context,
    key: &str,
    value_type: ValueType,
    default: Value,
) -> Result<Detail<'static, Value>, Refusal> {
    let through = client.through_store();
    let wrong =
        || Refusal::malformed(format!("the default {default} is none of type {value_type:?}"));
    Ok(match value_type {
        ValueType::Bool => {
            let default = default.as_bool().ok_or_else(wrong)?;
            through.bool_variation_detail(context, key, default).await.map(Value::from)
        }
        ValueType::Int => {
            let default = whole(&default).ok_or_else(wrong)?;
            through.int_variation_detail(context, key, default).await.map(Value::from)
        }
        ValueType::Double => {
            let default = default.as_f64().ok_or_else(wrong)?;
            through.float_variation_detail(context, key, default).await.map(Value::from)
        }
        ValueType::String => {
            let default = default.as_str().ok_or_else(wrong)?;
            through.str_variation_detail(context, key, default).await.map(Value::from)
        }
        ValueType::Any => through.json_variation_detail(context, key, default).await,
    })
}

/// JSON has one kind of number: `3.0` is a whole one.
fn whole(number: &Value) -> Option<i64> {
    let float = || number.as_f64().filter(|float| float.fract() == 0.0);
    #[expect(clippy::cast_possible_truncation, reason = "it saturates")]
    number.as_i64().or_else(|| float().map(|float| float as i64))
}

pub(crate) async fn all(client: &Client, wanted: EvaluateAll) -> Result<Value, Refusal> {
    let context = wanted.whom.context()?;
    let mut config = FlagDetailConfig::new();
    if wanted.with_reasons.unwrap_or(false) {
        config.with_reasons();
    }
    if wanted.client_side_only.unwrap_or(false) {
        config.client_side_only();
    }
    if wanted.details_only_for_tracked_flags.unwrap_or(false) {
        config.details_only_for_tracked_flags();
    }
    let state = client.through_store().all_flags_detail(&context, config).await;
    Ok(json!({ "state": state }))
}
