//! Reading a recording, line by line: however large it is, one line is held at a time, and the
//! change set that is being put together.

use std::io::BufRead;

use fdv2_core::model::Kind;
use fdv2_core::protocol::Selector;
use fdv2_core::snapshot::{ChangeSet, ChangeSetBuilder};
use fdv2_core::{Config, Event, Instant, Limits};

use crate::error::Damage;
use crate::line::{self, Ending, Header, ItemKind, Line, Numbered, Title};

/// A recording that is being read: an iterator over its events.
///
/// After an error nothing follows.
pub struct Recording<R> {
    input: R,
    config: Config,
    seed: u64,
    writer: String,
    is_redacted: bool,
    /// The last one that was read, counted from 1.
    line: u64,
    buffer: Vec<u8>,
    items: Vec<Item>,
    /// So many bytes have the lines of `items`.
    item_bytes: u64,
    ending: Option<Ending>,
    is_over: bool,
}

/// One event of a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The line on which it stands, counted from 1.
    pub line: u64,
    /// When it entered the core.
    pub at: Instant,
    /// The event.
    pub event: Event,
    /// The digest of all commands of the recorded system so far.
    pub digest: String,
}

enum Item {
    Put { kind: Kind, key: String, version: u64, object: String },
    Delete { kind: Kind, key: String, version: u64 },
}

impl<R: BufRead> Recording<R> {
    /// Reads the first line.
    ///
    /// # Errors
    /// [`Damage`] if this is no recording, or one of another version of the format.
    pub fn open(mut input: R) -> Result<Self, Damage> {
        let mut buffer = Vec::new();
        match line::read(&mut input, &mut buffer, 1) {
            Ok(true) => {}
            Err(damage) if is_titled(&buffer) => return Err(damage),
            Err(Damage::Unreadable(why)) => return Err(Damage::Unreadable(why)),
            Ok(false) | Err(_) => return Err(Damage::NotOne),
        }
        let json = line::json(&buffer);
        let title: Title = serde_json::from_slice(json).map_err(|_| Damage::NotOne)?;
        if title.format != line::FORMAT {
            return Err(Damage::NotOne);
        }
        if title.version != line::VERSION {
            return Err(Damage::Version { version: title.version, known: line::VERSION });
        }
        let nonsense = |why: String| Damage::Nonsense { line: 1, why };
        let header: Header =
            serde_json::from_slice(json).map_err(|why| nonsense(why.to_string()))?;
        let seed = header.seed.parse().map_err(|_| nonsense("the seed is no number".into()))?;
        let config = header.config.config().map_err(|why| Damage::Config(why.to_string()))?;
        Ok(Self {
            input,
            config,
            seed,
            writer: header.writer,
            is_redacted: header.is_redacted,
            line: 1,
            buffer,
            items: Vec::new(),
            item_bytes: 0,
            ending: None,
            is_over: false,
        })
    }

    /// The configuration, with placeholders in the place of secrets.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The randomness of the recorded system.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Which program wrote it.
    pub fn writer(&self) -> &str {
        &self.writer
    }

    /// Whether texts and numbers were replaced before they were written.
    pub fn is_redacted(&self) -> bool {
        self.is_redacted
    }

    /// Why it ended, once all of it was read.
    pub fn ending(&self) -> Option<Ending> {
        self.ending
    }

    fn next_entry(&mut self) -> Result<Option<Entry>, Damage> {
        loop {
            let number = self.line + 1;
            if !line::read(&mut self.input, &mut self.buffer, number)? {
                return match self.ending {
                    Some(_) => Ok(None),
                    None => Err(Damage::NoEnd { line: self.line }),
                };
            }
            if self.ending.is_some() {
                return Err(Damage::BehindTheEnd { line: number });
            }
            let nonsense = |why: String| Damage::Nonsense { line: number, why };
            let Numbered { n, line } = serde_json::from_slice(line::json(&self.buffer))
                .map_err(|why| nonsense(why.to_string()))?;
            if n != self.line {
                return Err(Damage::Order { line: number, says: n.saturating_add(1) });
            }
            self.line = number;
            match line {
                Line::Put { kind, key, version, object } => {
                    let (key, object) = (key.into_owned(), object.into_owned());
                    self.items.push(Item::Put { kind: kind.kind(), key, version, object });
                }
                Line::Delete { kind, key, version } => {
                    let key = key.into_owned();
                    self.items.push(Item::Delete { kind: kind.kind(), key, version });
                }
                Line::Event { at, event, digest } => {
                    let items = std::mem::take(&mut self.items);
                    self.item_bytes = 0;
                    let change_set = |is_changes, selector| build(items, is_changes, selector);
                    let event = event.event(change_set).map_err(nonsense)?;
                    let at = Instant::from_epoch(at.0);
                    return Ok(Some(Entry { line: number, at, event, digest }));
                }
                Line::End(ending) => self.ending = Some(ending),
            }
            self.item_bytes += self.buffer.len() as u64;
            if self.item_bytes > line::LARGEST_CHANGE_SET {
                return Err(nonsense("a change set is larger than any can be".to_owned()));
            }
        }
    }
}

impl<R: BufRead> Iterator for Recording<R> {
    type Item = Result<Entry, Damage>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let entry = self.next_entry().transpose();
        self.is_over = !matches!(entry, Some(Ok(_)));
        entry
    }
}

impl ItemKind {
    fn kind(self) -> Kind {
        match self {
            Self::Flag => Kind::Flag,
            Self::Segment => Kind::Segment,
        }
    }
}

/// Makes the change set again. It had no more than its file holds, so that bounds it.
fn build(
    items: Vec<Item>,
    is_changes: bool,
    selector: Option<Selector>,
) -> Result<ChangeSet, String> {
    let mut builder =
        if is_changes { ChangeSetBuilder::changes() } else { ChangeSetBuilder::full() };
    let (transfer_bytes, transfer_objects) = (usize::MAX, usize::MAX);
    builder = builder.limits(Limits { transfer_bytes, transfer_objects, ..Limits::default() });
    for item in items {
        match item {
            Item::Put { kind, key, version, object } => builder.put(kind, &key, version, &object),
            Item::Delete { kind, key, version } => builder.delete(kind, &key, version),
        }
        .map_err(|error| error.to_string())?;
    }
    Ok(builder.finish(selector))
}

/// Whether the first line begins like that of a recording, whatever became of the rest.
fn is_titled(line: &[u8]) -> bool {
    let title = format!("{{\"format\":\"{}\"", line::FORMAT);
    line.get(9..).is_some_and(|json| json.starts_with(title.as_bytes()))
}
