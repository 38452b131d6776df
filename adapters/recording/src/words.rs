//! Commands in words. What is shown of a command is what its digest is made of.

use std::fmt::Write;
use std::sync::Arc;

use fdv2_core::effect::SourceSwitched;
use fdv2_core::model::Model;
use fdv2_core::persistence::{Scope, StoreWrite};
use fdv2_core::snapshot::{FlagsChanged, Slot};
use fdv2_core::status::{Readiness, SourceError, SourceStatus, StoreStatus};
use fdv2_core::{Command, Effect, EffectId, Event, Lane, Outcome, Request, Snapshot, Update};
use http::header;
use sha2::{Digest as _, Sha256};

/// So many keys are named.
const NAMED: usize = 20;

/// One line for a command.
///
/// Left out are what may be secret (values of headers that are marked sensitive) and what depends on
/// the version of this program alone (the user agent).
pub(crate) fn command(command: &Command) -> String {
    match command {
        Command::Start { id, effect } => {
            format!("start {}: {}", effect_id(*id), self::effect(effect))
        }
        Command::Cancel { id } => format!("cancel {}", effect_id(*id)),
        Command::Emit(update) => self::update(update),
        Command::Discard(garbage) => format!("discard {garbage:?}"),
    }
}

/// One line for an event.
pub(crate) fn event(event: &Event) -> String {
    match event {
        Event::Start => "start".to_owned(),
        Event::Tick => "the clock".to_owned(),
        Event::Effect { id, outcome } => format!("{}: {}", effect_id(*id), self::outcome(outcome)),
        Event::StoreRead(read) => format!("a read of the store: {read:?}"),
        Event::Shutdown { grace } => format!("shutdown, grace {grace:?}"),
        other => format!("{other:?}"),
    }
}

fn outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::ResponseHead(head) => format!("response head, status {}", head.status),
        Outcome::ResponseChunk(bytes) => format!("{} bytes of the body", bytes.len()),
        Outcome::ResponseEnd(Ok(())) => "the body ended whole".to_owned(),
        Outcome::ResponseEnd(Err(error)) => format!("failed: {error}"),
        Outcome::SourceUpdate(fdv2_core::SourceUpdate::ChangeSet(_)) => "a change set".to_owned(),
        other => format!("{other:?}"),
    }
}

fn effect_id(id: EffectId) -> String {
    let lane = match id.lane {
        Lane::Source => "source",
        Lane::Store => "store",
    };
    format!("{lane} {}", id.generation)
}

fn effect(effect: &Effect) -> String {
    match effect {
        Effect::Request(request) => self::request(request),
        Effect::OpenSource(open) => {
            format!("open {:?}, basis {:?}", &*open.name, open.basis)
        }
        Effect::WriteStore(write) => store_write(write),
        Effect::ProbeStore => "probe the store".to_owned(),
    }
}

fn request(request: &Request) -> String {
    let mut words = format!("{} {}", request.0.method(), request.0.uri());
    let headers = request.0.headers();
    let mut names: Vec<_> = headers.keys().collect();
    names.sort_unstable_by_key(|name| name.as_str());
    for name in names {
        for value in headers.get_all(name) {
            let value = match value.is_sensitive() || *name == header::USER_AGENT {
                true => "(not shown)".to_owned(),
                false => format!("{value:?}"),
            };
            let _ = write!(words, "; {name}: {value}");
        }
    }
    words
}

fn store_write(write: &StoreWrite) -> String {
    let what = match write.scope() {
        Scope::Everything => "everything".to_owned(),
        Scope::Items(items) => {
            let keys = items.iter().map(|(kind, key)| format!("{} {key}", kind.name()));
            named(keys, items.len())
        }
    };
    format!("write {what} of revision {} to the store", write.snapshot().revision())
}

