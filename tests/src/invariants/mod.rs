//! What holds after every step, whatever the peers do. Each is one function, named for what it
//! says; what it says when it is broken begins with its number.
//!
//! | | function | checked |
//! | --- | --- | --- |
//! | 1 | [`at_most_one_effect_is_live_per_lane_and_ids_never_repeat`] | each call |
//! | 2 | [`an_outcome_for_a_dead_effect_causes_nothing`] | each call |
//! | 2 | [`an_outcome_for_a_dead_effect_changed_nothing`] | each 8th call |
//! | 3 | [`the_snapshot_equals_the_model`] | each step of a [`Life`](crate::steps::Life) |
//! | 4 | [`no_part_of_an_unfinished_transfer_is_visible`] | each call |
//! | 5 | [`announced_flags_are_the_naive_closure`] | each call |
//! | 6 | [`statuses_take_only_legal_transitions`], [`readiness_takes_only_legal_transitions`] | each call |
//! | 7 | [`something_runs_or_a_timer_is_armed`] | each call |
//! | 8 | [`nothing_follows_stopped`] | each call |
//! | 9 | [`chunk_boundaries_do_not_matter`] | each call |
//! | 10 | [`the_same_events_give_the_same_commands`] | each call |
//! | 11 | [`the_store_holds_what_memory_holds`] | whenever all is settled |
//! | 12 | [`the_basis_describes_the_data_held`] | each call |
//! | 13 | [`requests_per_minute_stay_under`] | each request |
//! | 14 | [`the_first_healthy_source_is_reached`] | the end of each [`Life`](crate::steps::Life) |

mod again;
mod announced;
mod data;
mod effects;
mod recovery;
mod statuses;
mod store;

pub use again::{
    an_outcome_for_a_dead_effect_causes_nothing, an_outcome_for_a_dead_effect_changed_nothing,
    chunk_boundaries_do_not_matter, the_same_events_give_the_same_commands,
};
pub use announced::announced_flags_are_the_naive_closure;
pub use data::{
    no_part_of_an_unfinished_transfer_is_visible, the_basis_describes_the_data_held,
    the_snapshot_equals_the_model,
};
pub use effects::{
    a_tick_at_its_deadline_does_something,
    at_most_one_effect_is_live_per_lane_and_ids_never_repeat, nothing_follows_stopped,
    requests_per_minute_stay_under, something_runs_or_a_timer_is_armed,
};
pub use recovery::the_first_healthy_source_is_reached;
pub use statuses::{
    readiness_takes_only_legal_transitions, statuses_take_only_legal_transitions,
    updates_come_in_order,
};
pub use store::the_store_holds_what_memory_holds;

use fdv2_core::{Command, DataSystem, Deadline, Event, Instant};

use crate::sim::World;

/// One call of `handle`, with what was known before and after it.
#[derive(Debug)]
pub struct Call<'a> {
    /// When.
    pub now: Instant,
    /// What went in.
    pub event: &'a Event,
    /// What came out.
    pub commands: &'a [Command],
    /// The system since.
    pub system: &'a DataSystem,
    /// What was known before, the end of an effect told by `event` included.
    pub before: &'a World,
    /// What is known now.
    pub after: &'a World,
    /// The deadline before.
    pub deadline_before: Option<Deadline>,
    /// The deadline now.
    pub deadline_after: Option<Deadline>,
    /// How many transfers `event` completes at most, for somebody who reads along.
    pub completed: usize,
    /// Whether it is right that nothing runs: no synchronizer was configured.
    pub may_idle: bool,
}

/// Checks everything that one call can show.
pub fn check(call: &Call<'_>) {
    at_most_one_effect_is_live_per_lane_and_ids_never_repeat(call);
    no_part_of_an_unfinished_transfer_is_visible(call);
    announced_flags_are_the_naive_closure(call);
    statuses_take_only_legal_transitions(call);
    readiness_takes_only_legal_transitions(call);
    something_runs_or_a_timer_is_armed(call);
    nothing_follows_stopped(call);
    updates_come_in_order(call);
    the_basis_describes_the_data_held(call);
    a_tick_at_its_deadline_does_something(call);
}
