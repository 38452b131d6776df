//! Flags of a snapshot by key, as the type that the caller wants (B 6.7).

use serde_json::Value;

use super::{Detail, ErrorKind, FlagDetail, FlagDetailConfig, evaluate};
use crate::Snapshot;
use crate::context::Context;

/// The largest whole number that a float holds together with all smaller ones.
const EXACT: f64 = 9_007_199_254_740_991.0;

/// Evaluation. The default is given before there is data, for a flag that is not there, without a
/// valid context, and where the flag has no value or one of another type (B 6.7). The `_detail`
/// methods say which. All values are borrowed.
impl Snapshot {
    /// The flag's value if it is true or false.
    pub fn bool_variation(&self, context: &Context, key: &str, default: bool) -> bool {
        self.bool_variation_detail(context, key, default).value
    }

    /// As [`Snapshot::bool_variation`], with the reason.
    pub fn bool_variation_detail(
        &self,
        context: &Context,
        key: &str,
        default: bool,
    ) -> Detail<'_, bool> {
        self.variation_detail(context, key).typed(default, Value::as_bool)
    }

    /// The flag's value if it is text.
    pub fn str_variation<'a>(&'a self, context: &Context, key: &str, default: &'a str) -> &'a str {
        self.str_variation_detail(context, key, default).value
    }

    /// As [`Snapshot::str_variation`], with the reason.
    pub fn str_variation_detail<'a>(
        &'a self,
        context: &Context,
        key: &str,
        default: &'a str,
    ) -> Detail<'a, &'a str> {
        self.variation_detail(context, key).typed(default, Value::as_str)
    }

    /// The flag's value if it is a number, without its fraction. A float too large to be exact is
    /// of the wrong type.
    pub fn int_variation(&self, context: &Context, key: &str, default: i64) -> i64 {
        self.int_variation_detail(context, key, default).value
    }

    /// As [`Snapshot::int_variation`], with the reason.
    pub fn int_variation_detail(
        &self,
        context: &Context,
        key: &str,
        default: i64,
    ) -> Detail<'_, i64> {
        self.variation_detail(context, key).whole(default)
    }

    /// The flag's value if it is a number.
    pub fn float_variation(&self, context: &Context, key: &str, default: f64) -> f64 {
        self.float_variation_detail(context, key, default).value
    }

    /// As [`Snapshot::float_variation`], with the reason.
    pub fn float_variation_detail(
        &self,
        context: &Context,
        key: &str,
        default: f64,
    ) -> Detail<'_, f64> {
        self.variation_detail(context, key).typed(default, Value::as_f64)
    }

    /// The flag's value, whatever its type.
    pub fn json_variation<'a>(
        &'a self,
        context: &Context,
        key: &str,
        default: &'a Value,
    ) -> &'a Value {
        self.json_variation_detail(context, key, default).value
    }

    /// As [`Snapshot::json_variation`], with the reason.
    pub fn json_variation_detail<'a>(
        &'a self,
        context: &Context,
        key: &str,
        default: &'a Value,
    ) -> Detail<'a, &'a Value> {
        self.variation_detail(context, key).typed(default, Some)
    }

    /// The flag's value, if it has one.
    pub fn variation(&self, context: &Context, key: &str) -> Option<&Value> {
        self.variation_detail(context, key).value
    }

    /// As [`Snapshot::variation`], with the reason.
    pub fn variation_detail(&self, context: &Context, key: &str) -> Detail<'_, Option<&Value>> {
        if !self.is_held() {
            return Detail::error(ErrorKind::ClientNotReady);
        }
        let Some(flag) = self.flag(key) else {
            return Detail::error(ErrorKind::FlagNotFound);
        };
        // A snapshot has everything loaded, so an evaluation never stops for want of something.
        evaluate(self, flag, context).unwrap_or_else(|_| Detail::error(ErrorKind::Exception))
    }

    /// What all flags give. `now` is in milliseconds since 1970, and tells which flags are still
    /// being debugged. Before there is data the result is empty and not valid (B 6.7).
    pub fn all_flags_detail(
        &self,
        context: &Context,
        config: FlagDetailConfig,
        now: u64,
    ) -> FlagDetail {
        if !self.is_held() {
            return FlagDetail::default();
        }
        FlagDetail::evaluate(self, self.flags(), context, config, now).unwrap_or_default()
    }
}

impl<'a> Detail<'a, Option<&'a Value>> {
    /// The value as a number without its fraction: `default` if there is none, and also, with
    /// [`ErrorKind::WrongType`], if it is no number or a float too large to be exact (B 6.7).
    pub fn whole(self, default: i64) -> Detail<'a, i64> {
        self.typed(default, whole)
    }
}

fn whole(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| {
        let number = value.as_f64().filter(|number| number.abs() <= EXACT)?;
        Some(number as i64)
    })
}
