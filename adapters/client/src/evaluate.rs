//! Evaluation on the newest data.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use fdv2_core::Snapshot;
use fdv2_core::context::Context;
use fdv2_core::eval::{Detail, FlagDetail, FlagDetailConfig};
use serde_json::Value;

use crate::big_segments::{Known, MembershipReading};
use crate::hook::Asked;
use crate::reading::{Lack, NoAnswer, Reading, View};
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
        let asked = Asked { method: "bool_variation", context, key };
        self.evaluate(asked, default, |detail| detail.typed(default, Value::as_bool), value)
    }

    /// As [`Client::bool_variation`], with the reason.
    pub fn bool_variation_detail(
        &self,
        context: &Context,
        key: &str,
        default: bool,
    ) -> Detail<'static, bool> {
        let asked = Asked { method: "bool_variation_detail", context, key };
        self.evaluate(asked, default, |detail| detail.typed(default, Value::as_bool), owned)
    }

    /// The flag's value if it is text.
    pub fn str_variation(
        &self,
        context: &Context,
        key: &str,
        default: impl Into<String>,
    ) -> String {
        self.evaluate_or(Asked { method: "str_variation", context, key }, default, text).value
    }

    /// As [`Client::str_variation`], with the reason.
    pub fn str_variation_detail(
        &self,
        context: &Context,
        key: &str,
        default: impl Into<String>,
    ) -> Detail<'static, String> {
        self.evaluate_or(Asked { method: "str_variation_detail", context, key }, default, text)
    }

    /// The flag's value if it is a number, without its fraction. A float too large to be exact is
    /// of the wrong type.
    pub fn int_variation(&self, context: &Context, key: &str, default: i64) -> i64 {
        let asked = Asked { method: "int_variation", context, key };
        self.evaluate(asked, default, |detail| detail.whole(default), value)
    }

    /// As [`Client::int_variation`], with the reason.
    pub fn int_variation_detail(
        &self,
        context: &Context,
        key: &str,
        default: i64,
    ) -> Detail<'static, i64> {
        let asked = Asked { method: "int_variation_detail", context, key };
        self.evaluate(asked, default, |detail| detail.whole(default), owned)
    }

    /// The flag's value if it is a number.
    pub fn float_variation(&self, context: &Context, key: &str, default: f64) -> f64 {
        let asked = Asked { method: "float_variation", context, key };
        self.evaluate(asked, default, |detail| detail.typed(default, Value::as_f64), value)
    }

    /// As [`Client::float_variation`], with the reason.
    pub fn float_variation_detail(
        &self,
        context: &Context,
        key: &str,
        default: f64,
    ) -> Detail<'static, f64> {
        let asked = Asked { method: "float_variation_detail", context, key };
        self.evaluate(asked, default, |detail| detail.typed(default, Value::as_f64), owned)
    }

    /// The flag's value, whatever its type.
    pub fn json_variation(&self, context: &Context, key: &str, default: Value) -> Value {
        self.evaluate_or(Asked { method: "json_variation", context, key }, default, any).value
    }

    /// As [`Client::json_variation`], with the reason.
    pub fn json_variation_detail(
        &self,
        context: &Context,
        key: &str,
        default: Value,
    ) -> Detail<'static, Value> {
        self.evaluate_or(Asked { method: "json_variation_detail", context, key }, default, any)
    }

    /// The flag's value, if it has one.
    pub fn variation(&self, context: &Context, key: &str) -> Option<Value> {
        self.evaluate(Asked { method: "variation", context, key }, Value::Null, any, value)
    }

    /// As [`Client::variation`], with the reason.
    pub fn variation_detail(&self, context: &Context, key: &str) -> Detail<'static, Option<Value>> {
        self.evaluate(Asked { method: "variation_detail", context, key }, Value::Null, any, owned)
    }

    /// What all flags give, on the same data. Before there is data the result is empty and not
    /// valid (B 6.7).
    pub fn all_flags_detail(&self, context: &Context, config: FlagDetailConfig) -> FlagDetail {
        let (shared, now) = (self.shared(), unix_millis());
        let known = Known::at_hand(shared.memberships());
        let ask = |view: &View<'_>| view.all_flags_detail(context, config, now);
        shared.at_hand(&self.load(), &known, ask).unwrap_or_default()
    }

    /// Evaluates, with the hooks around it if there are any, and gives what `finish` makes of it.
    #[inline]
    fn evaluate<T: Clone + Into<Value>, R>(
        &self,
        asked: Asked<'_>,
        default: impl Into<Value>,
        convert: impl for<'d> Fn(Detail<'d, Option<&'d Value>>) -> Detail<'d, T>,
        finish: impl Fn(Detail<'_, T>) -> R,
    ) -> R {
        let shared = self.shared();
        let Some(hooks) = shared.hooks() else {
            return shared.evaluate(asked.context, asked.key, |detail| finish(convert(detail)));
        };
        let series = hooks.begin(shared, asked, default.into());
        let detail = shared.evaluate(asked.context, asked.key, |detail| owned(convert(detail)));
        series.end(&detail);
        finish(detail)
    }

    /// The same for types whose default is made only when it is needed.
    fn evaluate_or<T: Clone + Into<Value>>(
        &self,
        asked: Asked<'_>,
        default: impl Into<T>,
        convert: impl for<'d> Fn(Detail<'d, Option<&'d Value>>) -> Detail<'d, Option<T>>,
    ) -> Detail<'static, T> {
        let shared = self.shared();
        let evaluate =
            || shared.evaluate(asked.context, asked.key, |detail| owned(convert(detail)));
        let Some(hooks) = shared.hooks() else {
            return evaluate().map(|value| value.unwrap_or_else(|| default.into()));
        };
        let default = default.into();
        let series = hooks.begin(shared, asked, default.clone().into());
        let detail = evaluate().map(|value| value.unwrap_or(default));
        series.end(&detail);
        detail
    }
}

