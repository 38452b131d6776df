//! Any events of the protocol, on one connection after another (B 1.1 to 1.15).

use std::sync::Arc;

use arbitrary::{Arbitrary, Result, Unstructured};
use fdv2_core::protocol::event::decode;
use fdv2_core::protocol::{Step, Transfer};
use fdv2_core::{Limits, Snapshot};

use crate::model::{Model, Say, Speech};
use crate::sim::items_of;

/// The names that mean something.
const NAMES: [&str; 7] = [
    "server-intent",
    "put-object",
    "delete-object",
    "payload-transferred",
    "error",
    "goodbye",
    "heartbeat",
];

/// Whatever events come, what is held is what the naive model says, and so is whether the connection
/// stays; words that make no sense are refused, twice for the same reason.
///
/// # Panics
/// If it does not.
pub fn protocol_events(input: &[u8]) {
    let mut input = Unstructured::new(input);
    let mut data = Data::default();
    while !input.is_empty() && data.connection(&mut input).is_ok() {}
}

/// What is held, and what must be.
#[derive(Default)]
struct Data {
    held: Arc<Snapshot>,
    model: Model,
}

impl Data {
    fn connection(&mut self, input: &mut Unstructured<'_>) -> Result<()> {
        let limits = Limits::default();
        let has_base = self.held.selector().is_some();
        let mut transfer = Transfer::new(has_base, limits, true);
        self.model.connect(Speech::Stream, has_base);
        while !input.is_empty() && input.ratio(15, 16)? {
            if input.ratio(1, 8)? {
                refuse_or_take(&transfer, &self.held, input)?;
                continue;
            }
            let say = Say::arbitrary(input)?;
            self.model.hear(&say);
            let stays = self.hear(&mut transfer, &say, &limits);
            assert_eq!(stays, self.model.is_connected(), "after {say:?}");
            assert_eq!(items_of(&self.held), self.model.items(), "after {say:?}");
            let selector = self.held.selector().map(|selector| selector.state());
            assert_eq!(selector, self.model.selector(), "after {say:?}");
            if !stays {
                break;
            }
        }
        drop(transfer.abandon());
        self.model.disconnect();
        Ok(())
    }

    /// Whether the connection stays.
    fn hear(&mut self, transfer: &mut Transfer, say: &Say, limits: &Limits) -> bool {
        let wire = say.wire();
        let Ok(event) = decode(&wire.name, &wire.data, limits) else { return false };
        match transfer.on_event(&self.held, event) {
            Err(_) | Ok(Step::Goodbye { .. }) => false,
            Ok(Step::Completed(commit)) => {
                let announced: Vec<Vec<String>> = commit
                    .changes
                    .iter()
                    .map(|changes| changes.keys().iter().map(|key| key.to_string()).collect())
                    .filter(|keys: &Vec<String>| !keys.is_empty())
                    .collect();
                assert_eq!(announced, self.model.take_announced(), "after {say:?}");
                self.held = commit.snapshot;
                commit.salvaged.is_none()
            }
            Ok(_) => true,
        }
    }
}

/// Words of any kind under a known name: on a copy, so that what is held stays the model's.
fn refuse_or_take(
    transfer: &Transfer,
    held: &Arc<Snapshot>,
    input: &mut Unstructured<'_>,
) -> Result<()> {
    let limits = Limits::default();
    let name = *input.choose(&NAMES)?;
    let mut data = Say::arbitrary(input)?.wire().data;
    // A piece of what another event says, and some words in its place.
    let at = input.int_in_range(0..=data.len())?;
    if data.is_char_boundary(at) {
        data.truncate(at);
    }
    data.push_str(input.arbitrary()?);
    let take = || {
        let event = decode(name, &data, &limits)?;
        let mut transfer = transfer.clone();
        transfer.on_event(held, event)
    };
    assert_eq!(take(), take(), "{name}: {data:?}");
    Ok(())
}
