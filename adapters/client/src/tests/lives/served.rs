//! What the server of a simulated life has: every state there ever was, and how it is told.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Keys of flags, with their versions.
pub(super) type State = BTreeMap<String, u64>;

/// All states, the newest last. The selector of the state at `n` is `s{n}`.
pub(super) struct Served(Vec<State>);

/// Bytes, and where in them a transfer ends, with the state that it brings.
pub(super) struct Told {
    pub(super) bytes: Vec<u8>,
    pub(super) ends: Vec<(usize, usize)>,
}

impl Served {
    pub(super) fn new() -> Self {
        Self(vec![State::from([("f0".to_owned(), 1)])])
    }

    pub(super) fn newest(&self) -> usize {
        self.0.len() - 1
    }

    pub(super) fn state(&self, number: usize) -> &State {
        &self.0[number]
    }

    /// Changes a flag, or takes it away.
    pub(super) fn commit(&mut self, flag: u8, is_removed: bool) {
        let mut next = self.0[self.newest()].clone();
        let key = format!("f{flag}");
        // Versions of a key only grow, also over its deletion.
        let version = self.0.len() as u64 + 1;
        if is_removed {
            next.remove(&key);
        } else {
            next.insert(key, version);
        }
        self.0.push(next);
    }

    /// The number of the state that has this selector.
    pub(super) fn number_of(&self, selector: &str) -> Option<usize> {
        let number = selector.strip_prefix('s')?.parse().ok()?;
        (number < self.0.len()).then_some(number)
    }

    /// A transfer on a stream, of what changed since `from`, or of everything.
    pub(super) fn stream(&self, from: Option<usize>, padding: usize) -> Told {
        let mut text = String::new();
        for (name, data) in self.events(from) {
            let _ = write!(text, "event: {name}\ndata: {data}\n\n");
        }
        // Comments, as a server sends them to keep a connection alive.
        text.insert_str(0, &format!(":{}\n", "x".repeat(padding)));
        Told { ends: vec![(text.len(), self.newest())], bytes: text.into_bytes() }
    }

    /// The body of a poll. It counts when it has ended.
    pub(super) fn poll(&self, from: Option<usize>) -> Told {
        let event = |(name, data)| format!(r#"{{"event":"{name}","data":{data}}}"#);
        let events: Vec<_> = self.events(from).into_iter().map(event).collect();
        let text = format!(r#"{{"events":[{}]}}"#, events.join(","));
        Told { ends: Vec::new(), bytes: text.into_bytes() }
    }

    fn events(&self, from: Option<usize>) -> Vec<(&'static str, String)> {
        let newest = self.newest();
        let intent = match from {
            None => "xfer-full",
            Some(_) => "xfer-changes",
        };
        let intent = format!(r#"{{"payloads":[{{"id":"p","target":1,"intentCode":"{intent}"}}]}}"#);
        let mut events = vec![("server-intent", intent)];
        let none = State::new();
        let (before, after) = (from.map_or(&none, |from| &self.0[from]), &self.0[newest]);
        for (key, version) in
            after.iter().filter(|(key, version)| before.get(*key) != Some(version))
        {
            events.push((
                "put-object",
                format!(
                    r#"{{"kind":"flag","key":"{key}","version":{version},"object":{{"key":"{key}","version":{version},"on":true}}}}"#
                ),
            ));
        }
        for key in before.keys().filter(|key| !after.contains_key(*key)) {
            let version = newest + 1;
            events.push((
                "delete-object",
                format!(r#"{{"kind":"flag","key":"{key}","version":{version}}}"#),
            ));
        }
        events.push(("payload-transferred", format!(r#"{{"state":"s{newest}","version":1}}"#)));
        events
    }
}
