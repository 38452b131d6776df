//! Big segments: segments whose members are kept in a store of their own (C 3.7).
//!
//! LaunchDarkly's Relay Proxy fills such a store. A client asks it for the memberships of one
//! context when an evaluation comes to a big segment, and remembers the answer for a short time.
//! `fdv2-redis` has one that is ready to use; a store of your own is a type that implements
//! [`BigSegmentStore`]:
//!
//! ```
//! use std::collections::HashMap;
//!
//! use fdv2_client::Parts;
//! use fdv2_client::big_segments::{
//!     BigSegmentStore, BigSegments, ContextHash, Memberships, Metadata,
//! };
//! use fdv2_client::store::StoreError;
//!
//! /// A list that never changes.
//! struct Beta(HashMap<ContextHash, Memberships>);
//!
//! impl BigSegmentStore for Beta {
//!     fn metadata(&self) -> Result<Metadata, StoreError> {
//!         Ok(Metadata { last_up_to_date: Some(u64::MAX) })
//!     }
//!
//!     fn memberships(&self, context: &ContextHash) -> Result<Memberships, StoreError> {
//!         Ok(self.0.get(context).cloned().unwrap_or_default())
//!     }
//! }
//!
//! let mut anna = Memberships::new();
//! anna.include("beta-testers.g1")?;
//! let beta = Beta(HashMap::from([(ContextHash::of("anna"), anna)]));
//! let parts = Parts::new().big_segments(BigSegments::new(beta));
//! # drop(parts);
//! # Ok::<(), StoreError>(())
//! ```
//!
//! # What an evaluation answers
//!
//! The asynchronous form ([`Client::through_store`](crate::Client::through_store)) asks the store
//! for what is not remembered, once for each context key, and evaluates with the answer. A query
//! that fails gives no match, with the status STORE_ERROR in the reason.
//!
//! The synchronous form never waits. It goes by what is remembered, even if that has expired, and
//! has it asked for behind it. A context of which nothing is remembered is in no big segment, with
//! the status STORE_ERROR, as if the query had failed: the rest of the flag still decides.
//! Listeners to values evaluate in this form, when flags or segments change, and again when other
//! memberships were then loaded than they went by. Those that had to go by a failure do so again
//! when the store next says how up to date it is. That a context enters or leaves a big segment
//! causes no evaluation by itself.
//!
//! A [snapshot](crate::Client::snapshot) is data alone: to its own methods no membership is known
//! (NOT_CONFIGURED), and a big segment's rules decide.

mod cache;
mod hash;
mod known;
mod memberships;
mod poll;
mod reading;
mod settings;
mod status;
mod store;

pub use hash::ContextHash;
pub(crate) use known::{Fetched, Known};
pub use memberships::Memberships;
pub(crate) use poll::poll;
pub(crate) use reading::{MembershipReading, Waiting};
pub use settings::BigSegments;
pub use status::BigSegmentStatus;
pub use store::{BigSegmentStore, Metadata};
