//! Invariant 9 (B 1.16): where the bytes are cut changes nothing that anybody is told.

use fdv2_core::{Instant, Update};
use fdv2_tests::model::Say;
use fdv2_tests::sim::wire::{fdv1_body, full, off, on, poll_body, sse};
use fdv2_tests::sim::{Reply, Sim, config, poll, secs, stream};
use fdv2_tests::steps::say;
use fdv2_tests::{made_up, ran};
use proptest::prelude::*;

/// What can be seen of a run: what was told, and what was asked for.
type Seen = (Vec<Update>, Vec<(Instant, String, Option<String>)>);

/// The streams of one connection after another, or the bodies of one poll after another.
fn run(is_stream: bool, bodies: &[Vec<u8>], cuts: Vec<usize>) -> Seen {
    let configured = match is_stream {
        true => config().synchronizer(stream("a")).fdv1(poll("v1")),
        false => config().synchronizer(poll("a")).fdv1(poll("v1")),
    };
    let mut sim = Sim::new(configured).lightly().requests_per_minute(100).cut_into(cuts);
    let replies = bodies.iter().map(|body| {
        let head = Reply::head(200).header("content-type", "text/event-stream");
        let reply = head.header("etag", "1").bytes(body.clone());
        if is_stream { reply.end_after(secs(70)) } else { reply.end() }
    });
    sim.serve_in_turn("a", replies.collect::<Vec<_>>());
    sim.serve_always("v1", Reply::body(fdv1_body([off("fdv1"), on("f1")])));
    sim.start().advance(secs(400));
    let asked = sim.asked().iter();
    let asked =
        asked.map(|asked| (asked.at, asked.path().to_owned(), asked.basis().map(str::to_owned)));
    (sim.updates().cloned().collect(), asked.collect())
}

/// Events as a stream writes them, with these line ends and comments between the lines.
fn stream_bytes(says: &[Say], end: &str, is_commented: bool) -> Vec<u8> {
    let text = sse(&says.iter().map(Say::wire).collect::<Vec<_>>());
    let text = if is_commented { text.replace('\n', "\n: é\n") } else { text };
    text.replace('\n', end).into_bytes()
}

fn bodies_of_says() -> impl Strategy<Value = Vec<Vec<Say>>> {
    prop::collection::vec(prop::collection::vec(say(), 0..14), 1..4)
}

proptest! {
    #![proptest_config(made_up::cases(48))]

    #[test]
    fn where_a_stream_is_cut_changes_nothing(
        bodies in bodies_of_says(),
        end in prop::sample::select(vec!["\n", "\r", "\r\n"]),
        is_commented in any::<bool>(),
        cuts in prop::collection::vec(1..300_usize, 1..9),
        flip in prop::option::of((any::<prop::sample::Index>(), any::<u8>())),
    ) {
        ran::case();
        let mut bodies: Vec<_> =
            bodies.iter().map(|says| stream_bytes(says, end, is_commented)).collect();
        damage(&mut bodies, flip);
        let whole = run(true, &bodies, vec![]);
        prop_assert!(run(true, &bodies, cuts) == whole);
        prop_assert!(run(true, &bodies, vec![1]) == whole);
    }

    #[test]
    fn where_a_poll_is_cut_changes_nothing(
        bodies in bodies_of_says(),
        cuts in prop::collection::vec(1..300_usize, 1..9),
        flip in prop::option::of((any::<prop::sample::Index>(), any::<u8>())),
    ) {
        ran::case();
        let mut bodies: Vec<_> = bodies
            .iter()
            .map(|says| poll_body(&says.iter().map(Say::wire).collect::<Vec<_>>()).into_bytes())
            .collect();
        damage(&mut bodies, flip);
        let whole = run(false, &bodies, vec![]);
        prop_assert!(run(false, &bodies, cuts) == whole);
        prop_assert!(run(false, &bodies, vec![1]) == whole);
    }
}

/// One byte of the first body becomes another.
fn damage(bodies: &mut [Vec<u8>], flip: Option<(prop::sample::Index, u8)>) {
    if let (Some((index, byte)), Some(body)) = (flip, bodies.first_mut())
        && !body.is_empty()
    {
        let at = index.index(body.len());
        body[at] = byte;
    }
}

/// Cases S01, S03, S04: every place of one cut, and of two, in a small stream.
#[test]
fn every_one_and_two_cuts_of_a_small_stream_give_the_same() {
    let small = "\u{feff}event:put-object\r\ndata:{\"kind\":\"flag\",\"key\":\"é😀\",\r\ndata: \
                 \"object\":{}}\r\n\r\n";
    let intent = "event: server-intent\ndata: {\"payloads\":[{\"intentCode\":\"xfer-full\"}]}\n\n";
    let end = "event: payload-transferred\ndata: {\"state\":\"s\"}\n\n";
    let received = |cuts: Vec<usize>| {
        let mut sim = Sim::new(config().synchronizer(stream("a"))).lightly();
        sim.start().reply(Reply::stream([]));
        let marked = format!("\u{feff}{intent}{}", small.trim_start_matches('\u{feff}'));
        let mut rest = marked.as_bytes();
        for cut in cuts {
            let (piece, more) = rest.split_at(cut.min(rest.len()));
            sim.send_bytes(piece.to_vec());
            rest = more;
        }
        sim.send_bytes(rest.to_vec()).send_bytes(end);
        sim.flags()
    };
    let whole = received(vec![]);
    assert_eq!(whole, [("é😀".to_owned(), false)]);
    let length = small.len() + intent.len();
    for first in 0..length {
        assert_eq!(received(vec![first]), whole, "cut at {first}");
        for second in (1..length - first).step_by(7) {
            assert_eq!(received(vec![first, second]), whole, "cut at {first} and {second}");
        }
    }
}

/// The bytes of FDv1 bodies too.
#[test]
fn where_an_fdv1_body_is_cut_changes_nothing() {
    let run = |cuts: Vec<usize>| {
        let configured = config().synchronizer(stream("a")).fdv1(poll("v1"));
        let mut sim = Sim::new(configured).cut_into(cuts);
        sim.serve_always("a", Reply::stream(full("s1", [on("f1")])).directive());
        sim.serve_always("v1", Reply::fdv1([off("f1"), on("é😀")]));
        sim.start();
        sim.updates().cloned().collect::<Vec<_>>()
    };
    let whole = run(vec![]);
    for size in 1..40 {
        assert!(run(vec![size]) == whole, "cut into {size}");
    }
}
