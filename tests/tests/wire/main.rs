//! What comes over the wire, decoded and put together: property tests against naive models.

mod bytes;
mod cases;
mod corpus;
mod transfers;
