//! Any bytes as an event stream (B 1.10, 1.13, 1.16).

use bytes::Bytes;
use fdv2_core::sse::{Frame, Parser, SseError};

use super::cuts::Input;
use super::naive_sse;

/// What a stream told, in order, and the error that ended it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// Name, data and last id of each event.
    pub events: Vec<(String, String, String)>,
    /// The milliseconds of each `retry`.
    pub retries: Vec<u64>,
    /// How many comments there were.
    pub comments: usize,
    /// Why it ended early.
    pub error: Option<SseError>,
}

/// What the parser tells of these pieces.
///
/// # Panics
/// If the parser holds more than its limit allows, or goes on after an error.
pub fn told(limit: usize, pieces: impl IntoIterator<Item = Bytes>) -> Told {
    let mut parser = Parser::new(limit);
    let mut told = Told::default();
    for piece in pieces {
        parser.push(piece);
        if let Err(error) = pull(&mut parser, &mut told) {
            assert_eq!(parser.next(), Err(error), "an error stays");
            told.error = Some(error);
            return told;
        }
        let open = parser.open_event().map_or(0, |open| open.bytes);
        assert!(open <= limit, "{open} bytes of an event are over the limit of {limit}");
    }
    // Six characters a byte is the most that `Debug` makes of one.
    let held = format!("{parser:?}").len();
    let id = parser.last_event_id().len();
    assert!(held <= 1000 + 6 * (2 * limit + id), "the parser holds {held} characters");
    told
}

fn pull(parser: &mut Parser, told: &mut Told) -> Result<(), SseError> {
    loop {
        match parser.next()? {
            None => return Ok(()),
            Some(Frame::Comment) => told.comments += 1,
            Some(Frame::Retry(delay)) => {
                told.retries.push(u64::try_from(delay.as_millis()).unwrap_or(u64::MAX));
            }
            Some(Frame::Event { name, data }) => {
                let (name, data) = (name.to_owned(), data.to_owned());
                told.events.push((name, data, parser.last_event_id().to_owned()));
            }
        }
    }
}

/// However it is cut, a stream tells the same, and that is what the naive parser says.
///
/// # Panics
/// If it does not.
pub fn sse(input: &[u8]) {
    let input = Input::new(input);
    let whole = told(input.limit, input.whole());
    assert_eq!(told(input.limit, input.pieces()), whole, "cut or whole");
    assert_eq!(naive_sse::told(input.limit, input.body), whole, "naive or not");
}