fn value<T>(detail: Detail<'_, T>) -> T {
    detail.value
}

fn owned<T>(detail: Detail<'_, T>) -> Detail<'static, T> {
    detail.into_owned()
}

/// The value if it is text.
pub(crate) fn text<'d>(detail: Detail<'d, Option<&'d Value>>) -> Detail<'d, Option<String>> {
    detail.typed(None, |value| value.as_str().map(Some)).map(|text| text.map(str::to_owned))
}

/// The value, whatever its type.
pub(crate) fn any<'d>(detail: Detail<'d, Option<&'d Value>>) -> Detail<'d, Option<Value>> {
    detail.map(Option::<&Value>::cloned)
}

impl Shared {
    /// Evaluates on what counts: the data, or what is at hand of the store (B 9.9).
    #[inline]
    pub(crate) fn evaluate<T>(
        self: &Arc<Self>,
        context: &Context,
        key: &str,
        convert: impl Fn(Detail<'_, Option<&Value>>) -> T,
    ) -> T {
        self.evaluate_knowing(Known::at_hand, context, key, convert)
    }

    /// The same for a listener, to which there is newer data when other memberships are loaded
    /// behind it than it went by.
    pub(crate) fn evaluate_to_watch<T>(
        self: &Arc<Self>,
        context: &Context,
        key: &str,
        convert: impl Fn(Detail<'_, Option<&Value>>) -> T,
    ) -> T {
        self.evaluate_knowing(Known::watched, context, key, convert)
    }

    #[inline]
    fn evaluate_knowing<'a, T>(
        self: &'a Arc<Self>,
        known: impl FnOnce(Option<&'a Arc<MembershipReading>>) -> Known<'a>,
        context: &Context,
        key: &str,
        convert: impl Fn(Detail<'_, Option<&Value>>) -> T,
    ) -> T {
        let data = self.snapshot().load();
        if self.memberships().is_none() && self.reading_at_hand(&data).is_none() {
            return convert(data.variation_detail(context, key));
        }
        let known = known(self.memberships());
        let ask = |view: &View<'_>| Ok(convert(view.variation_detail(context, key)?));
        self.at_hand(&data, &known, ask).unwrap_or_else(|no_answer| convert(no_answer.detail()))
    }

    /// The synchronous form: asks what counts and is at hand.
    fn at_hand<R>(
        self: &Arc<Self>,
        data: &Snapshot,
        memberships: &Known<'_>,
        ask: impl Fn(&View<'_>) -> Result<R, Lack>,
    ) -> Result<R, NoAnswer> {
        let in_memory =
            |data: &Snapshot| ask(&View::of_memory(data, memberships)).map_err(NoAnswer::from);
        let Some(reading) = self.reading_at_hand(data) else { return in_memory(data) };
        match reading.at_hand(self, |cache| ask(&View::of_store(cache, memberships))) {
            // Memory took over meanwhile.
            Err(NoAnswer::Memory) => in_memory(&self.snapshot().load()),
            at_hand => at_hand,
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
