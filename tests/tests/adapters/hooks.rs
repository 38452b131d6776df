//! Hooks over real sockets (C 2.13).

use std::sync::{Arc, Mutex};

use fdv2_client::config::{Polling, Streaming};
use fdv2_client::{Config, Detail, EvaluationSeries, Hook, HookError};
use fdv2_tests::server::{Script, Server};
use serde_json::Value;

use crate::host::{Host, PATIENCE};
use crate::on_every_runtime;
use crate::wire::{flag, full, poll, sse, value};

on_every_runtime!(c_2_13_the_environment_id_reaches_the_stage_after_an_evaluation);

/// Keeps the environment ids that it is told of.
#[derive(Clone, Default)]
struct Environments(Arc<Mutex<Vec<Option<String>>>>);

impl Hook for Environments {
    type Data = ();

    fn name(&self) -> &str {
        "environments"
    }

    fn after_evaluation(
        &self,
        series: &EvaluationSeries<'_>,
        (): (),
        _: &Detail<'_, Value>,
    ) -> Result<(), HookError> {
        self.0.lock().unwrap().push(series.environment_id.map(str::to_owned));
        Ok(())
    }
}

/// From a poll that initializes, and from a stream.
fn c_2_13_the_environment_id_reaches_the_stage_after_an_evaluation(host: Host) {
    let server = Server::new(|_, request| {
        let id = ("x-ld-envid", "env-12345");
        let transfer = full("s1", &[flag("f1", 1)]);
        if request.path().ends_with("/sdk/poll") {
            Script::response(200, &[id], poll(&transfer).as_bytes())
        } else {
            let media = ("content-type", "text/event-stream");
            let head = [id, media, ("transfer-encoding", "chunked")];
            Script::new().head(200, &head).chunk(&sse(&transfer)).hang()
        }
    });
    let url = server.url();
    let builders = [
        Config::custom("sdk-key").initializer(Polling::new().base_url(&*url)),
        Config::custom("sdk-key").synchronizer(Streaming::new().base_url(&*url)),
    ];
    for builder in builders {
        let environments = Environments::default();
        let client = host.start_hooked(builder.build().unwrap(), environments.clone());
        host.run(client.wait_for_initialization(PATIENCE)).unwrap();
        assert_eq!(value(&client, "f1"), Some(1.into()));
        assert_eq!(*environments.0.lock().unwrap(), [Some("env-12345".to_owned())]);
    }
}
