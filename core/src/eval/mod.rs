//! Evaluation: which variation of a flag a context gets, and why.
//!
//! An evaluation borrows everything from the flag and copies nothing. It sees the world through a
//! [`Lookup`], and where that has not loaded something it says what it [`Needs`]. Its work is
//! bounded whatever the data: it visits at most 500 levels of flags and segments that refer to
//! each other, and at most 10,000 of them, and goes no deeper into the stack for any of it.

mod all_flags;
mod bucket;
mod clause;
mod detail;
mod flag;
mod lookup;
mod machine;
mod reason;
mod segment;
mod stack;
mod variations;

pub use all_flags::{FlagDetail, FlagDetailConfig, FlagState};
pub use detail::Detail;
pub use lookup::{BigSegment, Found, Lookup, Membership, Needs};
pub use reason::{BigSegmentsStatus, ErrorKind, Reason, ReasonKind};
use serde_json::Value;

use crate::context::Context;
use crate::model::{Flag, Item};
use machine::{Machine, Stop};

/// Evaluates `flag` for `context`.
///
/// The value is `None` if the flag gives none: the reason is an error, or the flag is off and says
/// nothing of what it gives then.
///
/// # Errors
/// Something that counts has not been loaded. Loading it and evaluating again leads on.
pub fn evaluate<'a, L: Lookup + ?Sized>(
    lookup: &'a L,
    flag: &'a Item<Flag>,
    context: &Context,
) -> Result<Detail<'a, Option<&'a Value>>, Needs> {
    evaluate_observed(lookup, flag, context, &mut |_, _| {})
}

/// As [`evaluate`], and tells `observe` of each prerequisite that was evaluated: first the flag that
/// has it, then the flag that it is.
///
/// # Errors
/// As [`evaluate`].
pub fn evaluate_observed<'a, L: Lookup + ?Sized>(
    lookup: &'a L,
    flag: &'a Item<Flag>,
    context: &Context,
    observe: &mut dyn FnMut(&'a Item<Flag>, &'a Item<Flag>),
) -> Result<Detail<'a, Option<&'a Value>>, Needs> {
    if !context.is_valid() {
        return Ok(Detail::error(ErrorKind::UserNotSpecified));
    }
    let mut machine = Machine::new(lookup, context, observe);
    let result = machine.run(flag);
    let big_segments_status = machine.big_segments_status;
    let (index, kind) = match result {
        Ok(()) => {
            let verdict = &machine.verdict;
            (verdict.variation.map(|variation| variation.to_usize()), verdict.reason())
        }
        Err(stop) => match machine.into_needs() {
            Some(needs) if matches!(stop, Stop::NotLoaded) => return Err(needs),
            _ => (None, ReasonKind::Error(ErrorKind::MalformedFlag)),
        },
    };
    Ok(Detail {
        value: index.and_then(|index| flag.model().variations().get(index)),
        variation_index: index,
        reason: Reason { kind, big_segments_status },
    })
}
