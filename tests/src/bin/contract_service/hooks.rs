//! Hooks that tell of each stage by HTTP (C 3.7).

use std::collections::BTreeMap;

use fdv2_client::{Detail, EvaluationSeries, Hook, HookError};
use serde_json::{Map, Value, json};

use crate::callback::Caller;
use crate::configuration;

const BEFORE: &str = "beforeEvaluation";
const AFTER: &str = "afterEvaluation";

type Data = Map<String, Value>;

pub(crate) struct Reporting {
    caller: Caller,
    name: String,
    callback_uri: String,
    /// What each stage adds to the data that it is given.
    data: BTreeMap<String, Data>,
    /// What each stage fails with, if it fails.
    errors: BTreeMap<String, String>,
}

impl Reporting {
    pub(crate) fn new(caller: &Caller, wanted: &configuration::Hook) -> Self {
        let data = wanted.data.iter().flatten();
        let errors = wanted.errors.iter().flatten();
        Self {
            caller: caller.clone(),
            name: wanted.name.clone().unwrap_or_default(),
            callback_uri: wanted.callback_uri.clone(),
            data: data.filter_map(given).collect(),
            errors: errors.filter_map(given).collect(),
        }
    }

    /// Fails as the stage is to fail, without a word to anybody.
    fn check(&self, stage: &str) -> Result<(), HookError> {
        match self.errors.get(stage) {
            Some(message) => Err(message.as_str().into()),
            None => Ok(()),
        }
    }
}

fn given<T: Clone>((stage, value): (&String, &Option<T>)) -> Option<(String, T)> {
    Some((stage.clone(), value.clone()?))
}

impl Hook for Reporting {
    type Data = Data;

    fn name(&self) -> &str {
        &self.name
    }

    fn before_evaluation(&self, series: &EvaluationSeries<'_>) -> Result<Data, HookError> {
        self.check(BEFORE)?;
        let told = json!({
            "evaluationSeriesContext": context(series),
            "evaluationSeriesData": {},
            "stage": BEFORE,
        });
        self.caller.tell(&self.callback_uri, &told);
        Ok(self.data.get(BEFORE).cloned().unwrap_or_default())
    }

    fn after_evaluation(
        &self,
        series: &EvaluationSeries<'_>,
        data: Data,
        detail: &Detail<'_, Value>,
    ) -> Result<(), HookError> {
        self.check(AFTER)?;
        let told = json!({
            "evaluationSeriesContext": context(series),
            "evaluationSeriesData": data,
            "evaluationDetail": detail,
            "stage": AFTER,
        });
        self.caller.tell(&self.callback_uri, &told);
        Ok(())
    }
}

fn context(series: &EvaluationSeries<'_>) -> Value {
    json!({
        "flagKey": series.flag_key,
        "context": series.context,
        "defaultValue": series.default_value,
        "method": series.method,
        "environmentId": series.environment_id,
    })
}
