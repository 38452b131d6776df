//! The service under test: one process for each runtime.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::{LazyLock, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use ureq::Agent;
use ureq::http::Request;

use super::{Sdk, Setup};

/// Longer than the service takes for anything.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running service. It ends with this process, because its standard input does.
pub(crate) struct Service {
    url: String,
    agent: Agent,
    /// With its input, which must stay open.
    process: Mutex<Child>,
}

/// What the service answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) location: Option<String>,
    pub(crate) text: String,
}

impl Answer {
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

static TOKIO: LazyLock<Service> = LazyLock::new(|| Service::start("tokio"));
static SMOL: LazyLock<Service> = LazyLock::new(|| Service::start("smol"));

impl Service {
    pub(crate) fn tokio() -> &'static Self {
        &TOKIO
    }

    pub(crate) fn smol() -> &'static Self {
        &SMOL
    }

    /// Starts one more than the two that the tests share.
    pub(crate) fn start(runtime: &str) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_contract-service"))
            .args(["--runtime", runtime, "--port", "0", "--until-stdin-ends"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the service can be run");
        let mut line = String::new();
        let mut output = BufReader::new(process.stdout.take().expect("its output"));
        output.read_line(&mut line).expect("its output can be read");
        let url = line.trim().strip_prefix("listening on ").expect("its address").to_owned();
        let agent = Agent::config_builder()
            .proxy(None)
            .http_status_as_error(false)
            .timeout_global(Some(PATIENCE))
            .build();
        Self { url, agent: agent.into(), process: Mutex::new(process) }
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.process.lock().unwrap().try_wait().expect("a process").is_some()
    }

    /// As when whoever started it is gone.
    pub(crate) fn end_input(&self) {
        drop(self.process.lock().unwrap().stdin.take());
    }

    /// Sends a request. `to` is a path, or an absolute URL.
    #[track_caller]
    pub(crate) fn send(&self, method: &str, to: &str, body: &str) -> Answer {
        let url = if to.starts_with("http:") { to.to_owned() } else { format!("{}{to}", self.url) };
        let request = Request::builder().method(method).uri(&url).body(body.to_owned()).unwrap();
        let mut response = self.agent.run(request).expect("an answer of the service");
        let location = response.headers().get("location");
        Answer {
            status: response.status().as_u16(),
            location: location.map(|location| location.to_str().unwrap().to_owned()),
            text: response.body_mut().read_to_string().expect("a text"),
        }
    }

    /// Asks for a client.
    #[track_caller]
    pub(crate) fn try_create(&self, setup: &Setup) -> Answer {
        let tag = thread::current().name().unwrap_or("a test").to_owned();
        self.send("POST", "/", &setup.request(&tag).to_string())
    }

    /// Asks for a client, which must be given.
    #[track_caller]
    pub(crate) fn create(&self, setup: &Setup) -> Sdk<'_> {
        let answer = self.try_create(setup);
        assert!(answer.is_success(), "{answer:?}");
        Sdk::new(self, answer.location.expect("a location"))
    }
}

/// Stamps each test of a module out for both runtimes.
#[macro_export]
macro_rules! on_both_runtimes {
    ($($test:ident),+ $(,)?) => {
        mod on_tokio {
            $(#[test] fn $test() { super::$test($crate::support::Service::tokio()); })+
        }
        mod on_smol {
            $(#[test] fn $test() { super::$test($crate::support::Service::smol()); })+
        }
    };
}

/// The same for tests that take from 12 s to 6 minutes.
#[macro_export]
macro_rules! long_on_both_runtimes {
    ($($test:ident),+ $(,)?) => {
        mod long_on_tokio {
            $(
                #[test]
                #[ignore = "it takes up to 6 minutes: FDV2_LONG=1 sh tests/run.sh"]
                fn $test() { super::$test($crate::support::Service::tokio()); }
            )+
        }
        mod long_on_smol {
            $(
                #[test]
                #[ignore = "it takes up to 6 minutes: FDV2_LONG=1 sh tests/run.sh"]
                fn $test() { super::$test($crate::support::Service::smol()); }
            )+
        }
    };
}
