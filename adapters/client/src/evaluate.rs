//! Evaluation on the newest data.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use fdv2_core::Snapshot;
use fdv2_core::context::Context;
use fdv2_core::eval::{Detail, FlagDetail, FlagDetailConfig};
use serde_json::Value;

use crate::reading::{NoAnswer, Reading};
use crate::shared::Shared;
use crate::{Client, SnapshotView};

/// Evaluation on the newest data, without lock or wait.
///
/// The default is given before there is data, for a flag that is not there, without a valid
/// context, and where the flag has no value or one of another type (B 6.7); the `_detail` methods
/// say which. For many evaluations at once, or for values that are borrowed and not copied, see
/// [`Client::snapshot`], which has the same methods.
impl Client {
    /// The flag's value if it is true or false.
    pub fn bool_variation(&self, context: &Context, key: &str, default: bool) -> bool {
        self.evaluate(context, key, |detail| detail.typed(default, Value::as_bool).value)
    }

    /// As [`Client::bool_variation`], with the reason.
    pub fn bool_variation_detail(
        &self,
        context: &Context,
        key: &str,
        default: bool,
    ) -> Detail<'static, bool> {
        self.evaluate(context, key, |detail| detail.typed(default, Value::as_bool).into_owned())
    }

    /// The flag's value if it is text.
    pub fn str_variation(
        &self,
        context: &Context,
        key: &str,
        default: impl Into<String>,
    ) -> String {
        self.str_variation_detail(context, key, default).value
    }

    /// As [`Client::str_variation`], with the reason.
    pub fn str_variation_detail(
        &self,
        context: &Context,
        key: &str,
        default: impl Into<String>,
    ) -> Detail<'static, String> {
        let detail = self.evaluate(context, key, |detail| {
            let text = detail.typed(None, |value| value.as_str().map(Some));
            text.map(|text| text.map(str::to_owned)).into_owned()
        });
        detail.map(|text| text.unwrap_or_else(|| default.into()))
    }

    /// The flag's value if it is a number, without its fraction. A float too large to be exact is
    /// of the wrong type.
    pub fn int_variation(&self, context: &Context, key: &str, default: i64) -> i64 {
        self.evaluate(context, key, |detail| detail.whole(default).value)
    }

    /// As [`Client::int_variation`], with the reason.
    pub fn int_variation_detail(
        &self,
        context: &Context,
        key: &str,
        default: i64,
    ) -> Detail<'static, i64> {
        self.evaluate(context, key, |detail| detail.whole(default).into_owned())
    }

    /// The flag's value if it is a number.
    pub fn float_variation(&self, context: &Context, key: &str, default: f64) -> f64 {
        self.evaluate(context, key, |detail| detail.typed(default, Value::as_f64).value)
    }

    /// As [`Client::float_variation`], with the reason.
    pub fn float_variation_detail(
        &self,
        context: &Context,
        key: &str,
        default: f64,
    ) -> Detail<'static, f64> {
        self.evaluate(context, key, |detail| detail.typed(default, Value::as_f64).into_owned())
    }

    /// The flag's value, whatever its type.
    pub fn json_variation(&self, context: &Context, key: &str, default: Value) -> Value {
        self.variation(context, key).unwrap_or(default)
    }

    /// As [`Client::json_variation`], with the reason.
    pub fn json_variation_detail(
        &self,
        context: &Context,
        key: &str,
        default: Value,
    ) -> Detail<'static, Value> {
        self.variation_detail(context, key).map(|value| value.unwrap_or(default))
    }

    /// The flag's value, if it has one.
    pub fn variation(&self, context: &Context, key: &str) -> Option<Value> {
        self.evaluate(context, key, |detail| detail.value.cloned())
    }

    /// As [`Client::variation`], with the reason.
    pub fn variation_detail(&self, context: &Context, key: &str) -> Detail<'static, Option<Value>> {
        self.evaluate(context, key, |detail| detail.map(Option::<&Value>::cloned).into_owned())
    }

    /// What all flags give, on the same data. Before there is data the result is empty and not
    /// valid (B 6.7).
    pub fn all_flags_detail(&self, context: &Context, config: FlagDetailConfig) -> FlagDetail {
        let (data, now) = (self.load(), unix_millis());
        let Some(reading) = self.shared().reading_at_hand(&data) else {
            return data.all_flags_detail(context, config, now);
        };
        let at_hand =
            reading.at_hand(self.shared(), |view| view.all_flags_detail(context, config, now));
        match at_hand {
            Err(NoAnswer::Memory) => self.load().all_flags_detail(context, config, now),
            at_hand => at_hand.unwrap_or_default(),
        }
    }

    fn evaluate<T>(
        &self,
        context: &Context,
        key: &str,
        convert: impl Fn(Detail<'_, Option<&Value>>) -> T,
    ) -> T {
        self.shared().evaluate(context, key, convert)
    }
}

impl Shared {
    /// Evaluates on what counts: the data, or what is at hand of the store (B 9.9).
    pub(crate) fn evaluate<T>(
        self: &Arc<Self>,
        context: &Context,
        key: &str,
        convert: impl Fn(Detail<'_, Option<&Value>>) -> T,
    ) -> T {
        let data = self.snapshot().load();
        let Some(reading) = self.reading_at_hand(&data) else {
            return convert(data.variation_detail(context, key));
        };
        let at_hand =
            reading.at_hand(self, |view| Ok(convert(view.variation_detail(context, key)?)));
        match at_hand {
            Ok(answer) => answer,
            // Memory took over meanwhile.
            Err(NoAnswer::Memory) => convert(self.snapshot().load().variation_detail(context, key)),
            Err(no_answer) => convert(no_answer.detail()),
        }
    }

    /// The store, while it is what counts.
    fn reading_at_hand(&self, data: &Snapshot) -> Option<&Arc<Reading>> {
        self.reading().filter(|_| !data.is_held())
    }
}

impl SnapshotView {
    /// What all flags give. Before there was data the result is empty and not valid (B 6.7).
    pub fn all_flags_detail(&self, context: &Context, config: FlagDetailConfig) -> FlagDetail {
        self.core().all_flags_detail(context, config, unix_millis())
    }
}

/// Milliseconds since 1970: until when a flag is being debugged is said in them.
pub(crate) fn unix_millis() -> u64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since_1970.as_millis()).unwrap_or(u64::MAX)
}
