//! From the text of a flag file to its items.

use std::collections::BTreeSet;
use std::path::Path;

use fdv2_core::model::Kind;

use crate::Position;
use crate::error::Fault;
use crate::item::{BEFORE_VALUE, FileItem, flag_of_value};
use crate::json::{Member, Members};
use crate::place::{Places, split_told};
use crate::yaml::{self, Converted, Marks};

/// The largest flag or segment, as one event on the wire (B 1.13).
const MAX_ITEM: usize = 16 << 20;

/// How a flag file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Json,
    Yaml,
}

impl Format {
    /// The format that the file's name tells; else JSON if the text begins with a brace.
    pub(crate) fn of(path: &Path, bytes: &[u8]) -> Self {
        let extension = path.extension().and_then(|extension| extension.to_str());
        match extension.map(str::to_ascii_lowercase).as_deref() {
            Some("json") => Self::Json,
            Some("yaml" | "yml") => Self::Yaml,
            _ if without_mark(bytes).trim_ascii_start().starts_with(b"{") => Self::Json,
            _ => Self::Yaml,
        }
    }
}

/// The items of a flag file, in the order in which they stand in it.
///
/// # Errors
/// A [`Fault`] if it cannot be used as it is. No part of a file in JSON is a good file.
pub(crate) fn parse(bytes: &[u8], format: Format) -> Result<Vec<FileItem>, Fault> {
    let bytes = without_mark(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let position = Places::new(bytes).of(error.valid_up_to());
        Fault::at(position, "this byte is not UTF-8; save the file as UTF-8")
    })?;
    if text.trim_ascii().is_empty() {
        return Err(Fault::of_file("the file is empty"));
    }
    match format {
        Format::Json => Found::new(text, Origin::Json(Places::new(text.as_bytes()))).read(),
        Format::Yaml => {
            let Converted { json, marks } = yaml::convert(text)?;
            Found::new(&json, Origin::Yaml(marks)).read()
        }
    }
}

fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// Where a piece of JSON comes from.
enum Origin<'a> {
    Json(Places<'a>),
    Yaml(Marks),
}

struct Found<'a> {
    json: &'a str,
    origin: Origin<'a>,
    items: Vec<FileItem>,
    is_any: bool,
}

impl<'a> Found<'a> {
    fn new(json: &'a str, origin: Origin<'a>) -> Self {
        Self { json, origin, items: Vec::new(), is_any: false }
    }

    fn read(mut self) -> Result<Vec<FileItem>, Fault> {
        const WANTED: &str = "\"flags\", \"segments\" and \"flagValues\"";
        let Members(parts) = serde_json::from_str(self.json).map_err(|error| {
            if error.is_data() {
                return self.fault(0, format!("a flag file is an object with {WANTED} in it"));
            }
            self.fault_told(0, self.json, &format!("not valid JSON: {error}"))
        })?;
        for part in &parts {
            self.take_part(part)?;
        }
        if !self.is_any {
            return Err(Fault::of_file(format!("there is none of {WANTED} in it")));
        }
        Ok(self.items)
    }

    fn take_part(&mut self, part: &Member<'a>) -> Result<(), Fault> {
        match &*part.name {
            "flags" => self.take_items(Kind::Flag, part),
            "segments" => self.take_items(Kind::Segment, part),
            "flagValues" => self.take_values(part),
            _ => Ok(()),
        }
    }

    fn take_items(&mut self, kind: Kind, part: &Member<'a>) -> Result<(), Fault> {
        for Member { name, value } in self.members(kind, part)? {
            let offset = self.offset(value.get());
            let position = self.place_of(offset);
            let item = FileItem::new(kind, &name, value.get(), position)
                .map_err(|error| self.fault_told(offset, value.get(), &error.to_string()))?;
            self.items.push(item);
        }
        Ok(())
    }

    fn take_values(&mut self, part: &Member<'a>) -> Result<(), Fault> {
        for Member { name, value } in self.members(Kind::Flag, part)? {
            let offset = self.offset(value.get());
            let position = self.place_of(offset);
            let flag = flag_of_value(value.get());
            let item = FileItem::new(Kind::Flag, &name, &flag, position).map_err(|error| {
                let told = error.to_string();
                let (message, inside) = split_told(&flag, &told);
                self.fault(offset + inside.saturating_sub(BEFORE_VALUE.len()), message)
            })?;
            self.items.push(item);
        }
        Ok(())
    }

    /// The members of one part, each with a key of its own and of a size that can be.
    fn members(&mut self, kind: Kind, part: &Member<'a>) -> Result<Vec<Member<'a>>, Fault> {
        self.is_any = true;
        let Members(members) = serde_json::from_str(part.value.get()).map_err(|error| {
            let offset = self.offset(part.value.get());
            if error.is_data() {
                let what =
                    format!("{:?} must be an object with one member for each key", part.name);
                return self.fault(offset, what);
            }
            self.fault_told(offset, part.value.get(), &format!("not valid JSON: {error}"))
        })?;
        let mut names = BTreeSet::new();
        for Member { name, value } in &members {
            let what = if !names.insert(name) {
                format!("there is a second {} {name:?} in the same place", kind.name())
            } else if value.get().len() > MAX_ITEM {
                format!("{} {name:?} is larger than 16 MiB", kind.name())
            } else {
                continue;
            };
            return Err(self.fault(self.offset(value.get()), what));
        }
        Ok(members)
    }

    /// Where a piece of the text begins in it.
    fn offset(&self, piece: &str) -> usize {
        piece.as_ptr().addr().saturating_sub(self.json.as_ptr().addr())
    }

    fn place_of(&mut self, offset: usize) -> Position {
        match &mut self.origin {
            Origin::Json(places) => places.of(offset),
            Origin::Yaml(marks) => marks.place_of(offset),
        }
    }

    fn fault(&mut self, offset: usize, message: impl Into<String>) -> Fault {
        Fault::at(self.place_of(offset), message)
    }

    /// A fault in the piece of JSON at `offset`, told as serde_json does: with the place at its
    /// end, counted from where the piece begins.
    fn fault_told(&mut self, offset: usize, piece: &str, told: &str) -> Fault {
        let (message, inside) = split_told(piece, told);
        self.fault(offset + inside, message)
    }
}

#[cfg(test)]
mod tests;
