//! Writing a recording.

use std::io::Write;

use fdv2_core::model::Kind;
use fdv2_core::snapshot::Call;
use fdv2_core::{Command, Config, Event, Instant};

use crate::error::RecordError;
use crate::fact::{self, Fact};
use crate::line::{self, Counted, Ending, Header, ItemKind, Line, Numbered};
use crate::redact::Redactor;
use crate::seconds::Seconds;
use crate::settings::Settings;
use crate::words::{self, Digest};

/// Room that is kept for the last line.
const END_BYTES: u64 = 128;

/// How a recording is written.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// The most bytes that it may have.
    pub max_size: Option<u64>,
    /// Whether texts and numbers of flags and segments are hidden.
    pub redact: bool,
}

impl Options {
    /// Ends the recording before it has more bytes than this.
    pub fn max_size(mut self, bytes: u64) -> Self {
        self.max_size = Some(bytes);
        self
    }

    /// Hides texts and numbers of flags and segments before they are written. See the crate's
    /// documentation for what stays.
    pub fn redact(mut self, redact: bool) -> Self {
        self.redact = redact;
        self
    }
}

/// Writes what enters one core, beside its commands' digest.
///
/// ```
/// use fdv2_core::{Command, Config, DataSystem, Event, Instant};
/// use fdv2_recording::{Ending, Options, Recorder};
///
/// let config = Config::streaming("sdk-key").build()?;
/// let mut system = DataSystem::new(config.clone(), 42);
/// let mut recorder = Recorder::begin(Vec::new(), &config, 42, &Options::default())?;
/// let commands: Vec<Command> = system.handle(Instant::EPOCH, Event::Start).collect();
/// recorder.record(Instant::EPOCH, &Event::Start, &commands)?;
/// let recording = recorder.end(Ending::Closed)?;
///
/// let replayed = fdv2_recording::replay(recording.as_slice())?;
/// assert_eq!(replayed.events, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Recorder<W> {
    out: Counted<W>,
    lines: u64,
    digest: Digest,
    max_size: u64,
    buffer: Vec<u8>,
    ended: Option<Ending>,
    redactor: Option<Redactor>,
}

impl<W: Write> Recorder<W> {
    /// Writes the first line: the configuration without its secrets, and the seed.
    ///
    /// # Errors
    /// [`RecordError`] if the configuration cannot be written down so that it can be made again, if
    /// it is larger than the recording may be, or if `out` cannot be written.
    pub fn begin(
        out: W,
        config: &Config,
        seed: u64,
        options: &Options,
    ) -> Result<Self, RecordError> {
        let header = Header {
            format: line::FORMAT.to_owned(),
            version: line::VERSION,
            writer: concat!("fdv2 ", env!("CARGO_PKG_VERSION")).to_owned(),
            seed: seed.to_string(),
            is_redacted: options.redact,
            config: Settings::of(config).ok_or(RecordError::Config)?,
        };
        let mut recorder = Self {
            out: Counted { out, written: 0 },
            lines: 0,
            digest: Digest::default(),
            max_size: options.max_size.unwrap_or(u64::MAX),
            buffer: Vec::new(),
            ended: None,
            redactor: options.redact.then(|| Redactor::new(config, seed)),
        };
        if !line::encode(&header, &mut recorder.buffer) {
            return Err(RecordError::Config);
        }
        let least = recorder.buffer.len() as u64 + END_BYTES;
        if least > recorder.max_size {
            return Err(RecordError::MaxSize { least });
        }
        recorder.out.write(&recorder.buffer)?;
        Ok(recorder)
    }

    /// Writes an event, and the digest of all commands including those that it led to.
    ///
    /// If the recording cannot go on, it is ended, and what comes later is left out: see
    /// [`ended`](Self::ended).
    ///
    /// # Errors
    /// [`RecordError::Write`]. What was written is then cut off.
    pub fn record(
        &mut self,
        now: Instant,
        event: &Event,
        commands: &[Command],
    ) -> Result<(), RecordError> {
        if self.ended.is_some() {
            return Ok(());
        }
        let Some(redactor) = &mut self.redactor else { return self.add(now, event, commands) };
        match redactor.redact(now, event, commands) {
            Some((event, commands)) => self.add(now, &event, &commands),
            None => self.write_end(Ending::Redaction),
        }
    }

    fn add(
        &mut self,
        now: Instant,
        event: &Event,
        commands: &[Command],
    ) -> Result<(), RecordError> {
        commands.iter().for_each(|command| self.digest.add(&words::command(command)));
        let digest = self.digest.value();
        let Some(fact) = Fact::of(event) else { return self.write_end(Ending::Unwritable) };
        let before = self.out.written;
        for call in fact::change_set(event).iter().flat_map(|change_set| change_set.calls()) {
            self.write(item(&call))?;
            if self.out.written - before > line::LARGEST_CHANGE_SET && self.ended.is_none() {
                return self.write_end(Ending::Unwritable);
            }
        }
        self.write(Line::Event { at: Seconds(now.since_epoch()), event: fact, digest })?;
        Ok(self.out.out.flush()?)
    }

    /// Why it has ended, if it has.
    pub fn ended(&self) -> Option<Ending> {
        self.ended
    }

    /// Writes the last line, unless the recording has ended already.
    ///
    /// # Errors
    /// [`RecordError::Write`].
    pub fn end(mut self, why: Ending) -> Result<W, RecordError> {
        if self.ended.is_none() {
            self.write_end(why)?;
        }
        Ok(self.out.out)
    }

    fn write(&mut self, line: Line<'_>) -> Result<(), RecordError> {
        if self.ended.is_some() {
            return Ok(());
        }
        if !line::encode(&Numbered { n: self.lines + 1, line }, &mut self.buffer) {
            return self.write_end(Ending::Unwritable);
        }
        let size = self.out.written.saturating_add(self.buffer.len() as u64 + END_BYTES);
        if size > self.max_size {
            return self.write_end(Ending::MaxSize);
        }
        self.lines += 1;
        Ok(self.out.write(&self.buffer)?)
    }

    fn write_end(&mut self, why: Ending) -> Result<(), RecordError> {
        self.ended = Some(why);
        line::encode(&Numbered { n: self.lines + 1, line: Line::End(why) }, &mut self.buffer);
        self.out.write(&self.buffer)?;
        Ok(self.out.out.flush()?)
    }
}

fn item<'a>(call: &'a Call<'_>) -> Line<'a> {
    let named = |kind: &Kind| match kind {
        Kind::Flag => ItemKind::Flag,
        Kind::Segment => ItemKind::Segment,
    };
    match call {
        Call::Put { kind, key, version, object } => Line::Put {
            kind: named(kind),
            key: (*key).into(),
            version: *version,
            object: (&**object).into(),
        },
        Call::Delete { kind, key, version } => {
            Line::Delete { kind: named(kind), key: (*key).into(), version: *version }
        }
    }
}
