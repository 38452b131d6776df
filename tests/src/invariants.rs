//! What holds after every step, whatever the peers do. Each is one function, named for what it says.

use std::time::Duration;

use fdv2_core::effect::Update;
use fdv2_core::model::Kind;
use fdv2_core::persistence::Record;
use fdv2_core::snapshot::Slot;
use fdv2_core::status::{Readiness, SourceState};
use fdv2_core::{
    Command, DataSystem, Deadline, Effect, EffectId, Event, Instant, Lane, Outcome, Snapshot,
};

use crate::sim::{Asked, Store, World};

/// One call of `handle`, with what was known before and after it.
#[derive(Debug)]
pub struct Call<'a> {
    /// When.
    pub now: Instant,
    /// What went in.
    pub event: &'a Event,
    /// What came out.
    pub commands: &'a [Command],
    /// What was known before, the end of an effect told by `event` included.
    pub before: &'a World,
    /// What is known now.
    pub after: &'a World,
    /// The deadline before.
    pub deadline_before: Option<Deadline>,
    /// The deadline now.
    pub deadline_after: Option<Deadline>,
    /// Whether it is right that nothing runs: no synchronizer was configured.
    pub may_idle: bool,
}

/// Checks everything that one call can show.
pub fn check(call: &Call<'_>) {
    at_most_one_effect_is_live_per_lane_and_ids_never_repeat(call);
    statuses_take_only_legal_transitions(call);
    readiness_takes_only_legal_transitions(call);
    something_runs_or_a_timer_is_armed(call);
    nothing_follows_stopped(call);
    updates_come_in_order(call);
    the_basis_describes_the_data_held(call);
    a_tick_at_its_deadline_does_something(call);
}

/// Invariant 1.
pub fn at_most_one_effect_is_live_per_lane_and_ids_never_repeat(call: &Call<'_>) {
    let mut live = call.before.live.clone();
    let mut newest = call.before.newest.clone();
    for command in call.commands {
        match command {
            Command::Start { id, .. } => {
                let running = live.insert(id.lane, *id);
                assert_eq!(running, None, "{id:?} was started over a live effect");
                let last = newest.insert(id.lane, id.generation);
                assert!(last < Some(id.generation), "{id:?} is not newer than {last:?}");
            }
            Command::Cancel { id } => {
                let cancelled = live.remove(&id.lane);
                assert_eq!(cancelled, Some(*id), "{id:?} was cancelled and is not live");
            }
            Command::Emit(_) | Command::Discard(_) => {}
        }
    }
}

/// Invariant 2. `dead` names an effect that is over.
pub fn an_outcome_for_a_dead_effect_changes_nothing(
    now: Instant,
    system: &DataSystem,
    dead: EffectId,
) {
    for outcome in [
        Outcome::ResponseChunk("data: x\n\n".into()),
        Outcome::ResponseEnd(Ok(())),
        Outcome::SourceUpdate(fdv2_core::SourceUpdate::Ended),
    ] {
        let mut touched = system.clone();
        let event = Event::Effect { id: dead, outcome };
        let commands: Vec<Command> = touched.handle(now, event).collect();
        assert!(commands.is_empty(), "{dead:?} is dead and caused {commands:?}");
        assert_eq!(touched.next_deadline(), system.next_deadline(), "{dead:?} is dead");
        assert!(touched == *system, "{dead:?} is dead and changed the state");
    }
}

/// Invariant 6 (B 6.1).
pub fn statuses_take_only_legal_transitions(call: &Call<'_>) {
    use SourceState::{Initializing, Interrupted, Off, Valid};
    let mut last = call.before.status.clone();
    let mut is_held = call.before.snapshot.is_some();
    for command in call.commands {
        let Command::Emit(update) = command else { continue };
        if let Update::Snapshot(_) = update {
            is_held = true;
        }
        let Update::SourceStatus(next) = update else { continue };
        let from = last.as_ref().map_or(Initializing, |status| status.state);
        let is_legal = match (from, next.state) {
            (Initializing, Interrupted) => is_held,
            (Initializing, _) | (Valid | Interrupted, Valid | Interrupted | Off) => true,
            (Off, Valid | Interrupted | Off) => true,
            (_, Initializing) => false,
        };
        assert!(is_legal, "{from:?} became {:?}", next.state);
        if let Some(last) = &last {
            assert!(!last.is_last, "{next:?} follows the last status");
            assert_ne!(last, next, "the same status twice");
            let since = if from == next.state { last.since } else { call.now };
            assert_eq!(next.since, since, "`since` moves with the state: {next:?}");
            assert!(last.last_error.is_none() || next.last_error.is_some(), "the error is lost");
        }
        assert!(next.since <= call.now, "{next:?} is of the future");
        assert!(!next.is_last || next.state == Off, "only OFF is last: {next:?}");
        last = Some(next.clone());
    }
}

