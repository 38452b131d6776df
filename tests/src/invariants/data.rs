//! The data that readers see, and what is said of it: invariants 3, 4 and 12.

use std::borrow::Cow;
use std::sync::Arc;

use fdv2_core::effect::Update;
use fdv2_core::{Command, Effect, Lane};
use url::form_urlencoded;

use super::Call;
use crate::model::Model;
use crate::sim::{Core, Sim};

/// Invariant 3 (B 1.2 to 1.5, 1.8, 7.1): segments and flags with version and text, selector and what
/// was announced.
pub fn the_snapshot_equals_the_model<C: Core>(sim: &mut Sim<C>, model: &mut Model) {
    assert_eq!(sim.items(), model.items(), "invariant 3: other items\n{sim:?}");
    assert_eq!(sim.selector(), model.selector(), "invariant 3: another selector\n{sim:?}");
    let announced = sim.announced();
    assert_eq!(announced, model.take_announced(), "invariant 3: announced otherwise\n{sim:?}");
}

/// Invariant 4 (B 1.2, 4.5): data becomes visible only by an event that completes a transfer, once
/// a transfer, and nowhere but by what is told.
pub fn no_part_of_an_unfinished_transfer_is_visible(call: &Call<'_>) {
    let told = call.commands.iter();
    let told = told.filter(|command| matches!(command, Command::Emit(Update::Snapshot(_)))).count();
    let completed = call.completed;
    assert!(
        told <= completed,
        "invariant 4: {told} snapshots of {completed} complete transfers after {:?}",
        call.event
    );
    if let Some(snapshot) = &call.after.snapshot {
        let is_the_same = Arc::ptr_eq(snapshot, call.system.snapshot());
        assert!(is_the_same, "invariant 4: readers see what was not told");
    }
}

/// Invariant 12 (B 2.1, 2.2).
pub fn the_basis_describes_the_data_held(call: &Call<'_>) {
    let mut held = call.before.snapshot.as_ref();
    for command in call.commands {
        if let Command::Emit(Update::Snapshot(snapshot)) = command {
            held = Some(snapshot);
        }
        if let Command::Start { id, effect } = command
            && id.lane == Lane::Source
        {
            let selector = held.and_then(|held| held.selector()).map(|selector| selector.state());
            match effect {
                Effect::Request(request) => {
                    let uri = request.0.uri();
                    let basis = basis_of(uri.query().unwrap_or_default());
                    let basis = basis.as_deref();
                    if uri.path().ends_with("/sdk/latest-all") {
                        assert_eq!(basis, None, "invariant 12: {id:?} {effect:?}");
                    } else if uri.path().contains("/sdk/") {
                        assert_eq!(basis, selector, "invariant 12: {id:?} {effect:?}");
                    }
                }
                Effect::OpenSource(open) => {
                    let basis = open.basis.as_ref().map(|selector| selector.state());
                    assert_eq!(basis, selector, "invariant 12: {id:?} {effect:?}");
                }
                Effect::WriteStore(_) | Effect::ProbeStore => {}
            }
        }
    }
}

fn basis_of(query: &str) -> Option<Cow<'_, str>> {
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    pairs.find(|(name, _)| name == "basis").map(|(_, basis)| basis)
}
