//! Requests as they came.

use std::io::{self, Read};
use std::time::Instant;

/// More than any client of ours sends.
const MAX_HEAD: usize = 64 << 10;
const MAX_BODY: u64 = 16 << 20;

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Received {
    /// The method.
    pub method: String,
    /// The target as it stands in the request line, with its query.
    pub target: String,
    /// Names in lower case, values as they came, in order.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body, where its length is told.
    pub body: Vec<u8>,
    /// When its head was complete.
    pub at: Instant,
}

impl Received {
    /// The path, still encoded.
    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// The query, still encoded.
    pub fn query(&self) -> Option<&str> {
        self.target.split_once('?').map(|(_, query)| query)
    }

    /// The values of a query parameter, decoded.
    pub fn parameter(&self, name: &str) -> Vec<String> {
        url::form_urlencoded::parse(self.query().unwrap_or_default().as_bytes())
            .filter(|(key, _)| key == name)
            .map(|(_, value)| value.into_owned())
            .collect()
    }

    /// The first value of a header, which has to be text.
    pub fn header(&self, name: &str) -> Option<&str> {
        let (_, value) = self.headers.iter().find(|(key, _)| key == name)?;
        std::str::from_utf8(value).ok()
    }

    /// Reads a request; `None` when the client has left.
    pub(super) fn read(from: &mut dyn Read) -> io::Result<Option<Self>> {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            let is_over = from.read(&mut byte)? == 0;
            head.extend(byte);
            // A method begins with a letter; TLS where none was expected does not.
            if is_over
                || head.len() > MAX_HEAD
                || !head.first().is_some_and(u8::is_ascii_alphabetic)
            {
                return Ok(None);
            }
        }
        let Some(mut request) = Self::parse(&head) else { return Ok(None) };
        let length = request.header("content-length").and_then(|length| length.parse().ok());
        from.take(length.unwrap_or(0).min(MAX_BODY)).read_to_end(&mut request.body)?;
        Ok(Some(request))
    }

    fn parse(head: &[u8]) -> Option<Self> {
        let mut lines = head.split(|byte| *byte == b'\n').map(|line| line.trim_ascii_end());
        let line = String::from_utf8(lines.next()?.to_vec()).ok()?;
        let mut words = line.split(' ');
        let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
        let headers = lines.filter_map(header).collect();
        Some(Self { method, target, headers, body: Vec::new(), at: Instant::now() })
    }
}

fn header(line: &[u8]) -> Option<(String, Vec<u8>)> {
    let colon = line.iter().position(|byte| *byte == b':')?;
    let (name, value) = line.split_at(colon);
    let name = std::str::from_utf8(name).ok()?.to_ascii_lowercase();
    Some((name, value.get(1..)?.trim_ascii().to_vec()))
}
