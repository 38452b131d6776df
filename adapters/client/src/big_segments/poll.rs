//! Asking a store of memberships how up to date it is.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::future::{Either, select};

use super::reading::Answer;
use super::store::Metadata;
use super::{BigSegmentStatus, MembershipReading, Waiting};
use crate::Runtime;
use crate::shared::Shared;
use crate::store::StoreError;

/// How long evaluations wait for a store that does not answer.
const PATIENCE: Duration = Duration::from_secs(30);

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
            let patience = runtime.sleep_until(runtime.now() + PATIENCE);
            match select(&mut question, pin!(patience)).await {
                Either::Left((answer, _)) => break answer,
                Either::Right(_) => {
                    reading.give_up_waiting();
                    let error = StoreError::new("the store of big segments does not answer");
                    publish(shared, reading, known, Some(error));
                }
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
        runtime.sleep_until(begun + reading.poll_interval()).await;
        question = reading.ask_metadata();
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
