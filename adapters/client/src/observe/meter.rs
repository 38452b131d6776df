//! Counters and gauges for `metrics`.

use fdv2_core::persistence::Upserted;
use fdv2_core::status::{ErrorKind, SourceState};
use metrics::{Unit, counter, describe_counter, describe_gauge, gauge};

use super::facts::{AttemptKind, Fact, Work};
use crate::contain::contain;

/// What one client has added to the gauges, which are sums over all clients of the process.
pub(super) struct Meter {
    objects: usize,
    state: Option<SourceState>,
}

impl Meter {
    pub(super) fn new() -> Self {
        describe();
        let mut meter = Self { objects: 0, state: None };
        meter.set_state(Some(SourceState::Initializing));
        meter
    }

    pub(super) fn tell(&mut self, attempt: Option<AttemptKind>, fact: &Fact<'_>) {
        let kind = attempt.map_or("none", AttemptKind::name);
        match fact {
            Fact::Requested(_) | Fact::Opened(_) => {
                counter!("fdv2_attempts_total", "kind" => kind).increment(1);
            }
            Fact::Redirected(_) => counter!("fdv2_redirects_total").increment(1),
            Fact::Received(bytes) => {
                counter!("fdv2_received_bytes_total").increment(*bytes as u64);
            }
            Fact::Failed(error) => {
                let error = error_name(error.kind);
                counter!("fdv2_errors_total", "kind" => kind, "error" => error).increment(1);
            }
            Fact::Status(status) => self.set_state(Some(status.state)),
            Fact::Switched(_) => counter!("fdv2_source_switches_total").increment(1),
            Fact::Applied(snapshot) => {
                counter!("fdv2_change_sets_total").increment(1);
                self.set_objects(snapshot.objects());
            }
            store => count_store(store),
        }
    }

    fn set_objects(&mut self, objects: usize) {
        let gauge = gauge!("fdv2_objects");
        gauge.increment(objects as f64 - self.objects as f64);
        self.objects = objects;
    }

    fn set_state(&mut self, state: Option<SourceState>) {
        if self.state == state {
            return;
        }
        if let Some(state) = self.state {
            gauge!("fdv2_clients", "state" => state_name(state)).decrement(1.0);
        }
        if let Some(state) = state {
            gauge!("fdv2_clients", "state" => state_name(state)).increment(1.0);
        }
        self.state = state;
    }
}

impl Drop for Meter {
    /// A client that is gone is in no sum. A recorder that has panicked may do so again.
    fn drop(&mut self) {
        contain(|| self.set_state(None));
        if self.objects > 0 {
            contain(|| self.set_objects(0));
        }
    }
}

/// The same words as in the documentation of the crate.
fn describe() {
    describe_counter!("fdv2_attempts_total", "attempts that were begun");
    describe_counter!("fdv2_errors_total", "errors of the data source");
    describe_counter!("fdv2_redirects_total", "redirects that were followed");
    describe_counter!(
        "fdv2_received_bytes_total",
        Unit::Bytes,
        "bytes of response bodies, after decompression"
    );
    describe_counter!("fdv2_change_sets_total", "change sets that were applied");
    describe_counter!("fdv2_source_switches_total", "changes of source");
    describe_counter!("fdv2_store_writes_total", "writes to the store that were begun");
    describe_counter!("fdv2_store_records_total", "records that they were to write");
    describe_counter!("fdv2_store_failures_total", "calls of the store that failed");
    describe_counter!("fdv2_store_unreadable_records_total", "records that cannot be read");
    describe_gauge!("fdv2_clients", "clients, by the state of their data source");
    describe_gauge!("fdv2_objects", "flags and segments held by all clients together");
}

fn count_store(fact: &Fact<'_>) {
    match fact {
        Fact::WriteBegan(records) => {
            counter!("fdv2_store_writes_total").increment(1);
            counter!("fdv2_store_records_total").increment(*records as u64);
        }
        Fact::Written(Err(_) | Ok(Upserted::NotInitialized)) | Fact::GivenUp(Work::Write) => {
            counter!("fdv2_store_failures_total", "call" => "write").increment(1);
        }
        Fact::Probed(Err(_)) | Fact::GivenUp(Work::Probe) => {
            counter!("fdv2_store_failures_total", "call" => "probe").increment(1);
        }
        Fact::ReadFailed(_) => {
            counter!("fdv2_store_failures_total", "call" => "read").increment(1);
        }
        Fact::Unreadable(_) => counter!("fdv2_store_unreadable_records_total").increment(1),
        _ => {}
    }
}

fn error_name(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Network => "network",
        ErrorKind::ErrorResponse => "error_response",
        ErrorKind::InvalidData => "invalid_data",
        ErrorKind::Store => "store",
        ErrorKind::Unknown => "unknown",
    }
}

fn state_name(state: SourceState) -> &'static str {
    match state {
        SourceState::Initializing => "initializing",
        SourceState::Valid => "valid",
        SourceState::Interrupted => "interrupted",
        SourceState::Off => "off",
    }
}
