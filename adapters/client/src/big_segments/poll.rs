//! Asking a store of memberships how up to date it is.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;

use futures::future::{Either, select};

use super::reading::Answer;
use super::store::Metadata;
use super::{BigSegmentStatus, MembershipReading, Waiting};
use crate::Runtime;
use crate::shared::Shared;
use crate::store::StoreError;

/// Polls until the client is closed. `first` is the first question, already put.
pub(crate) async fn poll<R: Runtime>(
    runtime: R,
    shared: Arc<Shared>,
    reading: Arc<MembershipReading>,
    first: Waiting,
) {
    let polling = pin!(rounds(&runtime, &shared, &reading, first));
    let ended = shared.until(|facts| facts.is_ended().then_some(()));
    select(ended, polling).await;
}

async fn rounds<R: Runtime>(
    runtime: &R,
    shared: &Shared,
    reading: &Arc<MembershipReading>,
    mut question: Waiting,
) {
    let mut known = None;
    loop {
        let begun = runtime.now();
        let answer = loop {
            match patiently(runtime, reading, &mut question).await {
                Some(answer) => break answer,
                None => publish(shared, reading, known, Some(silence())),
            }
        };
        let error = match answer {
            Some(Ok(Answer::Metadata(metadata))) => {
                known = Some(metadata);
                None
            }
            Some(Err(error)) => Some(error),
            Some(Ok(Answer::Memberships(_))) | None => return,
        };
        publish(shared, reading, known, error);
        let pause = pin!(runtime.sleep_until(begun + reading.poll_interval()));
        if patiently(runtime, reading, pause).await.is_none() {
            publish(shared, reading, known, Some(silence()));
        }
        question = reading.ask_metadata();
    }
}

fn silence() -> StoreError {
    StoreError::new("the store of big segments does not answer")
}

/// Waits, and sees to it that evaluations do not wait too long meanwhile. `None` if the store
/// answers none of them.
async fn patiently<R: Runtime, T>(
    runtime: &R,
    reading: &MembershipReading,
    mut wait: impl Future<Output = T> + Unpin,
) -> Option<T> {
    loop {
        let patience = pin!(runtime.sleep_until(reading.patience_ends()));
        match select(&mut wait, patience).await {
            Either::Left((waited, _)) => return Some(waited),
            Either::Right(_) if reading.give_up_waiting() => return None,
            Either::Right(_) => {}
        }
    }
}

/// How up to date the store is goes by what it said last.
fn publish(
    shared: &Shared,
    reading: &MembershipReading,
    known: Option<Metadata>,
    error: Option<StoreError>,
) {
    shared.publish_big_segment_status(BigSegmentStatus {
        is_available: error.is_none(),
        is_stale: known.is_some_and(|metadata| reading.judge(metadata)),
        error: error.map(|error| error.message().into()),
    });
}
