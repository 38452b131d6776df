//! What is told, and in which order: invariant 6.

use fdv2_core::effect::Update;
use fdv2_core::status::{Readiness, SourceState};
use fdv2_core::{Command, Lane};

use super::Call;

/// Invariant 6 (B 6.1).
pub fn statuses_take_only_legal_transitions(call: &Call<'_>) {
    use SourceState::{Initializing, Interrupted, Off, Valid};
    let mut last = call.before.status.as_ref();
    let mut is_held = call.before.snapshot.is_some();
    for command in call.commands {
        let Command::Emit(update) = command else { continue };
        if let Update::Snapshot(_) = update {
            is_held = true;
        }
        let Update::SourceStatus(next) = update else { continue };
        let from = last.map_or(Initializing, |status| status.state);
        let is_legal = match (from, next.state) {
            (Initializing, Interrupted) => is_held,
            (Initializing, _) | (Valid | Interrupted, Valid | Interrupted | Off) => true,
            (Off, Valid | Interrupted | Off) => true,
            (_, Initializing) => false,
        };
        assert!(is_legal, "invariant 6: {from:?} became {:?}", next.state);
        if let Some(last) = last {
            assert!(!last.is_last, "invariant 6: {next:?} follows the last status");
            assert_ne!(last, next, "invariant 6: the same status twice");
            let since = if from == next.state { last.since } else { call.now };
            assert_eq!(next.since, since, "invariant 6: `since` moves with the state: {next:?}");
            let is_kept = last.last_error.is_none() || next.last_error.is_some();
            assert!(is_kept, "invariant 6: the error is lost");
        }
        assert!(next.since <= call.now, "invariant 6: {next:?} is of the future");
        assert!(!next.is_last || next.state == Off, "invariant 6: only OFF is last: {next:?}");
        last = Some(next);
    }
}

/// Invariant 6 for waiters (B 6.4): nothing takes ready back.
pub fn readiness_takes_only_legal_transitions(call: &Call<'_>) {
    let mut last = &call.before.readiness;
    for command in call.commands {
        let Command::Emit(Update::Readiness(next)) = command else { continue };
        assert_ne!(last, next, "invariant 6: the same readiness twice");
        assert_ne!(*last, Readiness::Ready, "invariant 6: ready was taken back: {next:?}");
        last = next;
    }
}

/// B 6.3: environment id, snapshot, status, readiness, flag changes, store work.
pub fn updates_come_in_order(call: &Call<'_>) {
    let mut last = 0;
    let mut has_snapshot = false;
    for command in call.commands {
        let Some(place) = place_in_a_step(command) else { continue };
        // One read can hold several steps: what comes with data, and an end behind it. So can one
        // tick, after a sleep: work of the store, and a source that is left, which can stay VALID.
        let is_trouble = matches!(
            command,
            Command::Emit(Update::SourceStatus(status))
                if status.state != SourceState::Valid
                    || status.last_error.as_ref().is_some_and(|error| error.at == call.now)
        );
        let begins_anew = is_trouble || place <= 2 && last >= 2;
        assert!(place >= last || begins_anew, "{command:?} came too late");
        match command {
            Command::Emit(Update::Snapshot(_)) => has_snapshot = true,
            Command::Emit(Update::FlagsChanged(_)) => {
                assert!(has_snapshot, "changes were announced before their data");
                has_snapshot = false;
            }
            _ => {}
        }
        last = place;
    }
}

fn place_in_a_step(command: &Command) -> Option<u8> {
    match command {
        Command::Emit(Update::EnvironmentId(_)) => Some(1),
        Command::Emit(Update::Snapshot(_)) => Some(2),
        Command::Emit(Update::SourceStatus(_)) => Some(3),
        Command::Emit(Update::Readiness(_)) => Some(4),
        Command::Emit(Update::FlagsChanged(_)) => Some(5),
        Command::Start { id, .. } if id.lane == Lane::Store => Some(6),
        _ => None,
    }
}
