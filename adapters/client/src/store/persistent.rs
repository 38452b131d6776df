//! What a database has to offer.

use fdv2_core::model::Kind;
use fdv2_core::persistence::{Record, StoreError, Upserted};

/// A database that keeps flags and segments, as an ordinary blocking type.
///
/// All calls come from two threads of ours, one that reads and one that writes (B 9.8), so a store
/// sees at most one call of each at a time, and may block as long as it likes: nothing but its own
/// next call waits for it. A panic is as good as an error.
///
/// It keeps two collections, one for each [`Kind`] (databases call them `features` and `segments`),
/// of texts by key; and one marker, `$inited`, that says whether they are complete. Whether a text
/// is an item or a tombstone, and whether it can be read at all, is not its concern.
///
/// Errors are shown to people: they must hold no password and no URL with one (B 11.1).
pub trait PersistentStore: Send + Sync + 'static {
    /// Calls `found` with key and text of each record of a collection, in any order.
    ///
    /// # Errors
    /// The database cannot be read. What was found until then does not count.
    fn all(&self, kind: Kind, found: &mut dyn FnMut(&[u8], &[u8])) -> Result<(), StoreError>;

    /// The text of one record, `None` if there is none.
    ///
    /// # Errors
    /// The database cannot be read.
    fn one(&self, kind: Kind, key: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Whether there is a marker.
    ///
    /// # Errors
    /// The database cannot be read.
    fn is_initialized(&self) -> Result<bool, StoreError>;

    /// Makes `records` the only ones of both collections, then sets the marker (B 9.4).
    ///
    /// At once, if the database can: no reader sees a part. Otherwise in the order given, which
    /// puts what others need before them, and what is to go last; the marker after all that.
    ///
    /// # Errors
    /// The database cannot be written, or it is not known whether it was. It is done once more
    /// when the database answers again.
    fn replace_all(&self, records: &[Record]) -> Result<(), StoreError>;

    /// Writes one record, if the collections are complete and hold no record of this key with the
    /// same version or a higher one. The check and the write are one step, whoever else writes to
    /// the database at the same time (B 9.4). Other records stay as they are.
    ///
    /// # Errors
    /// As for [`replace_all`](Self::replace_all).
    fn upsert(&self, record: &Record) -> Result<Upserted, StoreError>;

    /// Whether the database answers, asked every 500 ms once a call has failed (B 9.6).
    ///
    /// # Errors
    /// It does not.
    fn probe(&self) -> Result<(), StoreError> {
        self.is_initialized().map(drop)
    }

    /// The last call: release what is held, as dropping does.
    fn close(&self) {}
}
