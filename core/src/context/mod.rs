//! Whom a flag is evaluated for.

#![expect(dead_code, reason = "read by the evaluator, which follows")]

mod reference;
mod value;

pub use reference::{Reference, ReferenceError};
pub use value::AttributeValue;