/// Invariant 6 for waiters (B 6.4): nothing takes ready back.
pub fn readiness_takes_only_legal_transitions(call: &Call<'_>) {
    let mut last = call.before.readiness.clone();
    for command in call.commands {
        let Command::Emit(Update::Readiness(next)) = command else { continue };
        assert_ne!(last, *next, "the same readiness twice");
        assert_ne!(last, Readiness::Ready, "ready was taken back: {next:?}");
        last = next.clone();
    }
}

/// Invariant 7.
pub fn something_runs_or_a_timer_is_armed(call: &Call<'_>) {
    let after = call.after;
    let is_over = after.is_stopped || after.status.as_ref().is_some_and(|status| status.is_last);
    if after.is_started && !is_over && !call.may_idle {
        let is_active = !after.live.is_empty() || call.deadline_after.is_some();
        assert!(is_active, "nothing runs and no timer is armed after {:?}", call.event);
    }
}

/// Invariant 8.
pub fn nothing_follows_stopped(call: &Call<'_>) {
    if call.before.is_stopped {
        assert_eq!(call.commands, [], "a command after `Stopped`");
    }
    if call.after.is_stopped {
        assert_eq!(call.deadline_after, None, "a deadline after `Stopped`");
        assert!(call.after.live.is_empty(), "an effect is live after `Stopped`");
        if !call.before.is_stopped {
            let last =
                call.commands.iter().rfind(|command| !matches!(command, Command::Discard(_)));
            assert_eq!(last, Some(&Command::Emit(Update::Stopped)), "a command after `Stopped`");
        }
    }
}

/// B 6.3: environment id, snapshot, status, readiness, flag changes, store work.
pub fn updates_come_in_order(call: &Call<'_>) {
    let mut last = 0;
    let mut has_snapshot = false;
    for command in call.commands {
        let Some(place) = place_in_a_step(command) else { continue };
        // One read can hold several steps: what comes with data, and an end behind it.
        let is_trouble = matches!(
            command,
            Command::Emit(Update::SourceStatus(status)) if status.state != SourceState::Valid
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

/// Invariant 12 (B 2.1, 2.2).
pub fn the_basis_describes_the_data_held(call: &Call<'_>) {
    let mut world = call.before.clone();
    for command in call.commands {
        world.apply(command);
        if let Command::Start { id, effect } = command
            && id.lane == Lane::Source
        {
            let asked = Asked::new(call.now, *id, effect);
            let is_ours = matches!(effect, Effect::OpenSource(_))
                || asked.path().ends_with("/sdk/poll")
                || asked.path().ends_with("/sdk/stream");
            if is_ours {
                assert_eq!(asked.basis(), world.selector(), "{asked:?}");
            } else if asked.path().ends_with("/sdk/latest-all") {
                assert_eq!(asked.basis(), None, "{asked:?}");
            }
        }
    }
}

/// A deadline that no tick clears is a hot loop.
pub fn a_tick_at_its_deadline_does_something(call: &Call<'_>) {
    let Some(deadline) = call.deadline_before else { return };
    if *call.event == Event::Tick && deadline.at <= call.now {
        let has_moved = call.deadline_after != call.deadline_before;
        assert!(has_moved || !call.commands.is_empty(), "{deadline:?} does not clear");
    }
}

/// Invariant 11, for a store that is healthy and quiet: each item in it is memory's or has a version
/// that is not lower, and none is missing. (An equal version with another text is a version check's
/// doing, B 9.4.)
pub fn the_store_holds_what_memory_holds(store: &Store, memory: &Snapshot) {
    assert!(store.is_initialized, "data is held and the store has no marker");
    let live = memory.flags().map(|flag| Record::item(&**flag));
    for record in live.chain(memory.segments().map(|segment| Record::item(&**segment))) {
        let key = (record.kind(), record.key().clone());
        let held = store.records.get(&key).unwrap_or_else(|| panic!("{key:?} is missing"));
        assert!(*held == record || held.version() >= record.version(), "{held:?} is old");
    }
    for (key, held) in &store.records {
        let (is_live, deleted) = match key.0 {
            Kind::Flag => (
                memory.flag(&key.1).is_some(),
                memory.flag_slots().look_up(&key.1).map(Slot::version),
            ),
            Kind::Segment => (
                memory.segment(&key.1).is_some(),
                memory.segment_slots().look_up(&key.1).map(Slot::version),
            ),
        };
        let is_tombstone = held.text().contains("\"deleted\":true");
        let is_ahead = deleted.is_some_and(|version| held.version() >= version);
        assert!(is_live || is_tombstone || is_ahead, "{held:?} is not in memory");
    }
}

/// Invariant 13: `log` is every request so far, in order of time.
pub fn requests_per_minute_stay_under(bound: usize, log: &[Asked]) {
    let Some(newest) = log.last() else { return };
    let since = newest.at - Duration::from_secs(60);
    let recent = log.iter().rev().take_while(|asked| asked.at > since || since == Instant::EPOCH);
    let count = recent.filter(|asked| asked.host == newest.host).count();
    assert!(count <= bound, "{count} requests to {} within a minute", newest.host);
}
