//! How up to date a store of memberships is, and who is told (C 3.7).

use std::time::Duration;

use fdv2_core::eval::BigSegmentsStatus;
use futures::executor::block_on;
use futures::{FutureExt, StreamExt};

use super::members::{BEGIN, Members, at_hand, client, segments, through, user};
use super::reading::until;
use super::sim::Sim;
use crate::big_segments::BigSegmentStatus;
use crate::{BigSegmentStatusStream, Client};

const SECOND: Duration = Duration::from_secs(1);

/// Waits for the answer to the poll of this number.
fn polled(sim: &Sim, members: &Members, number: usize) {
    until(sim, || members.polls() == number && sim.next_sleep().is_some());
}

/// What the stream tells next: available, stale.
fn next(sim: &Sim, statuses: &mut BigSegmentStatusStream) -> (bool, bool) {
    let mut told = None;
    for _ in 0..10_000 {
        sim.run();
        told = statuses.next().now_or_never();
        if told.is_some() {
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let status = told.expect("nothing was told").expect("the stream has ended");
    (status.is_available, status.is_stale)
}

fn status(client: &Client) -> (bool, bool) {
    let status = client.big_segment_status();
    (status.is_available, status.is_stale)
}

/// C 3.7: one query at the start, then one per interval; evaluations cause none.
#[test]
fn c_3_7_metadata_is_asked_for_once_per_interval() {
    let (sim, members) = (Sim::default(), Members::default());
    let client = client(&sim, segments(&sim, &members));
    until(&sim, || client.big_segment_status().is_available);
    for number in 1..=5 {
        polled(&sim, &members, number);
        for key in ["a", "b"] {
            through(&client, &user(key), "f");
            at_hand(&client, &user(key), "f");
        }
        until(&sim, || client.big_segment_status().is_available);
        sim.advance(SECOND * 5 - Duration::from_millis(1));
        assert_eq!(members.polls(), number);
        sim.advance(Duration::from_millis(1));
    }
}

/// C 3.7, 3.4: stale after 2 minutes; `staleAfterMs` changes that.
#[test]
fn c_3_7_each_change_of_state_is_told_once_and_shows_in_reasons() {
    let (sim, members) = (Sim::default(), Members::default());
    let segments = segments(&sim, &members).stale_after(12 * SECOND);
    let client = client(&sim, segments);
    let mut statuses = client.big_segment_status_stream();
    assert_eq!(next(&sim, &mut statuses), (true, false));
    assert_eq!(through(&client, &user("u"), "f").1, Some(BigSegmentsStatus::Healthy));

    // Not stale at 5 and 10 s, stale at 15 s.
    for (number, is_stale) in [(2, false), (3, false), (4, true)] {
        sim.advance(5 * SECOND);
        polled(&sim, &members, number);
        until(&sim, || status(&client) == (true, is_stale));
    }
    assert_eq!(next(&sim, &mut statuses), (true, true), "and nothing in between");
    assert_eq!(through(&client, &user("u"), "f").1, Some(BigSegmentsStatus::Stale));
    assert_eq!(at_hand(&client, &user("u"), "f").1, Some(BigSegmentsStatus::Stale));

    members.set_down(true);
    sim.advance(5 * SECOND);
    assert_eq!(next(&sim, &mut statuses), (false, true), "no newer than it was");
    assert_eq!(client.big_segment_status().error.as_deref(), Some("down"));

    members.set_down(false);
    members.set_up_to_date(BEGIN + 22_000);
    sim.advance(5 * SECOND);
    assert_eq!(next(&sim, &mut statuses), (true, false));
    let healthy = BigSegmentStatus { is_available: true, is_stale: false, error: None };
    assert_eq!(client.big_segment_status(), healthy);

    let mut later = client.big_segment_status_stream();
    assert_eq!(next(&sim, &mut later), (true, false), "who comes later is told the present one");
    drop(client);
    sim.run();
    assert_eq!(block_on(statuses.next()), None);
    assert_eq!(block_on(later.next()), None);
}

/// C 3.7.
#[test]
fn c_3_7_a_store_counts_as_up_to_date_for_two_minutes() {
    for (age, is_stale) in [(119_999, false), (120_000, true), (u64::MAX, true)] {
        let (sim, members) = (Sim::default(), Members::default());
        let segments = segments(&sim, &members);
        members.set_up_to_date(BEGIN.saturating_sub(age));
        let client = client(&sim, segments);
        until(&sim, || status(&client) == (true, is_stale));
    }
}

#[test]
fn a_store_of_the_future_is_up_to_date() {
    let (sim, members) = (Sim::default(), Members::default());
    let segments = segments(&sim, &members);
    members.set_up_to_date(u64::MAX);
    let client = client(&sim, segments);
    until(&sim, || status(&client) == (true, false));
}

#[test]
fn a_store_that_fails_from_the_start_is_not_available_and_polled_all_the_same() {
    let (sim, members) = (Sim::default(), Members::default());
    members.set_panicking(true);
    let client = client(&sim, segments(&sim, &members));
    let mut statuses = client.big_segment_status_stream();
    assert_eq!(next(&sim, &mut statuses), (false, false));
    assert!(client.big_segment_status().error.is_some());
    members.set_panicking(false);
    sim.advance(5 * SECOND);
    assert_eq!(next(&sim, &mut statuses), (true, false));
}

#[test]
fn before_the_first_answer_nothing_is_known() {
    let (sim, members) = (Sim::default(), Members::default());
    members.set_hanging(true);
    let client = client(&sim, segments(&sim, &members));
    let mut statuses = client.big_segment_status_stream();
    sim.run();
    assert_eq!(status(&client), (false, false));
    assert!(statuses.next().now_or_never().is_none());
    members.set_hanging(false);
    assert_eq!(next(&sim, &mut statuses), (true, false));
}

/// C 3.4: the first evaluation knows what the store has said, whatever the executor is busy with.
#[test]
fn an_answer_counts_for_evaluations_before_it_is_told() {
    let (sim, members) = (Sim::default(), Members::default());
    let segments = segments(&sim, &members);
    members.set_up_to_date(BEGIN - 120_000);
    members.set_hanging(true);
    let client = client(&sim, segments);
    members.set_hanging(false);
    assert_eq!(through(&client, &user("u"), "f").1, Some(BigSegmentsStatus::Stale));
    assert_eq!(status(&client), (false, false), "nobody was told");
    until(&sim, || status(&client) == (true, true));
}

/// C 3.7: one query per interval, however many contexts a slow store is asked for.
#[test]
fn a_poll_does_not_wait_for_those_who_asked_before() {
    let (sim, members) = (Sim::default(), Members::default());
    let client = client(&sim, segments(&sim, &members));
    until(&sim, || client.big_segment_status().is_available);
    polled(&sim, &members, 1);
    members.set_hanging(true);
    for number in 0..100 {
        at_hand(&client, &user(&number.to_string()), "f");
    }
    until(&sim, || members.queries() == 1);
    sim.advance(5 * SECOND);
    members.let_one_go();
    until(&sim, || members.polls() == 2);
    assert_eq!(members.queries(), 1);

    // And they do not wait for polls.
    members.let_one_go();
    until(&sim, || members.queries() == 2);
    members.set_hanging(false);
    until(&sim, || members.queries() == 100);
}

/// A poll that takes longer than its interval is not doubled.
#[test]
fn polls_do_not_overlap() {
    let (sim, members) = (Sim::default(), Members::default());
    members.set_hanging(true);
    let client = client(&sim, segments(&sim, &members).poll_interval(SECOND));
    until(&sim, || members.polls() == 1);
    sim.advance(20 * SECOND);
    members.set_hanging(false);
    until(&sim, || client.big_segment_status().is_available);
    polled(&sim, &members, 2);
    until(&sim, || sim.next_sleep() == Some(client.now() + SECOND));
}

/// The shortest interval is a millisecond: no loop without a pause.
#[test]
fn an_interval_of_zero_is_not_taken_at_its_word() {
    let (sim, members) = (Sim::default(), Members::default());
    let client = client(&sim, segments(&sim, &members).poll_interval(Duration::ZERO));
    until(&sim, || client.big_segment_status().is_available);
    until(&sim, || sim.next_sleep() == Some(client.now() + Duration::from_millis(1)));
    assert_eq!(members.polls(), 1);
}
