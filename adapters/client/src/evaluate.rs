//! Evaluation on the newest data.

use std::time::{SystemTime, UNIX_EPOCH};

use fdv2_core::context::Context;
use fdv2_core::eval::{Detail, FlagDetail, FlagDetailConfig};
use serde_json::Value;

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
        self.load().bool_variation(context, key, default)
    }

    /// As [`Client::bool_variation`], with the reason.
    pub fn bool_variation_detail(
        &self,
        context: &Context,
        key: &str,
        default: bool,
    ) -> Detail<'static, bool> {
        self.load().bool_variation_detail(context, key, default).into_owned()
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
        let data = self.load();
        let detail =
            data.variation_detail(context, key).typed(None, |value| value.as_str().map(Some));
        detail.map(|text| text.map_or_else(|| default.into(), str::to_owned)).into_owned()
    }

    /// The flag's value if it is a number, without its fraction. A float too large to be exact is
    /// of the wrong type.
    pub fn int_variation(&self, context: &Context, key: &str, default: i64) -> i64 {
        self.load().int_variation(context, key, default)
    }

    /// As [`Client::int_variation`], with the reason.
    pub fn int_variation_detail(
        &self,
        context: &Context,
        key: &str,
        default: i64,
    ) -> Detail<'static, i64> {
        self.load().int_variation_detail(context, key, default).into_owned()
    }

    /// The flag's value if it is a number.
    pub fn float_variation(&self, context: &Context, key: &str, default: f64) -> f64 {
        self.load().float_variation(context, key, default)
    }

    /// As [`Client::float_variation`], with the reason.
    pub fn float_variation_detail(
        &self,
        context: &Context,
        key: &str,
        default: f64,
    ) -> Detail<'static, f64> {
        self.load().float_variation_detail(context, key, default).into_owned()
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
        self.load().variation(context, key).cloned()
    }

    /// As [`Client::variation`], with the reason.
    pub fn variation_detail(&self, context: &Context, key: &str) -> Detail<'static, Option<Value>> {
        self.load().variation_detail(context, key).map(Option::<&Value>::cloned).into_owned()
    }

    /// What all flags give, on the same data. Before there is data the result is empty and not
    /// valid (B 6.7).
    pub fn all_flags_detail(&self, context: &Context, config: FlagDetailConfig) -> FlagDetail {
        self.load().all_flags_detail(context, config, unix_millis())
    }
}

impl SnapshotView {
    /// What all flags give. Before there was data the result is empty and not valid (B 6.7).
    pub fn all_flags_detail(&self, context: &Context, config: FlagDetailConfig) -> FlagDetail {
        self.core().all_flags_detail(context, config, unix_millis())
    }
}

/// Milliseconds since 1970: until when a flag is being debugged is said in them.
fn unix_millis() -> u64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since_1970.as_millis()).unwrap_or(u64::MAX)
}
