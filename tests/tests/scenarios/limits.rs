//! B 1.13: going over a limit is invalid data, on each way in.

use fdv2_core::status::{ErrorKind, SourceState};
use fdv2_core::{Limits, TransportErrorKind};
use fdv2_tests::sim::wire::*;
use fdv2_tests::sim::{Reply, Sim, config, poll, stream};
use serde_json::json;

type WayIn = fn(Vec<Item>) -> Reply;

/// The three ways in: each turns the items into the answer of its source.
fn ways_in() -> [(&'static str, WayIn); 3] {
    [
        ("stream", |items| Reply::stream(full("s1", items))),
        ("poll", |items| Reply::poll(full("s1", items))),
        ("fdv1", Reply::fdv1),
    ]
}

/// A system with these limits, started, whose first answer that way holds these items.
fn receiving(limits: Limits, way: &str, reply: Reply) -> Sim {
    let configured = match way {
        "poll" => config().synchronizer(poll("a")),
        _ => config().synchronizer(stream("a")).fdv1(poll("v1")),
    };
    let mut sim = Sim::new(configured.limits(limits));
    if way == "fdv1" {
        sim.serve_always("a", Reply::status(500).directive()).serve_always("v1", reply);
    } else {
        sim.serve_always("a", reply);
    }
    sim.start();
    sim
}

/// Within `limits` with `good` items, over them with `bad` ones, on each way in.
fn assert_bounded(limits: Limits, good: Vec<Item>, bad: Vec<Item>) {
    for (way, reply) in ways_in() {
        let count = good.iter().filter(|item| item.kind == "flag").count();
        let sim = receiving(limits, way, reply(good.clone()));
        assert_eq!(sim.flags().len(), count, "{way}: {sim:?}");
        assert_eq!(sim.state(), SourceState::Valid, "{way}");
        let sim = receiving(limits, way, reply(bad.clone()));
        assert_eq!(sim.flags(), [], "{way}");
        assert_eq!(sim.error_kind(), Some(ErrorKind::InvalidData), "{way}: {sim:?}");
        assert_eq!(sim.state(), SourceState::Initializing, "{way}");
    }
}

fn flags(count: usize) -> Vec<Item> {
    (0..count).map(|n| on(&format!("f{n}"))).collect()
}

/// A flag of about this many bytes.
fn large(key: &str, bytes: usize) -> Item {
    on(key).with("salt", json!("x".repeat(bytes)))
}

/// B 1.13: the defaults.
#[test]
fn each_limit_has_the_default_of_the_rules() {
    let (kibi, mebi) = (1024, 1024 * 1024);
    let defaults = Limits {
        event_bytes: 16 * mebi,
        transfer_bytes: 256 * mebi,
        transfer_objects: 1_000_000,
        held_bytes: 512 * mebi,
        held_objects: 1_000_000,
        head_bytes: 256 * kibi,
        selector_bytes: 8 * kibi,
    };
    assert_eq!(Limits::default(), defaults);
}

/// B 1.13.
#[test]
fn one_event_is_bounded() {
    let limits = Limits { event_bytes: 10_000, ..Limits::default() };
    assert_bounded(limits, vec![large("f1", 9000)], vec![large("f1", 10_001)]);
}

/// B 1.13: an event that never ends is not waited for.
#[test]
fn an_event_over_the_limit_ends_the_attempt_before_it_ends() {
    let limits = Limits { event_bytes: 10_000, ..Limits::default() };
    let endless =
        Reply::stream([intent("xfer-full")]).bytes(format!("data: {}", "x".repeat(10_100)));
    let sim = receiving(limits, "stream", endless);
    assert_eq!(sim.error_kind(), Some(ErrorKind::InvalidData));
    assert_eq!(sim.live(), None);
}

/// B 1.13.
#[test]
fn the_bytes_of_one_transfer_are_bounded() {
    let limits = Limits { transfer_bytes: 10_000, ..Limits::default() };
    let good = vec![large("f1", 4000), large("f2", 4000)];
    let bad = vec![large("f1", 4000), large("f2", 4000), large("f3", 4000)];
    assert_bounded(limits, good, bad);
}

/// B 1.13: also when the transfer holds the same object again and again.
#[test]
fn the_objects_of_one_transfer_are_bounded() {
    let limits = Limits { transfer_objects: 10, ..Limits::default() };
    assert_bounded(limits, flags(10), flags(11));
    let again: Vec<Item> = (0..11).map(|_| on("f1")).collect();
    let sim = receiving(limits, "stream", Reply::stream(full("s1", again)));
    assert_eq!(sim.flags(), []);
    let deletes = (0..11).map(|n| delete(&format!("f{n}"), 1));
    let events = [intent("xfer-full")].into_iter().chain(deletes).chain([transferred("s1", 1)]);
    assert_eq!(receiving(limits, "stream", Reply::stream(events)).snapshots(), 0);
}

/// B 1.13.
#[test]
fn the_data_held_is_bounded() {
    let limits = Limits { held_objects: 10, ..Limits::default() };
    assert_bounded(limits, flags(10), flags(11));
    let limits = Limits { held_bytes: 10_000, ..Limits::default() };
    let good = vec![large("f1", 4000), large("f2", 4000)];
    let bad = vec![large("f1", 4000), large("f2", 4000), large("f3", 4000)];
    assert_bounded(limits, good, bad);
}

/// B 1.13: growth by changes is bounded too. What was deleted counts until the next full change set,
/// for it stays as a tombstone (B 9.6).
#[test]
fn the_data_held_is_bounded_over_many_transfers() {
    let limits = Limits { held_objects: 10, ..Limits::default() };
    let mut sim = receiving(limits, "stream", Reply::stream(full("s1", flags(10))));
    sim.send([delete("f0", 2), put(off("f1")), transferred("s2", 2)]);
    assert_eq!(sim.selector(), Some("s2"));
    sim.send(full("s3", flags(10)));
    assert_eq!(sim.selector(), Some("s3"));
    sim.send([put(on("one-too-many")), transferred("s4", 4)]);
    assert_eq!(sim.flags().len(), 10);
    assert_eq!(sim.selector(), Some("s3"));
    assert_eq!(sim.error_kind(), Some(ErrorKind::InvalidData));
}

/// B 1.13: what was replaced does not count any more.
#[test]
fn the_text_held_does_not_grow_by_replacing_it() {
    let limits = Limits { held_bytes: 10_000, ..Limits::default() };
    let full = full("s1", [large("f1", 4000)]);
    let mut sim = receiving(limits, "stream", Reply::stream(full));
    for round in 2..9 {
        let state = format!("s{round}");
        sim.send([put(large("f1", 4000 + round)), transferred(&state, 1)]);
        assert_eq!(sim.selector(), Some(state.as_str()), "{sim:?}");
    }
}

/// B 1.13: tombstones for items that never were cost memory too, so they are bounded.
#[test]
fn deletions_cannot_grow_without_bound() {
    let limits = Limits { held_objects: 10, transfer_objects: 20, ..Limits::default() };
    let mut sim = receiving(limits, "stream", Reply::stream(full("s1", flags(5))));
    for round in 0..50 {
        let deletes = (0..20).map(|n| delete(&format!("gone-{round}-{n}"), 1));
        let live = sim.live();
        if live.is_none() {
            break;
        }
        let state = format!("s{}", round + 2);
        sim.send(deletes.chain([transferred(&state, 2)]));
    }
    assert!(sim.flags().len() == 5);
}

/// B 1.13.
#[test]
fn a_selector_is_bounded() {
    let limits = Limits { selector_bytes: 100, ..Limits::default() };
    for way in ["stream", "poll"] {
        let reply = |state: String| match way {
            "poll" => Reply::poll(full(&state, [on("f1")])),
            _ => Reply::stream(full(&state, [on("f1")])),
        };
        let sim = receiving(limits, way, reply("x".repeat(100)));
        assert_eq!(sim.state(), SourceState::Valid);
        let sim = receiving(limits, way, reply("x".repeat(101)));
        assert_eq!(sim.flags(), []);
        assert_eq!(sim.error_kind(), Some(ErrorKind::InvalidData));
    }
}

/// B 1.13: the default is 8 KiB, and such a one can be sent (cases P09).
#[test]
fn a_selector_of_eight_kibibytes_works() {
    let state = "é".repeat(4096);
    let mut sim = receiving(Limits::default(), "stream", Reply::stream(full(&state, [on("f1")])));
    assert_eq!(sim.selector(), Some(state.as_str()));
    sim.overlook().break_off();
    assert_eq!(sim.until_asked("a").basis(), Some(state.as_str()));
}

/// B 1.13.
#[test]
fn a_response_head_is_bounded() {
    let limits = Limits { head_bytes: 1000, ..Limits::default() };
    for (way, media_type) in [("stream", "text/event-stream"), ("poll", "application/json")] {
        // Each header counts with the four characters around it.
        let others = "content-type".len() + media_type.len() + 4 + "x-long".len() + 4;
        let reply = |bytes: usize| {
            let reply = match way {
                "poll" => Reply::poll(full("s1", [on("f1")])),
                _ => Reply::stream(full("s1", [on("f1")])),
            };
            reply.header("x-long", &"x".repeat(bytes - others))
        };
        let sim = receiving(limits, way, reply(1000));
        assert_eq!(sim.state(), SourceState::Valid);
        let sim = receiving(limits, way, reply(1001));
        assert_eq!(sim.flags(), []);
        assert_eq!(sim.error_kind(), Some(ErrorKind::InvalidData));
    }
}

/// B 1.13: a head that is too large for the transport is invalid data too.
#[test]
fn a_head_that_the_transport_refuses_is_invalid_data() {
    let refused = Reply::default().fail(TransportErrorKind::HeadTooLarge);
    let sim = receiving(Limits::default(), "stream", refused);
    assert_eq!(sim.error_kind(), Some(ErrorKind::InvalidData));
}

/// B 1.13 against 1.15: a limit is never salvaged.
#[test]
fn a_limit_is_never_salvaged() {
    let limits = Limits { transfer_objects: 3, ..Limits::default() };
    let items = [on("f1"), undecodable("f2"), on("f3"), on("f4")];
    let sim = receiving(limits, "stream", Reply::stream(full("s1", items)));
    assert_eq!(sim.flags(), []);
    assert!(!sim.is_ready());
}

/// B 1.13: JSON of any depth is no panic.
#[test]
fn deep_nesting_is_no_panic() {
    let deep = |depth: usize| format!(r#"{{"x":{}{}}}"#, "[".repeat(depth), "]".repeat(depth));
    for depth in [100, 200, 100_000] {
        for (way, reply) in ways_in() {
            let item = Item { object: deep(depth), ..on("f1") };
            let sim = receiving(Limits::default(), way, reply(vec![item]));
            assert!(sim.state() == SourceState::Valid || sim.last_error().is_some(), "{way}");
        }
    }
}
