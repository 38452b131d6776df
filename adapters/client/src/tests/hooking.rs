//! Hooks around evaluations (C 2.13, 3.7).

use fdv2_core::eval::FlagDetailConfig;
use fdv2_core::{Config, Outcome, Request, SourceUpdate};
use futures::FutureExt;
use futures::stream::{self, BoxStream, StreamExt};
use serde_json::{Value, json};

use super::evaluating::{user, values};
use super::feed::{Feeds, fed_with};
use super::sim::Sim;
use super::{Log, Silence, start_with};
use crate::{
    Client, Context, ContextBuilder, Detail, EvaluationSeries, Hook, HookError, Parts, Transport,
};

/// Logs its stages, and passes on how many evaluations it has seen.
pub(super) struct Logging {
    name: &'static str,
    log: Log,
}

impl Logging {
    pub(super) fn new(name: &'static str, log: &Log) -> Self {
        Self { name, log: log.clone() }
    }
}

impl Hook for Logging {
    type Data = String;

    fn name(&self) -> &str {
        self.name
    }

    fn before_evaluation(&self, series: &EvaluationSeries<'_>) -> Result<String, HookError> {
        self.log.write(format!("{} before {}", self.name, series.flag_key));
        Ok(format!("of {}", self.name))
    }

    fn after_evaluation(
        &self,
        series: &EvaluationSeries<'_>,
        data: String,
        detail: &Detail<'_, Value>,
    ) -> Result<(), HookError> {
        self.log
            .write(format!("{} after {}: {} {data:?}", self.name, series.flag_key, detail.value));
        Ok(())
    }
}

/// Logs all that the stage after the evaluation is told, as JSON.
struct Telling(Log);

impl Hook for Telling {
    type Data = ();

    fn name(&self) -> &str {
        "telling"
    }

    fn after_evaluation(
        &self,
        series: &EvaluationSeries<'_>,
        (): (),
        detail: &Detail<'_, Value>,
    ) -> Result<(), HookError> {
        let told = json!([
            series.method,
            series.flag_key,
            series.context.key(),
            series.default_value,
            detail.value,
            detail.variation_index,
            detail.reason.error().map(|error| error.name()),
        ]);
        self.0.write(told.to_string());
        Ok(())
    }
}

/// A client with these parts that holds these flags.
pub(super) fn holding(parts: Parts, flags: &[(&str, Value)]) -> Client {
    let sim = Sim::default();
    let (client, feeds) = fed_with(&sim, &["feed"], parts);
    sim.run();
    feeds.tell("feed", values(flags));
    sim.run();
    client
}

fn told_by(log: &Log) -> Value {
    log.take().iter().map(|line| serde_json::from_str::<Value>(line).unwrap()).collect()
}

#[test]
fn stages_run_in_order_before_and_in_reverse_after_and_data_stays_with_its_hook() {
    let log = Log::default();
    let parts = Parts::new().hook(Logging::new("a", &log)).hook(Logging::new("b", &log));
    let client = holding(parts, &[("f", json!(true))]);
    assert!(client.bool_variation(&user(), "f", false));
    let stages =
        ["a before f", "b before f", "b after f: true \"of b\"", "a after f: true \"of a\""];
    assert_eq!(log.take(), stages);
    // And once for each evaluation.
    assert!(client.bool_variation_detail(&user(), "f", false).value);
    assert_eq!(log.take(), stages);
}

