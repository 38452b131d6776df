//! The members of big segments.

use std::fmt;
use std::str;

use fdv2_client::big_segments::{BigSegmentStore, ContextHash, Memberships, Metadata};
use fdv2_client::store::StoreError;
use redis::{cmd, pipe};

use crate::database::{Database, made_of_a_database};

/// The members of big segments in Redis (C 3.7), as LaunchDarkly's Relay Proxy writes them: the sets
/// `PREFIX:big_segment_include:HASH` and `PREFIX:big_segment_exclude:HASH` of segment references,
/// and the time of the last update, in milliseconds since 1970, in
/// `PREFIX:big_segments_synchronized_on`.
///
/// ```
/// use fdv2_client::big_segments::BigSegments;
/// use fdv2_redis::RedisBigSegmentStore;
///
/// let store = RedisBigSegmentStore::new("redis://localhost:6379")?.prefix("my-app");
/// let segments = BigSegments::new(store);
/// # drop(segments);
/// # Ok::<(), fdv2_redis::RedisUrlError>(())
/// ```
pub struct RedisBigSegmentStore {
    database: Database,
}

impl RedisBigSegmentStore {
    made_of_a_database!();
}

impl BigSegmentStore for RedisBigSegmentStore {
    fn metadata(&self) -> Result<Metadata, StoreError> {
        let name = self.database.name("big_segments_synchronized_on");
        let text: Option<Vec<u8>> =
            self.database.connections.with(|connection| cmd("GET").arg(&name).query(connection))?;
        let Some(text) = text else { return Ok(Metadata::default()) };
        let millis = str::from_utf8(&text).ok().and_then(|text| text.trim().parse().ok());
        match millis {
            Some(millis) => Ok(Metadata { last_up_to_date: Some(millis) }),
            None => Err(StoreError::new(format!(
                "{name} in Redis at {} is no number of milliseconds",
                self.database.connections.name
            ))),
        }
    }

    fn memberships(&self, context: &ContextHash) -> Result<Memberships, StoreError> {
        let names = ["include", "exclude"]
            .map(|list| self.database.name(&format!("big_segment_{list}:{}", context.as_str())));
        let [include, exclude] = &names;
        let mut both = pipe();
        both.cmd("SMEMBERS").arg(include).cmd("SMEMBERS").arg(exclude);
        let (included, excluded): (Vec<Vec<u8>>, Vec<Vec<u8>>) =
            self.database.connections.with(|connection| both.query(connection))?;
        let mut memberships = Memberships::new();
        for reference in references(&included) {
            memberships.include(reference)?;
        }
        for reference in references(&excluded) {
            memberships.exclude(reference)?;
        }
        Ok(memberships)
    }

    fn close(&self) {
        self.database.connections.close();
    }
}

/// What is no text is no reference.
fn references(members: &[Vec<u8>]) -> impl Iterator<Item = &str> {
    members.iter().filter_map(|member| str::from_utf8(member).ok())
}

impl fmt::Debug for RedisBigSegmentStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.database.describe("RedisBigSegmentStore", f)
    }
}
