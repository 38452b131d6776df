//! The vectors of B 1.16, 1.10, 1.12, 1.13, 8.3, each fed at every split.

use bytes::Bytes;

use super::{Frame, Parser, SseError};

/// What a stream told: frames as text, with the last event id, and the error that ended it.
#[derive(Debug, Default, PartialEq)]
struct Told {
    events: Vec<(String, String, String)>,
    retries: Vec<u128>,
    comments: usize,
    error: Option<SseError>,
}

fn feed<'a>(limit: usize, pieces: impl IntoIterator<Item = &'a [u8]>) -> Told {
    let mut parser = Parser::new(limit);
    let mut told = Told::default();
    for piece in pieces {
        parser.push(Bytes::copy_from_slice(piece));
        loop {
            match parser.next() {
                Ok(None) => break,
                Ok(Some(Frame::Event { name, data })) => {
                    let event = (name.to_owned(), data.to_owned());
                    told.events.push((event.0, event.1, parser.last_event_id().to_owned()));
                }
                Ok(Some(Frame::Retry(delay))) => told.retries.push(delay.as_millis()),
                Ok(Some(Frame::Comment)) => told.comments += 1,
                Err(error) => {
                    assert_eq!(parser.next(), Err(error), "an error stays");
                    told.error = Some(error);
                    return told;
                }
            }
        }
    }
    told
}

/// Feeds the whole, each one-cut and two-cut split, and byte by byte: all must tell the same.
fn told_at_every_split(limit: usize, stream: &[u8]) -> Told {
    let whole = feed(limit, [stream]);
    assert_eq!(feed(limit, stream.chunks(1)), whole, "byte by byte");
    for first in 0..=stream.len() {
        for second in first..=stream.len() {
            let pieces = [&stream[..first], &stream[first..second], &stream[second..]];
            assert_eq!(feed(limit, pieces), whole, "cut at {first} and {second}");
        }
    }
    whole
}

fn events_of(stream: impl AsRef<[u8]>) -> Vec<(String, String)> {
    let told = told_at_every_split(1 << 20, stream.as_ref());
    assert_eq!(told.error, None);
    told.events.into_iter().map(|(name, data, _)| (name, data)).collect()
}

fn owned(events: &[(&str, &str)]) -> Vec<(String, String)> {
    events.iter().map(|(name, data)| ((*name).to_owned(), (*data).to_owned())).collect()
}

#[test]
fn s01_crlf_may_be_cut_anywhere() {
    let stream = "event: put-object\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\n";
    assert_eq!(events_of(stream), owned(&[("put-object", "{\"a\":\n1}")]));
}

#[test]
fn every_line_end_ends_a_line_and_may_be_mixed() {
    assert_eq!(events_of("data: 1\r\rdata: 2\n\r\ndata: 3\r\n\n"), {
        owned(&[("message", "1"), ("message", "2"), ("message", "3")])
    });
}

#[test]
fn only_the_lf_directly_after_a_cr_belongs_to_it() {
    assert_eq!(events_of("data: 1\r\n\ndata: 2\r\n\r\n"), {
        owned(&[("message", "1"), ("message", "2")])
    });
}

#[test]
fn a_cr_ends_an_event_as_soon_as_it_is_seen() {
    let mut parser = Parser::new(100);
    parser.push(Bytes::from_static(b"data: 1\r\r"));
    assert_eq!(parser.next(), Ok(Some(Frame::Event { name: "message", data: "1" })));
    assert_eq!(parser.next(), Ok(None));
}

#[test]
fn s03_a_character_may_be_cut_anywhere() {
    assert_eq!(events_of("data: \"é😀\"\n\n"), owned(&[("message", "\"é😀\"")]));
}

#[test]
fn s04_a_byte_order_mark_is_dropped_once_and_at_the_start_only() {
    let stream = "\u{feff}event: a\ndata: 1\n\n\u{feff}event: b\ndata: 2\n\n";
    assert_eq!(events_of(stream), owned(&[("a", "1"), ("message", "2")]));
    assert_eq!(events_of(b"\xef\xbb"), []);
    assert_eq!(events_of(b"\xef\xbb\ndata: 1\n\n"), owned(&[("message", "1")]));
    assert_eq!(events_of(b"\xefdata: 0\ndata: 1\n\n"), owned(&[("message", "1")]));
    assert_eq!(events_of("\u{feff}\u{feff}data: 0\n\ndata: 1\n\n"), owned(&[("message", "1")]));
}

