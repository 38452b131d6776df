//! One client of the service.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Answer, Service, never, soon};

/// A client of the service. Dropping it closes it.
pub(crate) struct Sdk<'a> {
    service: &'a Service,
    url: String,
    is_open: bool,
}

impl<'a> Sdk<'a> {
    pub(super) fn new(service: &'a Service, url: String) -> Self {
        Self { service, url, is_open: true }
    }

    /// Sends a command as the contract's suite does, with null for what does not belong to it.
    #[track_caller]
    pub(crate) fn try_command(&self, name: &str, parameters: &Value) -> Answer {
        let mut command = json!({
            "command": name, "evaluate": null, "evaluateAll": null, "customEvent": null,
            "identifyEvent": null, "contextBuild": null, "contextConvert": null,
            "contextComparison": null, "secureModeHash": null, "migrationVariation": null,
            "migrationOperation": null,
        });
        command[name] = parameters.clone();
        self.service.send("POST", &self.url, &command.to_string())
    }

    /// Sends a command that has an answer.
    #[track_caller]
    pub(crate) fn command(&self, name: &str, parameters: &Value) -> Value {
        let answer = self.try_command(name, parameters);
        assert!(answer.is_success(), "{name}: {answer:?}");
        answer.json()
    }

    /// Sends a command without an answer.
    #[track_caller]
    pub(crate) fn order(&self, name: &str, parameters: &Value) {
        let answer = self.try_command(name, parameters);
        assert!(answer.is_success(), "{name}: {answer:?}");
    }

    /// What a flag gives, as value, variation and reason.
    #[track_caller]
    pub(crate) fn detail(&self, key: &str) -> Value {
        let context = json!({"kind": "user", "key": "user-key"});
        self.command(
            "evaluate",
            &json!({
                "flagKey": key, "context": context, "valueType": "any",
                "defaultValue": "default", "detail": true,
            }),
        )
    }

    /// What a flag gives; by default the text `default`.
    #[track_caller]
    pub(crate) fn value(&self, key: &str) -> Value {
        self.detail(key)["value"].clone()
    }

    /// Waits for a flag to give `new`, and sees to it that it never gives a third value.
    #[track_caller]
    pub(crate) fn becomes(
        &self,
        key: &str,
        old: impl Into<Value>,
        new: impl Into<Value>,
        within: Duration,
    ) {
        let (old, new) = (old.into(), new.into());
        soon(&format!("{key} becomes {new}"), within, || {
            let value = self.value(key);
            assert!(value == old || value == new, "{key} is {value}, not {old} or {new}");
            (value == new).then_some(())
        });
    }

    /// Waits for a flag to give `new`, which must not be before `least` has passed since `begun`, and
    /// a quarter of a second later at most (C 4.3).
    #[track_caller]
    pub(crate) fn becomes_later(
        &self,
        key: &str,
        old: &str,
        new: &str,
        begun: Instant,
        least: Duration,
    ) {
        self.becomes(key, old, new, least + Duration::from_millis(250));
        let took = begun.elapsed();
        assert!(took >= least, "{key} was {new} after {took:?} already");
    }

    /// Sees to it that a flag gives nothing but `value` for so long.
    #[track_caller]
    pub(crate) fn stays(&self, key: &str, value: impl Into<Value>, window: Duration) {
        let value = value.into();
        never(&format!("{key} is not {value}"), window, || self.value(key) != value);
    }

    /// Closes the client, which must succeed.
    #[track_caller]
    pub(crate) fn close(mut self) {
        self.is_open = false;
        let answer = self.service.send("DELETE", &self.url, "");
        assert!(answer.is_success(), "{answer:?}");
    }
}

impl Drop for Sdk<'_> {
    fn drop(&mut self) {
        if self.is_open && !std::thread::panicking() {
            self.service.send("DELETE", &self.url, "");
        }
    }
}
