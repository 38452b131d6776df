//! Listeners that tell what changed by HTTP (C 3.5).

use std::io;
use std::sync::PoisonError;

use fdv2_client::{FlagChange, Listener};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::callback::Caller;
use crate::clients::Held;
use crate::contexts::Whom;
use crate::refusal::Refusal;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OnFlagChange {
    listener_id: String,
    callback_uri: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OnValueChange {
    listener_id: String,
    callback_uri: String,
    flag_key: String,
    #[serde(flatten)]
    whom: Whom,
    default_value: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Unregister {
    listener_id: String,
}

pub(crate) fn on_flag_change(
    held: &Held,
    caller: &Caller,
    wanted: OnFlagChange,
) -> Result<(), Refusal> {
    let OnFlagChange { listener_id, callback_uri } = wanted;
    let (caller, id) = (caller.clone(), listener_id.clone());
    let listener = held.client.on_flag_change(move |change| {
        // The contract has no word for changes that were lost.
        if let FlagChange::Changed(key) = change {
            caller.tell(&callback_uri, &json!({ "listenerId": id, "flagKey": &*key }));
        }
    });
    held.register(listener_id, listener)
}

pub(crate) fn on_value_change(
    held: &Held,
    caller: &Caller,
    wanted: OnValueChange,
) -> Result<(), Refusal> {
    let OnValueChange { listener_id, callback_uri, flag_key, whom, default_value } = wanted;
    let context = whom.context()?;
    let default = default_value.unwrap_or(Value::Null);
    let (caller, id) = (caller.clone(), listener_id.clone());
    let listener = held.client.on_value_change(flag_key, context, default, move |change| {
        let what = json!({
            "listenerId": id,
            "flagKey": &*change.key,
            "oldValue": change.old,
            "newValue": change.new,
        });
        caller.tell(&callback_uri, &what);
    });
    held.register(listener_id, listener)
}

pub(crate) fn unregister(held: &Held, wanted: &Unregister) -> Result<(), Refusal> {
    let id = &wanted.listener_id;
    let mut listeners = held.listeners.lock().unwrap_or_else(PoisonError::into_inner);
    match listeners.remove(id) {
        Some(listener) => {
            listener.remove();
            Ok(())
        }
        None => Err(Refusal::unknown(format!("listener {id:?}"))),
    }
}

impl Held {
    /// Keeps a listener under its id. One that had it before is removed.
    fn register(&self, id: String, listener: io::Result<Listener>) -> Result<(), Refusal> {
        let listener = listener.map_err(Refusal::failed)?;
        let mut listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        drop(listeners.insert(id, listener));
        Ok(())
    }
}
