//! What has been counted since the client started.

use fdv2_core::persistence::Upserted;
use fdv2_core::status::{ErrorKind, SourceError};

use super::facts::{AttemptKind, Fact, Work};

/// What a client has done since it started, and what it holds. Counters only grow. See
/// [`Client::stats`](crate::Client::stats).
///
/// ```
/// use fdv2_client::Client;
///
/// fn report(client: &Client) {
///     let stats = client.stats();
///     println!("{} change sets, {} bytes", stats.change_sets, stats.received_bytes);
///     println!("{} of {} streams failed", stats.streams.failed, stats.streams.started);
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Streams.
    pub streams: AttemptStats,
    /// Polls, of initializers too.
    pub polls: AttemptStats,
    /// Polls of the FDv1 fallback (B 5.3).
    pub fdv1_polls: AttemptStats,
    /// Attempts of custom sources (B 3.12).
    pub custom: AttemptStats,
    /// Redirects that were followed (B 8.5).
    pub redirects: u64,
    /// Bytes of response bodies, after decompression.
    pub received_bytes: u64,
    /// Change sets that were applied, salvaged ones included (B 1.2, 1.15).
    pub change_sets: u64,
    /// The data source's errors, by kind (B 6.1).
    pub errors: ErrorStats,
    /// Changes of source, the first included.
    pub switches: u64,
    /// The persistent store's work.
    pub store: StoreStats,
    /// Entries that listeners lost because they did not keep up (B 7.3): change sets of
    /// [`FlagChanges`](crate::FlagChanges), and items of the streams of statuses, switches and
    /// warnings.
    pub lost_entries: u64,
    /// Flags and segments held now, deleted ones of which a trace is kept included (B 9.6).
    pub objects: u64,
}

/// Attempts of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AttemptStats {
    /// Those that were begun.
    pub started: u64,
    /// The errors of the data source's status that came from one (B 6.1). A stream that the server
    /// ends is one, a goodbye is not.
    pub failed: u64,
}

/// Errors by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ErrorStats {
    /// Connections that failed, ended early or were silent for too long.
    pub network: u64,
    /// Answers with a status that is not a success.
    pub error_response: u64,
    /// Data that is not the protocol, or went over a limit (B 1.11, 1.13).
    pub invalid_data: u64,
    /// All others.
    pub other: u64,
}

/// What the persistent store was asked to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoreStats {
    /// Writes that were begun, each of any number of records.
    pub writes: u64,
    /// Records that they were to write.
    pub records: u64,
    /// Writes that failed, those that were not waited for any more included (B 9.5, 9.6).
    pub failed_writes: u64,
    /// Probes, asked while the store is unavailable (B 9.6).
    pub probes: u64,
    /// Probes that failed.
    pub failed_probes: u64,
    /// Reads that failed (B 9.10). Of several at once one is counted.
    pub failed_reads: u64,
    /// Records found that cannot be read, each time that they are read (B 9.7).
    pub unreadable_records: u64,
}

impl Stats {
    pub(super) fn count(&mut self, attempt: Option<AttemptKind>, fact: &Fact<'_>) {
        match fact {
            Fact::Requested(_) | Fact::Opened(_) => self.add_to_attempts(attempt, |of| {
                of.started += 1;
            }),
            Fact::Redirected(_) => self.redirects += 1,
            Fact::Received(bytes) => self.received_bytes += *bytes as u64,
            Fact::Failed(error) => {
                self.add_to_attempts(attempt, |of| of.failed += 1);
                self.errors.count(error);
            }
            Fact::Switched(_) => self.switches += 1,
            Fact::Applied(_) => self.change_sets += 1,
            Fact::Answered(_)
            | Fact::Ended
            | Fact::Status(_)
            | Fact::Readiness(_)
            | Fact::Odd(_)
            | Fact::StoreStatus(_)
            | Fact::Stopped => {}
            store => self.store.count(store),
        }
    }

    fn add_to_attempts(
        &mut self,
        attempt: Option<AttemptKind>,
        add: impl FnOnce(&mut AttemptStats),
    ) {
        match attempt {
            Some(AttemptKind::Stream) => add(&mut self.streams),
            Some(AttemptKind::Poll) => add(&mut self.polls),
            Some(AttemptKind::Fdv1) => add(&mut self.fdv1_polls),
            Some(AttemptKind::Custom) => add(&mut self.custom),
            None => {}
        }
    }
}

impl ErrorStats {
    fn count(&mut self, error: &SourceError) {
        let of_kind = match error.kind {
            ErrorKind::Network => &mut self.network,
            ErrorKind::ErrorResponse => &mut self.error_response,
            ErrorKind::InvalidData => &mut self.invalid_data,
            ErrorKind::Store | ErrorKind::Unknown => &mut self.other,
        };
        *of_kind += 1;
    }
}

impl StoreStats {
    fn count(&mut self, fact: &Fact<'_>) {
        match fact {
            Fact::WriteBegan(records) => {
                self.writes += 1;
                self.records += *records as u64;
            }
            Fact::Written(Err(_) | Ok(Upserted::NotInitialized)) | Fact::GivenUp(Work::Write) => {
                self.failed_writes += 1;
            }
            Fact::ProbeBegan => self.probes += 1,
            Fact::Probed(Err(_)) | Fact::GivenUp(Work::Probe) => self.failed_probes += 1,
            Fact::ReadFailed(_) => self.failed_reads += 1,
            Fact::Unreadable(_) => self.unreadable_records += 1,
            _ => {}
        }
    }
}
