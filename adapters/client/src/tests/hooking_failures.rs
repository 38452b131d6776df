//! Hooks that fail and panic harm nothing, and are told of once.

use std::panic::panic_any;

use fdv2_core::Config;
use futures::{FutureExt, StreamExt};
use serde_json::{Value, json};

use super::evaluating::user;
use super::hooking::{Logging, holding};
use super::reading::Tables;
use super::sim::Sim;
use super::{Log, Silence, start_with};
use crate::store::Store;
use crate::{
    Client, Detail, EvaluationSeries, Hook, HookError, HookStage, Parts, Warning, Warnings,
};

/// What a stage of [`Faulty`] does.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    Error,
    Panic,
}

/// Goes wrong where a test wants it.
struct Faulty {
    before: Fault,
    after: Fault,
    log: Log,
}

impl Fault {
    fn happen(self) -> Result<(), HookError> {
        match self {
            Self::None => Ok(()),
            Self::Error => Err(format!("a fault {}", "é".repeat(1_000)).into()),
            Self::Panic => panic!("a panic that the test wants"),
        }
    }
}

impl Hook for Faulty {
    type Data = u32;

    fn name(&self) -> &str {
        "faulty"
    }

    fn before_evaluation(&self, _: &EvaluationSeries<'_>) -> Result<u32, HookError> {
        self.before.happen()?;
        Ok(1)
    }

    fn after_evaluation(
        &self,
        _: &EvaluationSeries<'_>,
        data: u32,
        _: &Detail<'_, Value>,
    ) -> Result<(), HookError> {
        self.log.write(format!("faulty got {data}"));
        self.after.happen()
    }
}

/// A client with a faulty hook between two good ones.
fn client_with(before: Fault, after: Fault) -> (Client, Log) {
    let log = Log::default();
    let parts = Parts::new()
        .hook(Logging::new("a", &log))
        .hook(Faulty { before, after, log: log.clone() })
        .hook(Logging::new("b", &log));
    (holding(parts, &[("f", json!(true))]), log)
}

fn next(warnings: &mut Warnings) -> Option<(HookStage, String)> {
    match warnings.next().now_or_never()?? {
        Warning::Hook(failure) => {
            assert_eq!(&*failure.hook, "faulty");
            Some((failure.stage, failure.message.to_string()))
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_faulty_hook_changes_neither_the_evaluation_nor_the_other_hooks() {
    let faults = [Fault::None, Fault::Error, Fault::Panic];
    for (before, after) in faults.iter().flat_map(|before| faults.map(|after| (*before, after))) {
        let (client, log) = client_with(before, after);
        // Without data of its own it gets the default.
        let got = if before == Fault::None { "faulty got 1" } else { "faulty got 0" };
        for _ in 0..2 {
            let detail = client.bool_variation_detail(&user(), "f", false);
            assert_eq!((detail.value, detail.variation_index), (true, Some(0)));
            let through = client.through_store().bool_variation(&user(), "f", false).now_or_never();
            assert_eq!(through, Some(true));
            let stages = [
                "a before f",
                "b before f",
                "b after f: true \"of b\"",
                got,
                "a after f: true \"of a\"",
            ];
            assert_eq!(log.take(), [stages, stages].concat());
        }
    }
}

#[test]
fn the_first_failure_of_each_hook_is_told_and_bounded() {
    let (client, _log) = client_with(Fault::Error, Fault::Panic);
    let mut early = client.warnings();
    for _ in 0..100 {
        client.bool_variation(&user(), "f", false);
    }
    let mut late = client.warnings();
    for warnings in [&mut early, &mut late] {
        let (stage, message) = next(warnings).unwrap();
        assert_eq!(stage, HookStage::BeforeEvaluation);
        assert!(message.starts_with("a fault é"), "{message}");
        assert_eq!(message.chars().count(), 500);
        assert_eq!(next(warnings), None);
    }
}

/// What it panics with stays out of the warning: it may hold anything (B 11.1).
#[test]
fn a_panic_is_told_without_its_text() {
    let (client, _log) = client_with(Fault::None, Fault::Panic);
    client.bool_variation(&user(), "f", false);
    let warning = client.warnings().next().now_or_never().unwrap().unwrap();
    assert_eq!(
        warning.to_string(),
        "the hook \"faulty\" failed after an evaluation: it panicked; standard error has the message"
    );
}

/// What a hook panics with is code of others, too.
#[test]
fn a_panic_that_panics_is_contained() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic_any(Bomb);
        }
    }
    struct Bombing;
    impl Hook for Bombing {
        type Data = ();

        fn name(&self) -> &str {
            "bombing"
        }

        fn before_evaluation(&self, _: &EvaluationSeries<'_>) -> Result<(), HookError> {
            panic_any(Bomb)
        }
    }
    let client = holding(Parts::new().hook(Bombing), &[("f", json!(true))]);
    assert!(client.bool_variation(&user(), "f", false));
    assert!(client.warnings().next().now_or_never().flatten().is_some());
}

#[test]
fn a_hook_that_cannot_say_its_name_is_a_hook_all_the_same() {
    struct Nameless;
    impl Hook for Nameless {
        type Data = ();

        fn name(&self) -> &str {
            panic!("a panic that the test wants")
        }

        fn before_evaluation(&self, _: &EvaluationSeries<'_>) -> Result<(), HookError> {
            Err("a fault".into())
        }
    }
    let client = holding(Parts::new().hook(Nameless), &[("f", json!(true))]);
    assert!(client.bool_variation(&user(), "f", false));
    let warning = client.warnings().next().now_or_never().unwrap().unwrap();
    let says = "the hook \"without a name\" failed before an evaluation: a fault";
    assert_eq!(warning.to_string(), says);
}

#[test]
fn data_that_panics_is_contained_also_when_an_evaluation_is_dropped() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("a panic that the test wants");
        }
    }
    struct Planting;
    impl Hook for Planting {
        type Data = Option<Bomb>;

        fn name(&self) -> &str {
            "planting"
        }

        fn before_evaluation(&self, _: &EvaluationSeries<'_>) -> Result<Self::Data, HookError> {
            Ok(Some(Bomb))
        }
    }
    let client = holding(Parts::new().hook(Planting), &[("f", json!(true))]);
    assert!(client.bool_variation(&user(), "f", false));
    assert!(client.warnings().next().now_or_never().flatten().is_some());

    let store = Tables::default();
    store.set_hanging(true);
    let parts = Parts::new().hook(Planting).store(Store::new(store.clone()));
    let daemon = Config::daemon().build().unwrap();
    let client = start_with(&Sim::default(), daemon, Silence, parts);
    // Dropped between its stages.
    assert_eq!(client.through_store().bool_variation(&user(), "f", false).now_or_never(), None);
    store.set_hanging(false);
}

/// The driver may be the last to let go of a hook.
#[test]
fn a_hook_that_panics_as_it_is_dropped_harms_neither_the_driver_nor_other_hooks() {
    struct Bombing(Log);
    impl Hook for Bombing {
        type Data = ();

        fn name(&self) -> &str {
            "bombing"
        }
    }
    impl Drop for Bombing {
        fn drop(&mut self) {
            self.0.write("dropped");
            panic!("a panic that the test wants");
        }
    }
    let (sim, log) = (Sim::default(), Log::default());
    let parts = Parts::new().hook(Bombing(log.clone())).hook(Bombing(log.clone()));
    let client = start_with(&sim, Config::offline().build().unwrap(), Silence, parts);
    drop(client);
    sim.run();
    assert_eq!(sim.tasks(), 0);
    assert_eq!(log.take(), ["dropped", "dropped"]);
}
