//! What the parser of event streams allocates.

use std::hint::black_box;

use bytes::Bytes;
use fdv2_core::sse::{Frame, Parser};
use fdv2_tests::typical;

const EVENT_LIMIT: usize = 16 << 20;

/// Allocations and bytes while this is read, and how many events that were. The parser is dropped
/// after that.
fn reading(chunks: Vec<Bytes>) -> (u64, u64, usize) {
    let mut parser = Parser::new(EVENT_LIMIT);
    let mut events = 0;
    let info = allocation_counter::measure(|| {
        for chunk in chunks {
            parser.push(chunk);
            while let Some(frame) = parser.next().unwrap() {
                events += usize::from(matches!(black_box(frame), Frame::Event { .. }));
            }
        }
    });
    (info.count_total, info.bytes_total, events)
}

/// R02: what is left of a read is not copied for each event in it.
#[test]
fn r02_many_events_in_one_read_cost_in_proportion() {
    let (few, few_bytes, few_events) = reading(vec![typical::small_puts(10_000)]);
    let (many, many_bytes, many_events) = reading(vec![typical::small_puts(40_000)]);
    assert_eq!((few_events, many_events), (10_000, 40_000));
    assert!(many <= 4 * few + 100, "{few} allocations became {many}");
    assert!(many_bytes <= 6 * few_bytes + 1000, "{few_bytes} bytes became {many_bytes}");
}

/// R05: a million of them, for the one queue that the parser has.
#[test]
fn r05_keep_alives_cost_nothing() {
    let keep_alives = Bytes::from(":\n\n".repeat(10_000));
    let (allocations, bytes, events) = reading(vec![keep_alives; 100]);
    assert_eq!(events, 0);
    assert!(allocations <= 1 && bytes <= 1000, "{allocations} allocations, {bytes} bytes");
}
