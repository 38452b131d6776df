//! Code of the application around each evaluation.

mod series;

use fdv2_core::context::Context;
use fdv2_core::eval::Detail;
use serde_json::Value;

pub(crate) use self::series::{Asked, Hooks, SharedHook};

/// What a hook fails with.
pub type HookError = Box<dyn std::error::Error + Send + Sync>;

/// Code of the application around each evaluation: for traces, metrics, audits.
///
/// The stages before an evaluation run in the order in which the hooks were added, those after it
/// in the reverse order, all on the thread that evaluates. So they must be quick, and in the
/// asynchronous form must not block. What a hook returns before the evaluation it gets back after
/// it.
///
/// A hook that panics or fails changes nothing: the evaluation gives what it would give, and the
/// other stages run, with [`Data`](Self::Data)'s default where there is none. The first failure of
/// each hook is told by [`Client::warnings`](crate::Client::warnings).
///
/// ```
/// use std::time::{Duration, Instant};
///
/// use fdv2_client::{Detail, EvaluationSeries, Hook, HookError};
/// use serde_json::Value;
///
/// /// Says which evaluations are slow.
/// struct SlowEvaluations {
///     limit: Duration,
/// }
///
/// impl Hook for SlowEvaluations {
///     type Data = Option<Instant>;
///
///     fn name(&self) -> &str {
///         "slow evaluations"
///     }
///
///     fn before_evaluation(&self, _: &EvaluationSeries<'_>) -> Result<Self::Data, HookError> {
///         Ok(Some(Instant::now()))
///     }
///
///     fn after_evaluation(
///         &self,
///         series: &EvaluationSeries<'_>,
///         began: Self::Data,
///         _: &Detail<'_, Value>,
///     ) -> Result<(), HookError> {
///         let Some(began) = began else { return Ok(()) };
///         if began.elapsed() > self.limit {
///             eprintln!("{} took {:?}", series.flag_key, began.elapsed());
///         }
///         Ok(())
///     }
/// }
/// ```
///
/// A hook that evaluates flags itself does so on a [`snapshot`](crate::Client::snapshot): evaluated on
/// the client, they would run it again, without end.
///
/// It is added with `ClientBuilder::hook`, or with [`Parts::hook`](crate::Parts::hook). Hooks run
/// for the `*_variation` methods of [`Client`](crate::Client) and of
/// [`ThroughStore`](crate::ThroughStore). They do not run for those of a
/// [`SnapshotView`](crate::SnapshotView), for all flags at once, and for the evaluations of
/// listeners to values.
pub trait Hook: Send + Sync + 'static {
    /// What is passed on from the stage before an evaluation to the one after it. `()` if nothing
    /// is.
    type Data: Default + Send + 'static;

    /// What the hook is called in warnings.
    fn name(&self) -> &str;

    /// Runs before an evaluation.
    ///
    /// # Errors
    /// Whatever the hook likes. It changes nothing but that the stage after the evaluation gets the
    /// default of [`Data`](Self::Data).
    fn before_evaluation(&self, series: &EvaluationSeries<'_>) -> Result<Self::Data, HookError> {
        let _ = series;
        Ok(Self::Data::default())
    }

    /// Runs after an evaluation, with what it gave: the value is the one that the caller gets, his
    /// default included. It does not run when an asynchronous evaluation was dropped before its
    /// end.
    ///
    /// # Errors
    /// Whatever the hook likes. It changes nothing.
    fn after_evaluation(
        &self,
        series: &EvaluationSeries<'_>,
        data: Self::Data,
        detail: &Detail<'_, Value>,
    ) -> Result<(), HookError> {
        let _ = (series, data, detail);
        Ok(())
    }
}

/// What is evaluated, as the stages of hooks are told.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct EvaluationSeries<'a> {
    /// The flag.
    pub flag_key: &'a str,
    /// Whom it is evaluated for.
    pub context: &'a Context,
    /// The caller's default: null for [`variation`](crate::Client::variation), which has none.
    pub default_value: &'a Value,
    /// The method that was called: `bool_variation`, `bool_variation_detail` and so on.
    pub method: &'static str,
    /// The environment's id, if it is known when the stage runs (B 6.6). After an evaluation it is
    /// at least as new as the data that was evaluated.
    pub environment_id: Option<&'a str>,
}
