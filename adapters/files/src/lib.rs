//! Flags from JSON and YAML files, read again when they change. [`FileSource`] is the source of a
//! client, and shows how one is started with it.
//!
//! # What a file holds
//!
//! An object with `flags` and `segments` (objects by key, as LaunchDarkly writes them),
//! `flagValues` (the value that a flag has for everybody), or any of the three together. What else
//! is in it is ignored. JSON:
//!
//! ```json
//! {
//!   "flags": { "new-checkout": { "on": true, "variations": [true, false], "fallthrough": { "variation": 0 } } },
//!   "flagValues": { "banner": "Hello" }
//! }
//! ```
//!
//! The same in YAML, with anchors, aliases and `<<` where they help:
//!
//! ```yaml
//! flags:
//!   new-checkout:
//!     on: true
//!     variations: [true, false]
//!     fallthrough: { variation: 0 }
//! flagValues:
//!   banner: Hello
//! ```
//!
//! The name tells which it is: `.json`, `.yaml` and `.yml`; with another name, a file that begins
//! with a brace is JSON. In YAML, `true` and `false` alone are booleans (not `yes` or `on`), keys
//! are the text they are written as, and a file is one document.
//!
//! # How large it may be
//!
//! A file in JSON may have 256 MiB, all files together what one transfer may have (256 MiB of flags
//! and segments, 1,000,000 of them, B 1.13), and one flag or segment 16 MiB. A file in YAML may
//! have 16 MiB, a depth of 64, and with its aliases written out 32 MiB of text; 200,000 values and
//! keys may stand behind anchors, and aliases may add as many (an object or array counts twice).
//!
//! # When a file changes
//!
//! It is looked at again and again, and read when its times, its size or what its name leads to
//! differ: an atomic rename and a swapped link (as in a mounted ConfigMap) are edits like any
//! other. A file that is missing, empty, half written or otherwise not good changes nothing, and
//! the fault is told with file, line and column (B 4.6). As the beginning of a YAML file may itself
//! be good YAML, one that was edited or just written has to be the same at two looks.

mod attempt;
mod error;
mod item;
mod json;
mod parse;
mod place;
mod read;
mod set;
mod source;
mod stamp;
mod watch;
mod yaml;

pub use error::{FileError, Position};
pub use item::{FileItem, ItemId};
pub use set::{DuplicateKeys, parse};
pub use source::FileSource;
pub use watch::{Load, State, Watcher};
