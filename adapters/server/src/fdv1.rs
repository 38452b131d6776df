//! The body of an FDv1 poll (C 1.10), written a piece at a time.

use std::sync::Arc;

use bytes::Bytes;
use fdv2_core::model::Kind;

use crate::content::Content;
use crate::file::quoted;
use crate::transfer::PIECE_BYTES;

/// All live items: `{"flags":{..},"segments":{..}}`.
#[derive(Debug)]
pub(crate) struct Fdv1Body {
    content: Arc<Content>,
    at: usize,
    phase: Phase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Begin,
    /// Inside the object of this kind.
    Inside {
        kind: Kind,
        has_member: bool,
    },
    Done,
}

impl Fdv1Body {
    pub(crate) fn new(content: Arc<Content>) -> Self {
        Self { content, at: 0, phase: Phase::Begin }
    }

    /// Writes the next item, or what ends an object.
    fn step(&mut self, kind: Kind, has_member: bool, out: &mut Vec<u8>) -> Phase {
        let entry = self.content.entries().get(self.at).filter(|entry| entry.id.kind == kind);
        let Some(entry) = entry else {
            let (end, next) = match kind {
                Kind::Flag => ("},\"segments\":{", Phase::inside(Kind::Segment)),
                Kind::Segment => ("}}", Phase::Done),
            };
            out.extend_from_slice(end.as_bytes());
            return next;
        };
        self.at += 1;
        let Some(object) = entry.object() else { return self.phase };
        if has_member {
            out.push(b',');
        }
        out.extend_from_slice(quoted(&entry.id.key).as_bytes());
        out.push(b':');
        out.extend_from_slice(object.as_bytes());
        Phase::Inside { kind, has_member: true }
    }
}

impl Phase {
    fn inside(kind: Kind) -> Self {
        Self::Inside { kind, has_member: false }
    }
}

impl Iterator for Fdv1Body {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        let mut out = Vec::new();
        while out.len() < PIECE_BYTES {
            self.phase = match self.phase {
                Phase::Begin => {
                    out.extend_from_slice(b"{\"flags\":{");
                    Phase::inside(Kind::Flag)
                }
                Phase::Inside { kind, has_member } => self.step(kind, has_member, &mut out),
                Phase::Done => break,
            };
        }
        (!out.is_empty()).then(|| out.into())
    }
}
