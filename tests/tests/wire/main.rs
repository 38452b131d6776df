//! What comes over the wire, decoded and put together: property tests against naive models.

mod bytes;
mod corpus;
mod transfers;
