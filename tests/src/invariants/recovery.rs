//! What comes of it when faults stop: invariant 14.

use fdv2_core::effect::SourceId;
use fdv2_core::status::SourceState;

use crate::sim::{Core, Sim};

/// Invariant 14: faults stopped long ago, and the first synchronizer that was not removed runs and
/// is VALID, unless the system is over.
pub fn the_first_healthy_source_is_reached<C: Core>(sim: &Sim<C>, synchronizers: usize) {
    if sim.is_over() {
        return;
    }
    assert_eq!(sim.state(), SourceState::Valid, "invariant 14: not valid\n{sim:?}");
    let mut all = (0..synchronizers).map(SourceId::Synchronizer);
    let first = all.find(|source| !sim.is_removed(*source));
    let first = first.unwrap_or(SourceId::Fdv1);
    assert_eq!(sim.running(), Some(first), "invariant 14: another source runs\n{sim:?}");
}
