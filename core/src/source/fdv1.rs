//! The body of an FDv1 poll: a full change set without selector (B 5.7).

use bytes::Bytes;

use super::{End, Failure, Look, Report};
use crate::protocol::{Fdv1Body, FullTransfer};
use crate::snapshot::Garbage;

/// What has come of an FDv1 body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fdv1Response {
    body: Fdv1Body,
    /// Taken at the end.
    transfer: Option<FullTransfer>,
    has_grown: bool,
}

impl Fdv1Response {
    pub(crate) fn new(look: Look<'_>) -> Self {
        Self {
            body: Fdv1Body::new(look.limits.event_bytes),
            transfer: Some(FullTransfer::new(look.held, *look.limits, look.may_salvage)),
            has_grown: false,
        }
    }

    pub(crate) fn push(&mut self, bytes: Bytes) {
        self.has_grown |= !bytes.is_empty();
        self.body.push(bytes);
    }

    pub(crate) fn into_garbage(self) -> Garbage {
        self.transfer.map_or_else(Garbage::default, FullTransfer::abandon)
    }

    /// Each byte of the body is progress, also of one that proves to be invalid; then reads on.
    pub(crate) fn next_report(&mut self) -> Option<Report> {
        if std::mem::take(&mut self.has_grown) {
            return Some(Report::Progress);
        }
        self.read().err().map(Report::from)
    }

    fn read(&mut self) -> Result<(), Failure> {
        while let Some(item) = self.body.next()? {
            if let Some(transfer) = &mut self.transfer {
                transfer.put(item.kind, &item.key, item.object)?;
            }
        }
        Ok(())
    }

    /// The body has ended whole: what it amounts to, in order.
    pub(crate) fn finish(&mut self) -> Result<Vec<Report>, Failure> {
        self.body.finish()?;
        let Some(transfer) = self.transfer.take() else { return Ok(Vec::new()) };
        Ok(match transfer.finish() {
            Ok(commit) => {
                let end = match &commit.salvaged {
                    Some(error) => End::Failed(error.clone().into()),
                    None => End::Completed,
                };
                vec![Report::Committed(commit), Report::Ended(end)]
            }
            Err(rejected) => {
                vec![Report::Discard(rejected.garbage), Failure::from(rejected.error).into()]
            }
        })
    }
}
