//! What a second system shows that runs beside the first: invariants 2, 9 and 10.

use bytes::Bytes;
use fdv2_core::persistence::{StoreError, Upserted};
use fdv2_core::{Command, EffectId, Event, Instant, Lane, Outcome, SourceUpdate};

use crate::sim::Core;

/// Invariant 2: `dead` names an effect that is over. What it tells causes no command and moves no
/// deadline.
pub fn an_outcome_for_a_dead_effect_causes_nothing<C: Core>(
    now: Instant,
    core: &mut C,
    dead: EffectId,
) {
    let deadline = core.next_deadline();
    let outcomes = match dead.lane {
        Lane::Source => [
            Outcome::ResponseChunk(Bytes::from_static(b"data: x\n\n")),
            Outcome::ResponseEnd(Ok(())),
            Outcome::SourceUpdate(SourceUpdate::Ended),
        ],
        Lane::Store => [
            Outcome::StoreWritten(Err(StoreError::new("late"))),
            Outcome::StoreWritten(Ok(Upserted::NotInitialized)),
            Outcome::StoreProbed(Ok(())),
        ],
    };
    for outcome in outcomes {
        let commands = core.handle(now, Event::Effect { id: dead, outcome });
        assert!(commands.is_empty(), "invariant 2: {dead:?} is dead and caused {commands:?}");
    }
    assert_eq!(core.next_deadline(), deadline, "invariant 2: {dead:?} is dead");
}

/// Invariant 2: `told` was told of dead effects what `core` was not, and is in the same state.
pub fn an_outcome_for_a_dead_effect_changed_nothing<C: Core>(core: &C, told: &C) {
    assert!(told.system() == core.system(), "invariant 2: a dead effect changed the state");
}

/// Invariant 9 (B 1.16): `commands` came of a chunk, `again` of the same bytes in other pieces.
/// What is to be freed may come in other portions.
pub fn chunk_boundaries_do_not_matter(event: &Event, commands: &[Command], again: &[Command]) {
    fn said(commands: &[Command]) -> impl Iterator<Item = &Command> {
        commands.iter().filter(|command| !matches!(command, Command::Discard(_)))
    }
    assert!(
        said(commands).eq(said(again)),
        "invariant 9: in other pieces {event:?} gave\n{again:#?}\nafter\n{commands:#?}"
    );
}

/// Invariant 10.
pub fn the_same_events_give_the_same_commands<C: Core>(
    (core, commands): (&C, &[Command]),
    (twin, again): (&C, &[Command]),
) {
    assert!(
        again == commands,
        "invariant 10: the same seed and events gave {again:?} after {commands:?}"
    );
    let deadline = core.next_deadline();
    assert_eq!(twin.next_deadline(), deadline, "invariant 10: another deadline");
}