fn update(update: &Update) -> String {
    match update {
        Update::EnvironmentId(id) => format!("environment {id:?}"),
        Update::Snapshot(snapshot) => self::snapshot(snapshot),
        Update::SourceStatus(status) => source_status(status),
        Update::Readiness(readiness) => match readiness {
            Readiness::Pending => "pending".to_owned(),
            Readiness::Ready => "ready".to_owned(),
            Readiness::Failed(error) => format!("given up{}", because(error.as_ref())),
        },
        Update::FlagsChanged(changed) => flags_changed(changed),
        Update::StoreStatus(status) => store_status(status),
        Update::SourceSwitched(SourceSwitched { to, why, error }) => {
            format!("source {to:?}, {why:?}{}", because(error.as_ref()))
        }
        Update::Odd(oddity) => format!("odd: {oddity:?}"),
        Update::Stopped => "stopped".to_owned(),
        other => format!("{other:?}"),
    }
}

fn snapshot(snapshot: &Snapshot) -> String {
    format!(
        "snapshot: revision {}, {:?}, {} items, {} bytes, selector {:?}",
        snapshot.revision(),
        snapshot.held(),
        snapshot.objects(),
        snapshot.text_bytes(),
        snapshot.selector(),
    )
}

fn source_status(status: &SourceStatus) -> String {
    format!(
        "status {:?} since {:?}{}{}",
        status.state,
        status.since,
        if status.is_last { ", the last" } else { "" },
        because(status.last_error.as_ref()),
    )
}

fn because(error: Option<&SourceError>) -> String {
    error.map_or_else(String::new, |error| {
        let status = error.status.map(|status| format!(" {status}")).unwrap_or_default();
        format!("; {:?}{status} at {:?}: {}", error.kind, error.at, error.message)
    })
}

fn store_status(status: &StoreStatus) -> String {
    format!(
        "store {}{} since {:?}, error {:?}, unreadable {:?}",
        if status.is_available { "available" } else { "unavailable" },
        if status.is_stale { ", stale" } else { "" },
        status.since,
        status.last_error,
        status.unreadable,
    )
}

fn flags_changed(changed: &FlagsChanged) -> String {
    let keys = changed.keys();
    let named = named(keys.iter().map(|key| key.to_string()), keys.len());
    format!("flags changed: {named}; contents {}", contents(changed))
}

fn named(keys: impl Iterator<Item = String>, count: usize) -> String {
    let mut words = format!("{count}");
    for (index, key) in keys.take(NAMED).enumerate() {
        let _ = write!(words, "{}{key}", if index == 0 { " (" } else { ", " });
    }
    words.push_str(match count {
        0 => "",
        _ if count > NAMED => ", ...)",
        _ => ")",
    });
    words
}

/// A digest of all that a change set brought.
fn contents(changed: &FlagsChanged) -> String {
    let mut hash = Sha256::new();
    let (old, new) = (changed.old(), changed.new_snapshot());
    for key in changed.keys() {
        add(&mut hash, key, new.flag_slots().look_up(key));
    }
    let is_same = |one: Option<&Slot<_>>, other: Option<&Slot<_>>| one == other;
    for key in old.segment_slots().differing(new.segment_slots(), is_same) {
        add(&mut hash, key, new.segment_slots().look_up(key));
    }
    short(&hash)
}

fn add<T: Model>(hash: &mut Sha256, key: &Arc<str>, slot: Option<&Slot<T>>) {
    let text = slot.and_then(Slot::live).map_or("", |item| item.text());
    let version = slot.map_or(0, Slot::version);
    for part in [T::KIND.name(), key, text] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.update(version.to_be_bytes());
}

/// The first eight bytes of a digest, in hexadecimal.
fn short(hash: &Sha256) -> String {
    let bytes = hash.clone().finalize();
    bytes.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// Runs over all commands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Digest(Sha256);

impl Digest {
    pub(crate) fn add(&mut self, words: &str) {
        self.0.update(words);
        self.0.update("\n");
    }

    /// An event is over.
    pub(crate) fn value(&mut self) -> String {
        self.0.update("\n");
        short(&self.0)
    }
}
