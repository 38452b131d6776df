//! The asynchronous evaluation: through the store while that is what counts (B 9.9), and with
//! memberships asked for.

use std::mem;
use std::sync::Arc;

use fdv2_core::context::Context;
use fdv2_core::eval::{Detail, ErrorKind, FlagDetail, FlagDetailConfig};
use serde_json::Value;

use super::{Cache, CacheView, Lack, NoAnswer, View};
use crate::big_segments::{Fetched, Known};
use crate::evaluate::{any, text, unix_millis};
use crate::hook::Asked;
use crate::shared::Shared;
use crate::store::StoreError;

/// The asynchronous evaluation. See [`Client::through_store`](crate::Client::through_store).
#[derive(Clone, Copy)]
pub struct ThroughStore<'a>(pub(crate) &'a Arc<Shared>);

impl ThroughStore<'_> {
    /// The flag's value if it is true or false.
    pub async fn bool_variation(&self, context: &Context, key: &str, default: bool) -> bool {
        self.bool_detail(Asked { method: "bool_variation", context, key }, default).await.value
    }

    /// As [`ThroughStore::bool_variation`], with the reason.
    pub async fn bool_variation_detail(
        &self,
        context: &Context,
        key: &str,
        default: bool,
    ) -> Detail<'static, bool> {
        self.bool_detail(Asked { method: "bool_variation_detail", context, key }, default).await
    }

    /// The flag's value if it is text.
    pub async fn str_variation(&self, context: &Context, key: &str, default: &str) -> String {
        self.str_detail(Asked { method: "str_variation", context, key }, default).await.value
    }

    /// As [`ThroughStore::str_variation`], with the reason.
    pub async fn str_variation_detail(
        &self,
        context: &Context,
        key: &str,
        default: &str,
    ) -> Detail<'static, String> {
        self.str_detail(Asked { method: "str_variation_detail", context, key }, default).await
    }

    /// The flag's value if it is a number, without its fraction.
    pub async fn int_variation(&self, context: &Context, key: &str, default: i64) -> i64 {
        self.int_detail(Asked { method: "int_variation", context, key }, default).await.value
    }

    /// As [`ThroughStore::int_variation`], with the reason.
    pub async fn int_variation_detail(
        &self,
        context: &Context,
        key: &str,
        default: i64,
    ) -> Detail<'static, i64> {
        self.int_detail(Asked { method: "int_variation_detail", context, key }, default).await
    }

    /// The flag's value if it is a number.
    pub async fn float_variation(&self, context: &Context, key: &str, default: f64) -> f64 {
        self.float_detail(Asked { method: "float_variation", context, key }, default).await.value
    }

    /// As [`ThroughStore::float_variation`], with the reason.
    pub async fn float_variation_detail(
        &self,
        context: &Context,
        key: &str,
        default: f64,
    ) -> Detail<'static, f64> {
        self.float_detail(Asked { method: "float_variation_detail", context, key }, default).await
    }

    /// The flag's value, whatever its type.
    pub async fn json_variation(&self, context: &Context, key: &str, default: Value) -> Value {
        self.json_detail(Asked { method: "json_variation", context, key }, default).await.value
    }

    /// As [`ThroughStore::json_variation`], with the reason.
    pub async fn json_variation_detail(
        &self,
        context: &Context,
        key: &str,
        default: Value,
    ) -> Detail<'static, Value> {
        self.json_detail(Asked { method: "json_variation_detail", context, key }, default).await
    }

    /// The flag's value, if it has one.
    pub async fn variation(&self, context: &Context, key: &str) -> Option<Value> {
        let asked = Asked { method: "variation", context, key };
        self.detail(asked, || Value::Null, any).await.value
    }

    /// As [`ThroughStore::variation`], with the reason.
    pub async fn variation_detail(
        &self,
        context: &Context,
        key: &str,
    ) -> Detail<'static, Option<Value>> {
        let asked = Asked { method: "variation_detail", context, key };
        self.detail(asked, || Value::Null, any).await
    }

    /// What all flags give, on the same data.
    pub async fn all_flags_detail(
        &self,
        context: &Context,
        config: FlagDetailConfig,
    ) -> FlagDetail {
        let now = unix_millis();
        let answer = self.answer(|view| view.all_flags_detail(context, config, now));
        answer.await.unwrap_or_default()
    }

    /// Reads the whole store into the cache, so that evaluations find everything there. Does
    /// nothing where memory is what counts (B 9.9).
    ///
    /// # Errors
    /// The store could not be read.
    pub async fn warm_up(&self) -> Result<(), StoreError> {
        match self.0.reading() {
            Some(reading) => reading.warm_up(self.0).await,
            None => Ok(()),
        }
    }

    async fn bool_detail(&self, asked: Asked<'_>, default: bool) -> Detail<'static, bool> {
        self.detail(asked, || default.into(), |detail| detail.typed(default, Value::as_bool)).await
    }

    async fn str_detail(&self, asked: Asked<'_>, default: &str) -> Detail<'static, String> {
        self.detail(
            asked,
            || default.into(),
            |detail| text(detail).map(|text| text.unwrap_or_else(|| default.to_owned())),
        )
        .await
    }

    async fn int_detail(&self, asked: Asked<'_>, default: i64) -> Detail<'static, i64> {
        self.detail(asked, || default.into(), |detail| detail.whole(default)).await
    }

    async fn float_detail(&self, asked: Asked<'_>, default: f64) -> Detail<'static, f64> {
        self.detail(asked, || default.into(), |detail| detail.typed(default, Value::as_f64)).await
    }

    async fn json_detail(&self, asked: Asked<'_>, default: Value) -> Detail<'static, Value> {
        self.detail(
            asked,
            || default.clone(),
            |detail| detail.map(|value| value.unwrap_or(&default).clone()),
        )
        .await
    }

    /// Evaluates, with the hooks around it if there are any.
    async fn detail<T: Clone + Into<Value>>(
        &self,
        asked: Asked<'_>,
        default: impl FnOnce() -> Value,
        convert: impl for<'d> Fn(Detail<'d, Option<&'d Value>>) -> Detail<'d, T>,
    ) -> Detail<'static, T> {
        let Some(hooks) = self.0.hooks() else { return self.evaluate(asked, convert).await };
        let series = hooks.begin(self.0, asked, default());
        let detail = self.evaluate(asked, convert).await;
        series.end(&detail);
        detail
    }

    async fn evaluate<T>(
        &self,
        Asked { context, key, .. }: Asked<'_>,
        convert: impl for<'d> Fn(Detail<'d, Option<&'d Value>>) -> Detail<'d, T>,
    ) -> Detail<'static, T> {
        let answer = self.answer(|view| {
            view.variation_detail(context, key).map(|detail| convert(detail).into_owned())
        });
        match answer.await {
            Ok(detail) => detail,
            Err(no_answer) => convert(no_answer.detail()).into_owned(),
        }
    }

    /// Evaluates, and asks for what is lacking, until there is an answer.
    async fn answer<R>(&self, ask: impl Fn(&View<'_>) -> Result<R, Lack>) -> Result<R, NoAnswer> {
        let (shared, memberships) = (self.0, self.0.memberships());
        let (mut items, mut fetched) = (Scratch::new(shared), Fetched::default());
        loop {
            let mut answer = Err(NoAnswer::Memory);
            if let Some(reading) = shared.reading() {
                let ask = |cache: &CacheView<'_>| {
                    ask(&View::of_store(cache, &Known::with(memberships, &fetched)))
                };
                answer = reading.answer(shared, &mut items.cache, ask).await;
            }
            if let Err(NoAnswer::Memory) = answer {
                let known = Known::with(memberships, &fetched);
                answer = ask(&View::of_memory(&shared.snapshot().load(), &known))
                    .map_err(NoAnswer::from);
            }
            match (answer, memberships) {
                (Err(NoAnswer::Memberships(context_key)), Some(memberships)) => {
                    fetched.fetch(memberships, &context_key).await;
                }
                (answer, _) => return answer,
            }
        }
    }
}

/// What one evaluation has fetched for itself. Whole collections are freed away from the caller.
struct Scratch<'a> {
    cache: Cache,
    shared: &'a Shared,
}

impl<'a> Scratch<'a> {
    fn new(shared: &'a Shared) -> Self {
        Self { cache: Cache::scratch(), shared }
    }
}

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        if self.cache.has_a_whole() {
            let cache = mem::replace(&mut self.cache, Cache::scratch());
            self.shared.graveyard().bury(Arc::new(cache));
        }
    }
}

/// For what has its items in memory.
impl From<Lack> for NoAnswer {
    fn from(lack: Lack) -> Self {
        match lack {
            Lack::Memberships(context_key) => Self::Memberships(context_key),
            Lack::Item(..) | Lack::Everything => Self::Unreadable,
        }
    }
}

impl NoAnswer {
    /// The result for want of an answer.
    pub(crate) fn detail(self) -> Detail<'static, Option<&'static Value>> {
        let error = match self {
            Self::Memory | Self::NotReady => ErrorKind::ClientNotReady,
            Self::Unreadable | Self::Memberships(_) => ErrorKind::Exception,
        };
        Detail::default_because(error, None)
    }
}
