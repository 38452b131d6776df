//! Running the hooks around one evaluation, so that none of them does harm.

use std::any::Any;
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fdv2_core::context::Context;
use fdv2_core::eval::Detail;
use serde_json::Value;

use super::{EvaluationSeries, Hook, HookError};
use crate::contain::contain;
use crate::shared::Shared;
use crate::warning::{HookFailure, HookStage};

/// What a hook passes on to itself.
type Data = Box<dyn Any + Send>;

/// A hook whose data may be of any type.
pub(crate) trait AnyHook: Send + Sync {
    fn name(&self) -> &str;
    fn before(&self, series: &EvaluationSeries<'_>) -> Result<Data, HookError>;
    fn after(
        &self,
        series: &EvaluationSeries<'_>,
        data: Option<Data>,
        detail: &Detail<'_, Value>,
    ) -> Result<(), HookError>;
}

impl<H: Hook> AnyHook for H {
    fn name(&self) -> &str {
        Hook::name(self)
    }

    fn before(&self, series: &EvaluationSeries<'_>) -> Result<Data, HookError> {
        Ok(Box::new(self.before_evaluation(series)?))
    }

    fn after(
        &self,
        series: &EvaluationSeries<'_>,
        data: Option<Data>,
        detail: &Detail<'_, Value>,
    ) -> Result<(), HookError> {
        let data = data.and_then(|data| data.downcast::<H::Data>().ok());
        self.after_evaluation(series, data.map(|data| *data).unwrap_or_default(), detail)
    }
}

/// A hook as it is handed in.
pub(crate) type SharedHook = Arc<dyn AnyHook>;

/// The hooks of one client, in the order in which they were added.
pub(crate) struct Hooks(Box<[Added]>);

struct Added {
    hook: SharedHook,
    name: Arc<str>,
    has_failed: AtomicBool,
}

/// An evaluation that was asked for.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) method: &'static str,
    pub(crate) context: &'a Context,
    pub(crate) key: &'a str,
}

impl Hooks {
    /// `None` if there are none, so that evaluations have but one thing to ask.
    pub(crate) fn new(hooks: Vec<SharedHook>) -> Option<Self> {
        let added = |hook: SharedHook| {
            let name = contain(|| hook.name().into());
            let name = name.unwrap_or_else(|| "without a name".into());
            Added { hook, name, has_failed: AtomicBool::new(false) }
        };
        (!hooks.is_empty()).then(|| Self(hooks.into_iter().map(added).collect()))
    }

    /// Runs the stages before the evaluation.
    pub(crate) fn begin<'a>(
        &'a self,
        shared: &'a Shared,
        asked: Asked<'a>,
        default: Value,
    ) -> Series<'a> {
        let mut series =
            Series { hooks: self, shared, asked, default, data: Vec::with_capacity(self.0.len()) };
        let environment_id = shared.environment_id();
        for added in &self.0 {
            let told = series.told(environment_id.as_deref());
            let data = added.run(shared, HookStage::BeforeEvaluation, || added.hook.before(&told));
            series.data.push(data);
        }
        series
    }
}

impl Drop for Hooks {
    /// Each by itself: one that panics in that harms neither the client nor another.
    fn drop(&mut self) {
        for added in mem::take(&mut self.0) {
            contain(|| drop(added));
        }
    }
}

impl Added {
    /// Runs one stage. What goes wrong in it is told once.
    fn run<R>(
        &self,
        shared: &Shared,
        stage: HookStage,
        run: impl FnOnce() -> Result<R, HookError>,
    ) -> Option<R> {
        // An error's text is code of others, too.
        let message = match contain(|| run().map_err(|error| error.to_string())) {
            Some(Ok(result)) => return Some(result),
            Some(Err(message)) => message,
            None => "it panicked; standard error has the message".to_owned(),
        };
        if !self.has_failed.swap(true, Ordering::Relaxed) {
            let hook = Arc::clone(&self.name);
            shared.warn(HookFailure::new(hook, stage, &message).into());
        }
        None
    }
}

/// One evaluation with hooks around it.
pub(crate) struct Series<'a> {
    hooks: &'a Hooks,
    shared: &'a Shared,
    asked: Asked<'a>,
    default: Value,
    /// Of each hook its own.
    data: Vec<Option<Data>>,
}

impl Series<'_> {
    /// Runs the stages after the evaluation, which gave `detail`.
    pub(crate) fn end<T: Clone + Into<Value>>(mut self, detail: &Detail<'_, T>) {
        let detail = detail.clone().map(Into::into);
        let environment_id = self.shared.environment_id();
        for added in self.hooks.0.iter().rev() {
            let data = self.data.pop().flatten();
            let told = self.told(environment_id.as_deref());
            let after = || added.hook.after(&told, data, &detail);
            added.run(self.shared, HookStage::AfterEvaluation, after);
        }
    }

    fn told<'s>(&'s self, environment_id: Option<&'s str>) -> EvaluationSeries<'s> {
        EvaluationSeries {
            flag_key: self.asked.key,
            context: self.asked.context,
            default_value: &self.default,
            method: self.asked.method,
            environment_id,
        }
    }
}

impl Drop for Series<'_> {
    /// What is left when an evaluation was not awaited to its end is code of others.
    fn drop(&mut self) {
        for data in mem::take(&mut self.data) {
            contain(|| drop(data));
        }
    }
}
