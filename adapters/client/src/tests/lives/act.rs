//! What can happen in a simulated life.

use proptest::prelude::*;

use super::line::Head;

/// One thing that happens.
#[derive(Clone, Debug)]
pub(super) enum Act {
    /// So many polls of tasks, in any order.
    Run(u8),
    /// Everything runs until it waits.
    Rest,
    /// Time passes, and everything runs when its time has come.
    Pass(u32),
    /// The clock jumps, and nothing runs.
    Jump(u32),
    /// Every task is woken for no reason.
    WakeAll,
    /// The server answers what it was asked.
    Answer(Head),
    /// The server writes so many bytes, in chunks of at most so many.
    Write { bytes: u16, size: u16, has_pauses: bool },
    /// The server writes all it has.
    WriteAll { has_pauses: bool },
    /// A flag changes, or is removed.
    Commit { flag: u8, is_removed: bool },
    /// The server writes what makes no sense.
    Nonsense,
    /// The connection ends.
    End { is_clean: bool },
    /// Comments without end, while so much time passes.
    Flood(u16),
    /// One more handle.
    Clone,
    /// One handle less.
    Drop,
    /// Somebody waits for initialization, without limit or not at all.
    Wait { is_patient: bool },
    /// The wait is given up.
    CancelWait,
    /// Somebody listens to flags.
    Listen,
    /// Nobody listens any more.
    CancelListening,
    /// Somebody evaluates through the store.
    Ask,
    /// The evaluation is given up.
    CancelAsking,
    /// Somebody closes, without limit or at once.
    Close { is_patient: bool },
    /// The close is given up.
    CancelClose,
    /// The runtime is dropped.
    DropRuntime,
    /// The store does not answer from now on.
    StoreHangs,
    /// The store fails from now on.
    StoreFails,
    /// The store works again.
    StoreWorks,
}

pub(super) fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        20 => (1..12_u8).prop_map(Act::Run),
        14 => Just(Act::Rest),
        10 => prop_oneof![1..2_000_u32, Just(10_000), 1..400_000_u32].prop_map(Act::Pass),
        4 => (1..40_000_u32).prop_map(Act::Jump),
        4 => Just(Act::WakeAll),
        24 => head().prop_map(Act::Answer),
        14 => (1..400_u16, 1..400_u16, any::<bool>())
            .prop_map(|(bytes, size, has_pauses)| Act::Write { bytes, size, has_pauses }),
        14 => any::<bool>().prop_map(|has_pauses| Act::WriteAll { has_pauses }),
        14 => (0..4_u8, prop::bool::weighted(0.2))
            .prop_map(|(flag, is_removed)| Act::Commit { flag, is_removed }),
        2 => Just(Act::Nonsense),
        4 => any::<bool>().prop_map(|is_clean| Act::End { is_clean }),
        3 => (1..20_000_u16).prop_map(Act::Flood),
        3 => Just(Act::Clone),
        2 => Just(Act::Drop),
        4 => any::<bool>().prop_map(|is_patient| Act::Wait { is_patient }),
        3 => Just(Act::CancelWait),
        4 => Just(Act::Listen),
        2 => Just(Act::CancelListening),
        3 => Just(Act::Ask),
        2 => Just(Act::CancelAsking),
        1 => any::<bool>().prop_map(|is_patient| Act::Close { is_patient }),
        1 => Just(Act::CancelClose),
        1 => Just(Act::DropRuntime),
        2 => Just(Act::StoreHangs),
        2 => Just(Act::StoreFails),
        4 => Just(Act::StoreWorks),
    ]
}

fn head() -> impl Strategy<Value = Head> {
    prop_oneof![
        12 => Just(Head::Fine),
        2 => Just(Head::Status(503)),
        1 => Just(Head::Status(400)),
        1 => Just(Head::Status(401)),
    ]
}
