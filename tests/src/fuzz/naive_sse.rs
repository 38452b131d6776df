//! The event stream as the standard puts it, line by line over the whole text: slow and plain.

#![expect(clippy::indexing_slicing, reason = "a harness fails by panicking")]

use fdv2_core::sse::SseError;

use super::Told;

/// What a stream tells, parsed naively.
pub fn told(limit: usize, stream: &[u8]) -> Told {
    let mut stream = stream.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(stream);
    let mut naive = Naive { limit, ..Naive::default() };
    while let Some((line, rest)) = split_line(stream) {
        stream = rest;
        if let Err(error) = naive.line(line) {
            naive.told.error = Some(error);
            return naive.told;
        }
    }
    if let Err(error) = naive.unfinished(stream) {
        naive.told.error = Some(error);
    }
    naive.told
}

fn split_line(stream: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = stream.iter().position(|byte| matches!(byte, b'\r' | b'\n'))?;
    let (line, rest) = (&stream[..end], &stream[end..]);
    Some((line, rest.strip_prefix(b"\r\n").unwrap_or(&rest[1..])))
}

#[derive(Default)]
struct Naive {
    limit: usize,
    told: Told,
    size: usize,
    name: String,
    data: Vec<Vec<u8>>,
    id: Option<String>,
    last_id: String,
}

impl Naive {
    fn line(&mut self, line: &[u8]) -> Result<(), SseError> {
        if line.is_empty() {
            return self.dispatch();
        }
        self.charge(line)?;
        let colon = line.iter().position(|byte| *byte == b':');
        let (field, value) = match colon {
            Some(at) => (&line[..at], &line[at + 1..]),
            None => (line, &[][..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"" => self.told.comments += 1,
            b"data" => self.data.push(value.to_vec()),
            b"event" => self.name = text(value)?,
            b"id" if value.contains(&0) => {}
            b"id" => self.id = Some(text(value)?),
            b"retry" => self.retry(value),
            _ => {}
        }
        Ok(())
    }

    fn retry(&mut self, value: &[u8]) {
        if !value.is_empty() && value.iter().all(u8::is_ascii_digit) {
            let digits = String::from_utf8_lossy(value).into_owned();
            self.told.retries.push(digits.parse().unwrap_or(u64::MAX));
        }
    }

    /// Known fields of an event add up; any other line counts for itself, once it is known to be
    /// one.
    fn charge(&mut self, line: &[u8]) -> Result<(), SseError> {
        let field = line.split(|byte| *byte == b':').next().unwrap_or_default();
        if [&b"data"[..], b"event", b"id", b"retry"].contains(&field) {
            self.size += line.len();
        }
        let is_short = line.len() <= 5 && !line.contains(&b':');
        let is_over = !is_short && line.len() > self.limit;
        if is_over || self.size > self.limit {
            return Err(SseError::TooLarge { limit: self.limit });
        }
        Ok(())
    }

    /// The last line, which nothing has ended: it counts as soon as its kind is known.
    fn unfinished(&mut self, line: &[u8]) -> Result<(), SseError> {
        if line.contains(&b':') || line.len() > 5 { self.charge(line) } else { Ok(()) }
    }

    fn dispatch(&mut self) -> Result<(), SseError> {
        self.size = 0;
        if let Some(id) = self.id.take() {
            self.last_id = id;
        }
        let (name, lines) = (std::mem::take(&mut self.name), std::mem::take(&mut self.data));
        if lines.is_empty() {
            return Ok(());
        }
        let name = if name.is_empty() { "message".to_owned() } else { name };
        self.told.events.push((name, text(&lines.join(&b'\n'))?, self.last_id.clone()));
        Ok(())
    }
}

fn text(bytes: &[u8]) -> Result<String, SseError> {
    String::from_utf8(bytes.to_vec()).map_err(|_| SseError::NotUtf8)
}
