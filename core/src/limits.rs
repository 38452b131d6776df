//! How much a peer may make us hold (B 1.13).

/// Bounds on what a source may send. Sizes are in bytes and count after decompression; going over
/// one is invalid data (B 1.13).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// One event, on a stream or in a poll body: 16 MiB.
    pub event_bytes: usize,
    /// One transfer: 256 MiB.
    pub transfer_bytes: usize,
    /// Puts and deletes in one transfer: 1,000,000.
    pub transfer_objects: usize,
    /// Text of all items held: 512 MiB.
    pub held_bytes: usize,
    /// Items held: 1,000,000.
    pub held_objects: usize,
    /// One response head: 256 KiB.
    pub head_bytes: usize,
    /// The `state` of one selector: 8 KiB.
    pub selector_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            event_bytes: 16 << 20,
            transfer_bytes: 256 << 20,
            transfer_objects: 1_000_000,
            held_bytes: 512 << 20,
            held_objects: 1_000_000,
            head_bytes: 256 << 10,
            selector_bytes: 8 << 10,
        }
    }
}
