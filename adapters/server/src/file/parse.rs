//! From the text of a flag file to its items.

use fdv2_core::model::Kind;

use super::error::Fault;
use super::item::FileItem;
use super::json::{Member, Members};

/// The items of a flag file, in the order of their ids.
pub(super) fn parse(bytes: &[u8]) -> Result<Vec<FileItem>, Fault> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| {
        Fault::at(bytes, error.valid_up_to(), "this byte is not UTF-8; save the file as UTF-8")
    })?;
    if text.trim_ascii().is_empty() {
        return Err(Fault::of_file("the file is empty"));
    }
    let Members(parts) = serde_json::from_str(text).map_err(|error: serde_json::Error| {
        Fault::in_json(bytes, 0, &format!("not valid JSON: {error}"))
    })?;
    let mut found = Found { text, items: Vec::new(), is_any: false };
    for part in &parts {
        found.take_part(part)?;
    }
    found.finish()
}

struct Found<'a> {
    text: &'a str,
    items: Vec<(FileItem, usize)>,
    is_any: bool,
}

impl<'a> Found<'a> {
    fn take_part(&mut self, part: &Member<'a>) -> Result<(), Fault> {
        match &*part.name {
            "flags" => self.take_items(Kind::Flag, part),
            "segments" => self.take_items(Kind::Segment, part),
            "flagValues" => self.take_values(part),
            _ => Ok(()),
        }
    }

    fn take_items(&mut self, kind: Kind, part: &Member<'a>) -> Result<(), Fault> {
        for Member { name, value } in self.members(part)? {
            let offset = self.offset(value.get());
            let item = FileItem::new(kind, &name, value.get()).map_err(|error| {
                Fault::in_json(self.text.as_bytes(), offset, &error.to_string())
            })?;
            self.items.push((item, offset));
        }
        Ok(())
    }

    fn take_values(&mut self, part: &Member<'a>) -> Result<(), Fault> {
        for Member { name, value } in self.members(part)? {
            let offset = self.offset(value.get());
            self.items.push((FileItem::of_value(&name, value.get()), offset));
        }
        Ok(())
    }

    fn members(&mut self, part: &Member<'a>) -> Result<Vec<Member<'a>>, Fault> {
        self.is_any = true;
        let parsed: Result<Members<'a>, _> = serde_json::from_str(part.value.get());
        let refuse = |_| {
            let what =
                format!("{:?} must be a JSON object with one member for each key", part.name);
            self.fault(self.offset(part.value.get()), what)
        };
        parsed.map(|Members(members)| members).map_err(refuse)
    }

    /// Where a piece of the text begins in it.
    fn offset(&self, piece: &str) -> usize {
        piece.as_ptr().addr().saturating_sub(self.text.as_ptr().addr())
    }

    fn fault(&self, offset: usize, message: String) -> Fault {
        Fault::at(self.text.as_bytes(), offset, message)
    }

    fn finish(mut self) -> Result<Vec<FileItem>, Fault> {
        if !self.is_any {
            let what = "there is none of \"flags\", \"segments\" and \"flagValues\" in it";
            return Err(Fault::of_file(what));
        }
        self.items.sort_by(|(a, _), (b, _)| a.id.cmp(&b.id));
        for pair in self.items.windows(2) {
            if let [(first, _), (second, offset)] = pair
                && first.id == second.id
            {
                let what =
                    format!("there is a second {} {:?}", second.id.kind.name(), second.id.key);
                return Err(self.fault(*offset, what));
            }
        }
        Ok(self.items.into_iter().map(|(item, _)| item).collect())
    }
}

#[cfg(test)]
mod tests;