#[test]
fn s05_data_lines_are_joined_and_a_field_needs_no_colon() {
    assert_eq!(events_of("data:\ndata:\ndata: hi\n\n"), owned(&[("message", "\n\nhi")]));
    assert_eq!(events_of("data\n\n"), owned(&[("message", "")]));
    assert_eq!(events_of("data\ndata\n\n"), owned(&[("message", "\n")]));
    assert_eq!(events_of("event: a\nevent\ndata: 1\n\n"), owned(&[("message", "1")]));
}

#[test]
fn s07_an_id_lasts_until_the_next_and_one_with_nul_is_ignored() {
    let ids = |stream: &[u8]| -> Vec<String> {
        told_at_every_split(100, stream).events.into_iter().map(|(_, _, id)| id).collect()
    };
    assert_eq!(ids(b"id: 7\nid: b\0d\ndata: k\n\n"), ["7"]);
    assert_eq!(ids(b"id: 7\ndata: k\n\ndata: m\n\nid\ndata: n\n\n"), ["7", "7", ""]);
    assert_eq!(ids(b"id: 7\n\ndata: k\n\n"), ["7"]);
}

#[test]
fn s08_comments_disturb_nothing() {
    let stream = b": c1\ndata: 1\n:c2\ndata: 2\n\n:\n\n";
    let told = told_at_every_split(100, stream);
    assert_eq!(told.events, [("message".to_owned(), "1\n2".to_owned(), String::new())]);
    assert_eq!(told.comments, 3);
}

#[test]
fn s09_retry_is_handed_out_as_it_came_if_it_is_a_number() {
    let retries = |stream: &str| told_at_every_split(100, stream.as_bytes()).retries;
    assert_eq!(retries("retry: 0\n"), [0]);
    assert_eq!(retries("retry:86400000\r\n"), [86_400_000]);
    assert_eq!(retries("retry: 99999999999999999999\n"), [u128::from(u64::MAX)]);
    for ignored in ["retry: 12x\n", "retry: 1e3\n", "retry:\n", "retry\n", "retry: -5\n"] {
        assert_eq!(retries(ignored), [] as [u128; 0], "{ignored}");
    }
    assert_eq!(retries("retry:  5\nretry: 5 \nretry: ٥\nretry: 1"), [] as [u128; 0]);
}

#[test]
fn s10_exactly_one_leading_space_is_dropped() {
    let stream = "data:  two\n\ndata:x\n\ndata: y \n\ndata: \n\n";
    assert_eq!(events_of(stream), {
        owned(&[("message", " two"), ("message", "x"), ("message", "y "), ("message", "")])
    });
}

#[test]
fn s11_one_read_may_hold_many_events_and_many_reads_one() {
    let frame = |n: usize| format!("event: put-object\ndata: {{\"version\":{n}}}\n\n");
    let stream: String = (0..50).map(frame).collect();
    let whole = feed(1000, [stream.as_bytes()]);
    assert_eq!(whole.events.len(), 50);
    assert_eq!(feed(1000, stream.as_bytes().chunks(7)), whole);
}

#[test]
fn s12_a_name_without_data_does_not_reach_the_next_event() {
    assert_eq!(events_of("event: note\n\ndata: q\n\n"), owned(&[("message", "q")]));
}

#[test]
fn unknown_fields_are_ignored_whatever_their_length() {
    let stream = "datum: 1\ndat: 2\ndata2: 3\nDATA: 4\n data: 5\nevents\ndata: 6\n\n";
    assert_eq!(events_of(stream), owned(&[("message", "6")]));
}

#[test]
fn b_1_12_an_event_that_no_blank_line_has_ended_is_not_told() {
    assert_eq!(events_of("data: 1\n\ndata: 2\n"), owned(&[("message", "1")]));
}

#[test]
fn b_1_10_text_that_is_not_utf8_is_an_error_after_the_events_before_it() {
    let faulty: [&[u8]; 4] = [
        b"data: 1\n\ndata: \xff\n\n",
        b"data: 1\n\nevent: \xe9\ndata: 2\n\n",
        b"data: 1\n\nid: \xf0\x9f\x98\ndata: 2\n\n",
        b"data: 1\n\ndata: \xed\xa0\x80\n\n",
    ];
    for stream in faulty {
        let told = told_at_every_split(100, stream);
        assert_eq!(told.events.len(), 1);
        assert_eq!(told.error, Some(SseError::NotUtf8));
    }
}

