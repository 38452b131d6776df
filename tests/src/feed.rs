//! A custom source that a test feeds.

use std::sync::{Mutex, PoisonError};

use fdv2_client::store::{Kind, Record};
use fdv2_core::snapshot::ChangeSetBuilder;
use fdv2_core::{OpenSource, Selector, SourceUpdate};
use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use futures::stream::{self, BoxStream, StreamExt};

/// Tells the client what the test wants. Dropped, it ends the source.
pub struct Feed(UnboundedSender<SourceUpdate>);

impl Feed {
    /// A feed, and the source to hand to the client. It can be opened once.
    pub fn new() -> (Self, impl Fn(OpenSource) -> BoxStream<'static, SourceUpdate> + Send + Sync) {
        let (sender, receiver) = unbounded();
        let receiver: Mutex<Option<UnboundedReceiver<_>>> = Mutex::new(Some(receiver));
        let open = move |_: OpenSource| match receiver
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
        {
            Some(updates) => updates.boxed(),
            None => stream::pending().boxed(),
        };
        (Self(sender), open)
    }

    /// Replaces everything by these flags.
    pub fn full(&self, records: &[Record]) {
        self.put(ChangeSetBuilder::full(), records);
    }

    /// Changes these flags.
    pub fn change(&self, records: &[Record]) {
        self.put(ChangeSetBuilder::changes(), records);
    }

    /// Deletes a flag.
    pub fn delete(&self, key: &str, version: u64) {
        let mut changes = ChangeSetBuilder::changes();
        changes.delete(Kind::Flag, key, version).expect("a small change set");
        self.tell(changes);
    }

    fn put(&self, mut changes: ChangeSetBuilder, records: &[Record]) {
        for record in records {
            changes
                .put(record.kind(), record.key(), record.version(), record.text())
                .expect("a good item");
        }
        self.tell(changes);
    }

    fn tell(&self, changes: ChangeSetBuilder) {
        let changes = changes.finish(Some(Selector::new("state", 1)));
        self.0
            .unbounded_send(SourceUpdate::ChangeSet(Box::new(changes)))
            .expect("the client is open");
    }
}