#[test]
fn each_method_tells_its_name_its_default_and_what_the_caller_gets() {
    let log = Log::default();
    let client = holding(
        Parts::new().hook(Telling(log.clone())),
        &[("b", json!(true)), ("i", json!(7)), ("d", json!(1.5)), ("s", json!("x"))],
    );
    let user = &user();
    client.bool_variation(user, "b", false);
    client.bool_variation_detail(user, "s", false);
    client.int_variation(user, "i", 1);
    client.int_variation_detail(user, "i", 1);
    client.float_variation(user, "d", 0.5);
    client.float_variation_detail(user, "nowhere", 0.5);
    client.str_variation(user, "s", "y");
    client.str_variation_detail(user, "nowhere", "y");
    client.json_variation(user, "d", json!([1]));
    client.json_variation_detail(user, "nowhere", json!([1]));
    client.variation(user, "s");
    client.variation_detail(user, "nowhere");
    assert_eq!(
        told_by(&log),
        json!([
            ["bool_variation", "b", "u", false, true, 0, null],
            ["bool_variation_detail", "s", "u", false, false, null, "WRONG_TYPE"],
            ["int_variation", "i", "u", 1, 7, 0, null],
            ["int_variation_detail", "i", "u", 1, 7, 0, null],
            ["float_variation", "d", "u", 0.5, 1.5, 0, null],
            ["float_variation_detail", "nowhere", "u", 0.5, 0.5, null, "FLAG_NOT_FOUND"],
            ["str_variation", "s", "u", "y", "x", 0, null],
            ["str_variation_detail", "nowhere", "u", "y", "y", null, "FLAG_NOT_FOUND"],
            ["json_variation", "d", "u", [1], 1.5, 0, null],
            ["json_variation_detail", "nowhere", "u", [1], [1], null, "FLAG_NOT_FOUND"],
            ["variation", "s", "u", null, "x", 0, null],
            ["variation_detail", "nowhere", "u", null, null, null, "FLAG_NOT_FOUND"],
        ])
    );
}

#[test]
fn the_asynchronous_form_runs_the_same_stages() {
    let log = Log::default();
    let client =
        holding(Parts::new().hook(Telling(log.clone())), &[("b", json!(true)), ("s", json!("x"))]);
    let (through, user) = (client.through_store(), &user());
    let all = async {
        through.bool_variation(user, "b", false).await;
        through.bool_variation_detail(user, "b", false).await;
        through.int_variation(user, "s", 1).await;
        through.int_variation_detail(user, "s", 1).await;
        through.float_variation(user, "s", 0.5).await;
        through.float_variation_detail(user, "s", 0.5).await;
        through.str_variation(user, "s", "y").await;
        through.str_variation_detail(user, "nowhere", "y").await;
        through.json_variation(user, "s", json!([1])).await;
        through.json_variation_detail(user, "nowhere", json!([1])).await;
        through.variation(user, "s").await;
        through.variation_detail(user, "s").await;
    };
    all.now_or_never().unwrap();
    assert_eq!(
        told_by(&log),
        json!([
            ["bool_variation", "b", "u", false, true, 0, null],
            ["bool_variation_detail", "b", "u", false, true, 0, null],
            ["int_variation", "s", "u", 1, 1, null, "WRONG_TYPE"],
            ["int_variation_detail", "s", "u", 1, 1, null, "WRONG_TYPE"],
            ["float_variation", "s", "u", 0.5, 0.5, null, "WRONG_TYPE"],
            ["float_variation_detail", "s", "u", 0.5, 0.5, null, "WRONG_TYPE"],
            ["str_variation", "s", "u", "y", "x", 0, null],
            ["str_variation_detail", "nowhere", "u", "y", "y", null, "FLAG_NOT_FOUND"],
            ["json_variation", "s", "u", [1], "x", 0, null],
            ["json_variation_detail", "nowhere", "u", [1], [1], null, "FLAG_NOT_FOUND"],
            ["variation", "s", "u", null, "x", 0, null],
            ["variation_detail", "s", "u", null, "x", 0, null],
        ])
    );
}

#[test]
fn snapshots_all_flags_and_listeners_to_values_run_no_hooks() {
    let log = Log::default();
    let client = holding(Parts::new().hook(Logging::new("a", &log)), &[("f", json!(true))]);
    assert!(client.snapshot().bool_variation(&user(), "f", false));
    assert!(client.all_flags_detail(&user(), FlagDetailConfig::new()).is_valid());
    let all = client.through_store();
    assert!(all.all_flags_detail(&user(), FlagDetailConfig::new()).now_or_never().is_some());
    assert_eq!(client.value_changes("f", user(), json!(false)).value(), &json!(true));
    assert_eq!(log.take(), [""; 0]);
}