#[test]
fn what_is_not_decoded_may_hold_any_bytes() {
    let told = told_at_every_split(100, b":\xff\n\xff: 1\nfoo: \xff\ndata: 1\n\n");
    assert_eq!(told.events.len(), 1);
    assert_eq!(told.error, None);
}

#[test]
fn b_1_13_the_limit_covers_all_fields_of_an_event_together() {
    let told = told_at_every_split(20, b"data: 456789\ndata: 90\n\ndata: 1\n\n");
    assert_eq!((told.events.len(), told.error), (2, None));
    let over: [&[u8]; 5] = [
        b"data: 1\n\ndata: 456789\ndata: 890\n",
        b"data: 1\n\ndata: 45678901234567890",
        b"data: 1\n\nevent: 0\nevent: 0\nevent: 0\n",
        b"data: 1\n\nevent: 789\nid: 56789\nid\n",
        b"data: 1\n\ndata\ndata\ndata\ndata\ndata\ndata\n",
    ];
    for stream in over {
        let told = told_at_every_split(20, stream);
        assert_eq!(told.events.len(), 1, "{}", stream.escape_ascii());
        assert_eq!(told.error, Some(SseError::TooLarge { limit: 20 }));
    }
}

#[test]
fn b_1_13_an_endless_line_of_any_kind_is_an_error_and_none_of_it_is_kept() {
    for start in [":", "unknown", "data: ", "event: ", "id: ", "retry: "] {
        let mut parser = Parser::new(1 << 20);
        parser.push(Bytes::from(start));
        let mut fed = 0;
        while parser.next() == Ok(None) {
            parser.push(Bytes::from_static(&[b'1'; 4096]));
            fed += 4096;
            assert!(fed <= (1 << 20) + 4096, "{start}");
        }
        assert_eq!(parser.next(), Err(SseError::TooLarge { limit: 1 << 20 }));
    }
}

#[test]
fn r05_keep_alives_do_not_add_up_to_the_limit() {
    let mut parser = Parser::new(16);
    for _ in 0..1000 {
        parser.push(Bytes::from_static(b":\nunknown: 1\n"));
        assert_eq!(parser.next(), Ok(Some(Frame::Comment)));
        assert_eq!(parser.next(), Ok(None));
    }
    assert_eq!(parser.open_event(), None);
}

#[test]
fn the_open_event_tells_what_has_come_in() {
    let mut parser = Parser::new(100);
    let mut open_after = |text: &'static str| {
        parser.push(Bytes::from_static(text.as_bytes()));
        while parser.next().unwrap().is_some() {}
        parser.open_event().map(|open| (open.name.map(str::to_owned), open.bytes, open.fresh))
    };
    assert_eq!(open_after(": comment\n"), None);
    assert_eq!(open_after("event: heart"), Some((None, 12, 12)));
    assert_eq!(open_after("beat\n"), Some((Some("heartbeat".to_owned()), 16, 5)));
    assert_eq!(open_after(":\n"), Some((Some("heartbeat".to_owned()), 16, 0)));
    assert_eq!(open_after("data: {}\n"), Some((Some("heartbeat".to_owned()), 24, 9)));
    assert_eq!(open_after("event: b\n"), Some((Some("heartbeat".to_owned()), 32, 9)));
    assert_eq!(open_after("\n"), None);
    assert_eq!(open_after("data: 1\n\ndata: 2"), Some((None, 7, 7)));
    assert_eq!(open_after("\n\n"), None);
}

#[test]
fn chunks_may_be_pushed_before_frames_are_pulled() {
    let mut parser = Parser::new(100);
    for chunk in ["da", "", "ta: 1", "\n", "\ndata: 2\n\n"] {
        parser.push(Bytes::from(chunk));
    }
    assert_eq!(parser.next(), Ok(Some(Frame::Event { name: "message", data: "1" })));
    assert_eq!(parser.clone(), parser);
    assert_eq!(parser.next(), Ok(Some(Frame::Event { name: "message", data: "2" })));
    assert_eq!(parser.next(), Ok(None));
}

#[test]
fn an_event_within_one_chunk_is_not_copied() {
    let mut parser = Parser::new(100);
    let chunk = Bytes::from_static(b"event: a\n: comment\ndata: 123\nid: 1\n\n");
    let bounds = chunk.as_ptr_range();
    parser.push(chunk);
    assert_eq!(parser.next(), Ok(Some(Frame::Comment)));
    let Ok(Some(Frame::Event { data, .. })) = parser.next() else { panic!("an event") };
    assert!(bounds.contains(&data.as_ptr()));
}
