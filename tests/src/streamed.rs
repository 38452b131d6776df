//! The core with one stream, for the benches: bytes in, commands out, in no time.

use bytes::Bytes;
use fdv2_core::config::{Config, Streaming};
use fdv2_core::{Command, DataSystem, EffectId, Event, Instant, Outcome, ResponseHead};

/// How large a driver lets a slice be.
pub const SLICE: usize = 16 << 10;

/// A system with one stream, whose head has come.
#[derive(Clone)]
pub struct Streamed {
    system: DataSystem,
    id: EffectId,
}

impl Streamed {
    /// Nothing has come on the stream yet.
    ///
    /// # Panics
    /// If the core asks for no request when it is started.
    pub fn open() -> Self {
        let config = Config::custom("sdk-key").synchronizer(Streaming::new()).build();
        let mut system = DataSystem::new(config.expect("a legal configuration"), 7);
        let started =
            system.handle(Instant::EPOCH, Event::Start).find_map(|command| match command {
                Command::Start { id, .. } => Some(id),
                _ => None,
            });
        let mut streamed = Self { system, id: started.expect("a request") };
        let content_type = http::HeaderValue::from_static("text/event-stream");
        let headers = [(http::header::CONTENT_TYPE, content_type)].into_iter().collect();
        let head = ResponseHead { status: 200, headers };
        streamed.handle(Outcome::ResponseHead(head)).for_each(drop);
        streamed
    }

    /// Some bytes of the stream come in.
    pub fn receive(&mut self, bytes: Bytes) -> impl Iterator<Item = Command> {
        self.handle(Outcome::ResponseChunk(bytes))
    }

    /// The core itself.
    pub fn system(&self) -> &DataSystem {
        &self.system
    }

    fn handle(&mut self, outcome: Outcome) -> impl Iterator<Item = Command> {
        self.system.handle(Instant::EPOCH, Event::Effect { id: self.id, outcome })
    }
}

/// A stream, cut as a driver cuts it.
pub fn slices(stream: &Bytes) -> impl Iterator<Item = Bytes> {
    (0..stream.len()).step_by(SLICE).map(|at| stream.slice(at..stream.len().min(at + SLICE)))
}
