//! Effects, deadlines and the end: invariants 1, 7, 8 and 13.

use std::time::Duration;

use fdv2_core::{Command, Event, Instant, Update};

use super::Call;
use crate::sim::Asked;

/// Invariant 1 (B 3.9).
pub fn at_most_one_effect_is_live_per_lane_and_ids_never_repeat(call: &Call<'_>) {
    let mut live = call.before.live;
    let mut newest = call.before.newest;
    for command in call.commands {
        match command {
            Command::Start { id, .. } => {
                let running = live.insert(id.lane, *id);
                assert_eq!(running, None, "invariant 1: {id:?} was started over a live effect");
                let last = newest.insert(id.lane, id.generation);
                let is_newer = last < Some(id.generation);
                assert!(is_newer, "invariant 1: {id:?} is not newer than {last:?}");
            }
            Command::Cancel { id } => {
                let cancelled = live.remove(id.lane);
                assert_eq!(cancelled, Some(*id), "invariant 1: {id:?} was cancelled, not live");
            }
            Command::Emit(_) | Command::Discard(_) => {}
        }
    }
}

/// Invariant 7.
pub fn something_runs_or_a_timer_is_armed(call: &Call<'_>) {
    let after = call.after;
    let is_over = after.is_stopped || after.status.as_ref().is_some_and(|status| status.is_last);
    if after.is_started && !is_over && !call.may_idle {
        let is_active = !after.live.is_empty() || call.deadline_after.is_some();
        let event = call.event;
        assert!(is_active, "invariant 7: nothing runs and no timer is armed after {event:?}");
    }
}

/// Invariant 8.
pub fn nothing_follows_stopped(call: &Call<'_>) {
    if call.before.is_stopped {
        assert_eq!(call.commands, [], "invariant 8: a command after `Stopped`");
    }
    if call.after.is_stopped {
        assert_eq!(call.deadline_after, None, "invariant 8: a deadline after `Stopped`");
        assert!(call.after.live.is_empty(), "invariant 8: an effect is live after `Stopped`");
        if !call.before.is_stopped {
            let last =
                call.commands.iter().rfind(|command| !matches!(command, Command::Discard(_)));
            let stopped = Command::Emit(Update::Stopped);
            assert_eq!(last, Some(&stopped), "invariant 8: a command after `Stopped`");
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

/// Invariant 13: `log` is every request so far, in order of time.
pub fn requests_per_minute_stay_under(bound: usize, log: &[Asked]) {
    let Some(newest) = log.last() else { return };
    let since = newest.at - Duration::from_secs(60);
    let recent = log.iter().rev().take_while(|asked| asked.at > since || since == Instant::EPOCH);
    let count = recent.filter(|asked| asked.host == newest.host).count();
    let host = &newest.host;
    assert!(count <= bound, "invariant 13: {count} requests to {host} within a minute");
}
