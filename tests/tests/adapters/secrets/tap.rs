//! Hears everything that any crate of the process says of itself.

use std::collections::BTreeSet;
use std::fmt::{self, Write as _};
use std::sync::{Mutex, OnceLock};

use metrics::{Counter, Gauge, Histogram, Key, KeyName, Metadata as Metric, SharedString, Unit};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata};

use super::WATCHED;

/// What was said that holds something of [`WATCHED`], each text once: tests of other modules say much, too.
#[derive(Default)]
pub(super) struct Tap(Mutex<BTreeSet<String>>);

impl Tap {
    /// The one tap of the process, which hears everything from the first call on.
    pub(super) fn installed() -> &'static Self {
        static TAP: OnceLock<Tap> = OnceLock::new();
        static INSTALLED: OnceLock<()> = OnceLock::new();
        let tap = TAP.get_or_init(Self::default);
        INSTALLED.get_or_init(|| {
            tracing::subscriber::set_global_default(Listening(tap)).unwrap();
            metrics::set_global_recorder(Listening(tap)).unwrap();
            log::set_boxed_logger(Box::new(Listening(tap))).unwrap();
            log::set_max_level(log::LevelFilter::Trace);
        });
        tap
    }

    pub(super) fn has_heard_of(&self, text: &str) -> bool {
        self.0.lock().unwrap().iter().any(|heard| heard.contains(text))
    }

    fn hear(&self, text: String) {
        if WATCHED.iter().any(|watched| text.contains(watched)) {
            self.0.lock().unwrap().insert(text);
        }
    }
}

struct Listening(&'static Tap);

/// Fields one after another.
struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let _ = write!(self.0, " {}={value:?}", field.name());
    }
}

impl tracing::Subscriber for Listening {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let mut text = Text(attributes.metadata().name().to_owned());
        attributes.record(&mut text);
        self.0.hear(text.0);
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        let mut text = Text(String::new());
        values.record(&mut text);
        self.0.hear(text.0);
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut text = Text(event.metadata().target().to_owned());
        event.record(&mut text);
        self.0.hear(text.0);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

impl log::Log for Listening {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        self.0.hear(format!("{} {}", record.target(), record.args()));
    }

    fn flush(&self) {}
}

impl metrics::Recorder for Listening {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metric<'_>) -> Counter {
        self.0.hear(key.to_string());
        Counter::noop()
    }

    fn register_gauge(&self, key: &Key, _: &Metric<'_>) -> Gauge {
        self.0.hear(key.to_string());
        Gauge::noop()
    }

    fn register_histogram(&self, key: &Key, _: &Metric<'_>) -> Histogram {
        self.0.hear(key.to_string());
        Histogram::noop()
    }
}
