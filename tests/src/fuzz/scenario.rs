//! Any steps, decoded from bytes.

use arbitrary::{Arbitrary, Unstructured};

use crate::steps::Plan;

/// Whatever happens to a system, each invariant holds after each step, and when all peers are good
/// again the system is healthy.
///
/// # Panics
/// If it does not.
pub fn scenario(input: &[u8]) {
    if let Ok(plan) = Plan::arbitrary(&mut Unstructured::new(input)) {
        plan.live();
    }
}