/// C 2.13, B 6.6.
#[test]
fn c_2_13_the_environment_id_reaches_both_stages_once_it_is_known() {
    struct Environment(Log);
    impl Hook for Environment {
        type Data = Option<String>;

        fn name(&self) -> &str {
            "environment"
        }

        fn before_evaluation(
            &self,
            series: &EvaluationSeries<'_>,
        ) -> Result<Self::Data, HookError> {
            Ok(series.environment_id.map(str::to_owned))
        }

        fn after_evaluation(
            &self,
            series: &EvaluationSeries<'_>,
            before: Self::Data,
            _: &Detail<'_, Value>,
        ) -> Result<(), HookError> {
            self.0.write(format!("{before:?} {:?}", series.environment_id));
            Ok(())
        }
    }
    let (sim, log) = (Sim::default(), Log::default());
    let (client, feeds) = fed_with(&sim, &["feed"], Parts::new().hook(Environment(log.clone())));
    sim.run();
    client.bool_variation(&user(), "f", false);
    assert_eq!(log.take(), ["None None"]);
    feeds.tell("feed", SourceUpdate::EnvironmentId("env-12345".into()));
    feeds.tell("feed", values(&[("f", json!(true))]));
    sim.run();
    client.bool_variation(&user(), "f", false);
    assert_eq!(log.take(), [r#"Some("env-12345") Some("env-12345")"#]);
    assert_eq!(client.environment_id().as_deref(), Some("env-12345"));
}

#[test]
fn an_evaluation_that_is_not_ready_or_has_no_valid_context_runs_its_hooks_all_the_same() {
    let (sim, log) = (Sim::default(), Log::default());
    let (client, _feeds): (Client, Feeds) =
        fed_with(&sim, &["feed"], Parts::new().hook(Telling(log.clone())));
    client.bool_variation(&user(), "f", true);
    let nobody: Context = ContextBuilder::new("").build().into();
    client.bool_variation(&nobody, "f", true);
    let lines = told_by(&log);
    assert_eq!(lines[0], json!(["bool_variation", "f", "u", true, true, null, "CLIENT_NOT_READY"]));
    assert_eq!(lines[1][4], json!(true));
}

#[test]
fn clients_of_the_same_parts_run_the_same_hooks() {
    let (sim, log) = (Sim::default(), Log::default());
    let parts = Parts::new().hook(Logging::new("a", &log));
    for _ in 0..2 {
        let config = Config::offline().build().unwrap();
        let client = start_with(&sim, config, Silence, parts.clone());
        client.bool_variation(&user(), "f", false);
    }
    assert_eq!(log.take().len(), 4);
}

/// C 3.7.
#[test]
fn the_secure_mode_hash_needs_a_key_and_a_valid_context() {
    let sim = Sim::default();
    let key = "sdk-01234567-89ab-cdef-0123-456789abcdef";
    let config = Config::custom(key).build().unwrap();
    let client = start_with(&sim, config, Silence, Parts::new());
    let context = ContextBuilder::new("user-key-123").build().unwrap();
    let hash = "73df666a13f2c474e50aa34ca5a761e89abb737fb139ff65fdde7fa85c9dcacd";
    assert_eq!(client.secure_mode_hash(&context).as_deref(), Some(hash));
    let nobody: Context = ContextBuilder::new("").build().into();
    assert_eq!(client.secure_mode_hash(&nobody), None);
    assert!(!format!("{client:?}").contains(key));

    let offline = Config::offline().build().unwrap();
    let client = start_with(&sim, offline, Silence, Parts::new());
    assert_eq!(client.secure_mode_hash(&context), None);
}

/// C 2.9.
#[test]
fn c_2_9_the_instance_id_is_the_one_that_requests_carry() {
    struct Ids(Log);
    impl Transport for Ids {
        fn send(&self, request: Request) -> BoxStream<'static, Outcome> {
            let id = request.0.headers().get("x-launchdarkly-instance-id").unwrap();
            self.0.write(id.to_str().unwrap());
            stream::pending().boxed()
        }
    }
    let (sim, log) = (Sim::default(), Log::default());
    let config = Config::streaming("sdk-key").build().unwrap();
    let client = start_with(&sim, config, Ids(log.clone()), Parts::new());
    sim.run();
    assert_eq!(log.take(), [client.instance_id()]);
    assert_eq!(client.instance_id(), client.clone().instance_id());
}
