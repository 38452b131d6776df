//! Every duration of the policy.

use std::time::Duration;

use super::ConfigError;

/// How long things may take. The defaults are those of the rules; short ones are for tests and
/// demonstrations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Unhealthy for this long, a synchronizer is left for the next: 120 s (B 3.3).
    pub fallback_after: Duration,
    /// While no source ever applied data, a synchronizer without progress for this long is left:
    /// 10 s (B 3.3).
    pub first_data_within: Duration,
    /// Healthy for this long, a later synchronizer is left for the first available one: 300 s
    /// (B 3.4).
    pub recovery_after: Duration,
    /// After a recovery, silence of the first available one for this long leads back: 10 s
    /// (B 3.4).
    pub recovery_trial: Duration,
    /// Interruptions shorter than this do not end health in the sense of recovery: 30 s (B 3.4).
    pub interruption_tolerated: Duration,
    /// A transfer that made progress within this time is worth waiting for: 5 s (B 3.3).
    pub progress_within: Duration,
    /// How long an open transfer can hold up a fallback in all: 5 min (B 3.3).
    pub progress_grace: Duration,
    /// An initializer without progress for this long is left: 10 s (B 3.1).
    pub initializer_idle: Duration,
    /// An initializer that is not through after this long is left: 5 min (B 3.1).
    pub initializer_limit: Duration,
    /// From the start of an attempt to its response head: 10 s (B 8.6).
    pub head: Duration,
    /// A stream without a byte for this long is dead: 300 s (B 8.4).
    pub stream_silence: Duration,
    /// A poll body without a byte for this long is dead: 30 s (B 4.4).
    pub poll_silence: Duration,
    /// A poll body that is not whole after this long is given up: 5 min (B 4.4).
    pub poll_limit: Duration,
    /// An open transfer without progress for this long ends its attempt: 60 s (B 8.6).
    pub transfer_stall: Duration,
    /// A directive on a stream's 200 waits at most this long for the transfer: 10 s (B 5.2).
    pub directive_grace: Duration,
    /// The least interval between polls: 30 s. Lower it only against test and local servers
    /// (B 4.1).
    pub min_poll_interval: Duration,
    /// The longest delay of a back-off: 30 s (B 8.1).
    pub max_retry_delay: Duration,
    /// Health for this long resets a back-off: 60 s (B 8.1).
    pub backoff_reset: Duration,
    /// The first pause between rounds in which no source completed a transfer: 1 s (B 3.7).
    pub round_pause: Duration,
    /// A write that the store does not answer for this long makes it unavailable: 30 s (B 9.5).
    pub store_write: Duration,
    /// The time between probes of a store that is unavailable: 500 ms (B 9.6).
    pub store_probe: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self {
            fallback_after: seconds(120),
            first_data_within: seconds(10),
            recovery_after: seconds(300),
            recovery_trial: seconds(10),
            interruption_tolerated: seconds(30),
            progress_within: seconds(5),
            progress_grace: seconds(300),
            initializer_idle: seconds(10),
            initializer_limit: seconds(300),
            head: seconds(10),
            stream_silence: seconds(300),
            poll_silence: seconds(30),
            poll_limit: seconds(300),
            transfer_stall: seconds(60),
            directive_grace: seconds(10),
            min_poll_interval: seconds(30),
            max_retry_delay: seconds(30),
            backoff_reset: seconds(60),
            round_pause: seconds(1),
            store_write: seconds(30),
            store_probe: Duration::from_millis(500),
        }
    }
}

/// The shortest legal duration of the policy. Zero would be a hot loop (B 8.2).
pub(super) const LEAST: Duration = Duration::from_millis(1);
/// The longest legal duration of the policy.
pub(super) const MOST: Duration = Duration::from_secs(366 * 24 * 3600);

impl Timing {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        for (what, given) in self.named() {
            check(what, given)?;
        }
        Ok(())
    }

    fn named(&self) -> [(&'static str, Duration); 21] {
        [
            ("fallback_after", self.fallback_after),
            ("first_data_within", self.first_data_within),
            ("recovery_after", self.recovery_after),
            ("recovery_trial", self.recovery_trial),
            ("interruption_tolerated", self.interruption_tolerated),
            ("progress_within", self.progress_within),
            ("progress_grace", self.progress_grace),
            ("initializer_idle", self.initializer_idle),
            ("initializer_limit", self.initializer_limit),
            ("head", self.head),
            ("stream_silence", self.stream_silence),
            ("poll_silence", self.poll_silence),
            ("poll_limit", self.poll_limit),
            ("transfer_stall", self.transfer_stall),
            ("directive_grace", self.directive_grace),
            ("min_poll_interval", self.min_poll_interval),
            ("max_retry_delay", self.max_retry_delay),
            ("backoff_reset", self.backoff_reset),
            ("round_pause", self.round_pause),
            ("store_write", self.store_write),
            ("store_probe", self.store_probe),
        ]
    }
}

pub(super) fn check(what: &'static str, given: Duration) -> Result<(), ConfigError> {
    if (LEAST..=MOST).contains(&given) {
        Ok(())
    } else {
        Err(ConfigError::Duration { what, given, least: LEAST, most: MOST })
    }
}
