//! Stores of memberships that hang, many who ask at once, and the end of the client (B 10).

use std::sync::{Arc, Barrier};
use std::task::{Context as TaskContext, Poll};
use std::thread;
use std::time::Duration;

use fdv2_core::eval::BigSegmentsStatus;
use futures::executor::block_on;
use futures::{Future, FutureExt, StreamExt};

use super::members::{Members, at_hand, client, segments, through, user};
use super::reading::until;
use super::sim::Sim;
use super::{close_beside, poll_once, wakes_to_run};
use crate::big_segments::MembershipReading;
use crate::{Client, Context};

const STORE_ERROR: Option<BigSegmentsStatus> = Some(BigSegmentsStatus::StoreError);

/// What the asynchronous form gives for a flag of a big segment.
fn asking(client: &Client, context: &Context) -> impl Future<Output = bool> + Unpin + Send + use<> {
    let (client, context) = (client.clone(), context.clone());
    async move { client.through_store().bool_variation(&context, "f", false).await }.boxed()
}

/// A client whose store has answered one poll, and hangs from now on.
fn hanging(sim: &Sim, members: &Members) -> Client {
    let client = client(sim, segments(sim, members));
    until(sim, || client.big_segment_status().is_available);
    members.set_hanging(true);
    client
}

/// One query for all who ask for the same context, in either form, before or while it runs.
#[test]
fn many_who_ask_at_once_share_one_query() {
    let (sim, members) = (Sim::default(), Members::default());
    members.include("u", "s.g1");
    let client = hanging(&sim, &members);
    let mut first = asking(&client, &user("u"));
    assert!(poll_once(&mut first).is_pending());
    until(&sim, || members.queries() == 1);
    let barrier = Arc::new(Barrier::new(8));
    let askers: Vec<_> = (0..8)
        .map(|_| {
            let (client, barrier) = (client.clone(), Arc::clone(&barrier));
            thread::spawn(move || {
                barrier.wait();
                at_hand(&client, &user("u"), "f");
                block_on(asking(&client, &user("u")))
            })
        })
        .collect();
    members.set_hanging(false);
    assert!(askers.into_iter().all(|asker| asker.join().unwrap()));
    assert!(block_on(first));
    assert_eq!(members.queries(), 1);
}

/// Those who give up waiting leave nothing behind, and harm no others.
#[test]
fn who_gives_up_waiting_keeps_nobody_from_the_answer() {
    let (sim, members) = (Sim::default(), Members::default());
    members.include("u", "s.g1");
    let client = hanging(&sim, &members);
    let mut patient = asking(&client, &user("u"));
    assert!(poll_once(&mut patient).is_pending());
    for _ in 0..1000 {
        let mut impatient = asking(&client, &user("u"));
        assert!(poll_once(&mut impatient).is_pending());
    }
    members.set_hanging(false);
    assert!(block_on(patient));
    assert_eq!(members.queries(), 1);
}

/// The first question to a store that hangs.
fn is_given_up_after_thirty_seconds(sim: &Sim, members: &Members, client: &Client) {
    let mut waiting = asking(client, &user("u"));
    assert!(poll_once(&mut waiting).is_pending());
    until(sim, || members.queries() == 1);
    sim.advance(Duration::from_millis(29_999));
    assert!(poll_once(&mut waiting).is_pending());
    sim.advance(Duration::from_millis(1));
    assert_eq!(poll_once(&mut waiting), Poll::Ready(false));
    assert!(!client.big_segment_status().is_available);
}

fn is_asked_again(sim: &Sim, members: &Members, client: &Client) {
    members.set_hanging(false);
    until(sim, || client.big_segment_status().is_available);
    assert!(block_on(asking(client, &user("u"))));
}

/// A store that does not answer for 30 s is waited for no longer, until it answers.
#[test]
fn a_store_that_hangs_is_given_up_after_thirty_seconds() {
    let (sim, members) = (Sim::default(), Members::default());
    members.include("u", "s.g1");
    let client = hanging(&sim, &members);
    // The next poll is at 5 s, and waits for the store as well.
    is_given_up_after_thirty_seconds(&sim, &members, &client);
    assert_eq!(through(&client, &user("v"), "f"), (Some(false), STORE_ERROR), "without a wait");
    is_asked_again(&sim, &members, &client);
}

/// However seldom it is polled; and it is polled at once, so that its return shows soon.
#[test]
fn a_store_that_is_seldom_polled_is_given_up_after_thirty_seconds_too() {
    let (sim, members) = (Sim::default(), Members::default());
    members.include("u", "s.g1");
    let seldom = segments(&sim, &members).poll_interval(Duration::from_secs(3600));
    let client = client(&sim, seldom);
    until(&sim, || client.big_segment_status().is_available);
    sim.advance(Duration::from_secs(100));
    members.set_hanging(true);
    is_given_up_after_thirty_seconds(&sim, &members, &client);
    is_asked_again(&sim, &members, &client);
}

/// Who has waited for 30 s waits no longer; a store that answers others meanwhile is slow, and not
/// gone.
#[test]
fn a_store_that_is_slow_is_not_given_up() {
    let (sim, members) = (Sim::default(), Members::default());
    let seldom = segments(&sim, &members).poll_interval(Duration::from_secs(3600));
    let client = client(&sim, seldom);
    until(&sim, || client.big_segment_status().is_available);
    members.set_hanging(true);
    let mut first = asking(&client, &user("u"));
    assert!(poll_once(&mut first).is_pending());
    let mut second = asking(&client, &user("v"));
    assert!(poll_once(&mut second).is_pending());
    until(&sim, || members.queries() == 1);
    sim.advance(Duration::from_secs(20));
    members.let_one_go();
    until(&sim, || members.queries() == 2);
    assert_eq!(poll_once(&mut first), Poll::Ready(false));
    sim.advance(Duration::from_secs(10));
    assert_eq!(poll_once(&mut second), Poll::Ready(false));
    assert!(client.big_segment_status().is_available);
    let mut third = asking(&client, &user("w"));
    assert!(poll_once(&mut third).is_pending(), "it is asked");
    members.set_hanging(false);
    until(&sim, || poll_once(&mut asking(&client, &user("w"))).is_ready());
}

/// B 10.1, 10.2: a store that hangs holds nothing up, and no call of it begins any more.
#[test]
fn b_10_2_closing_ends_waits_and_begins_no_call() {
    let (sim, members) = (Sim::default(), Members::default());
    let client = hanging(&sim, &members);
    let mut begun = asking(&client, &user("u"));
    assert!(poll_once(&mut begun).is_pending());
    until(&sim, || members.queries() == 1);
    let mut waiting = asking(&client, &user("v"));
    assert!(poll_once(&mut waiting).is_pending());
    at_hand(&client, &user("w"), "f");
    let polls = members.polls();
    close_beside(&sim, &client);
    assert_eq!(poll_once(&mut begun), Poll::Ready(false));
    assert_eq!(poll_once(&mut waiting), Poll::Ready(false));
    assert_eq!(at_hand(&client, &user("x"), "f"), (Some(false), STORE_ERROR));
    assert_eq!(through(&client, &user("x"), "f"), (Some(false), STORE_ERROR));
    members.set_hanging(false);
    sim.advance(Duration::from_secs(60));
    thread::sleep(Duration::from_millis(20));
    assert_eq!((members.queries(), members.polls()), (1, polls));
}

/// B 10.2: a `close` that ends while another is still waking those who waited keeps the promise too.
#[test]
fn b_10_2_no_call_begins_after_the_first_close_that_returns() {
    let (sim, members) = (Sim::default(), Members::default());
    let segments = segments(&sim, &members);
    let client = client(&sim, segments.clone());
    until(&sim, || client.big_segment_status().is_available);
    members.set_hanging(true);
    let (closing, store) = (client.clone(), members.clone());
    let clock = client.clone();
    let waker = wakes_to_run(move || {
        block_on(closing.close(Duration::ZERO));
        store.set_hanging(false);
        // The store's thread takes one after another, so nothing is left before this.
        let other = MembershipReading::new(segments, Arc::new(move || clock.now()));
        assert!(block_on(other.ask_metadata()).is_some());
    });
    let mut begun = asking(&client, &user("u"));
    assert!(begun.poll_unpin(&mut TaskContext::from_waker(&waker)).is_pending());
    until(&sim, || members.queries() == 1);
    let mut waiting = ["v", "w", "x"].map(|key| asking(&client, &user(key)));
    for waiting in &mut waiting {
        assert!(waiting.poll_unpin(&mut TaskContext::from_waker(&waker)).is_pending());
    }
    assert!(client.close(Duration::from_secs(60)).boxed().now_or_never().is_none());
    sim.run();
    until(&sim, || members.polls() == 2);
    assert_eq!(members.queries(), 1);
}

/// B 10.4: what is remembered stays readable.
#[test]
fn b_10_4_after_closing_what_is_remembered_still_counts() {
    let (sim, members) = (Sim::default(), Members::default());
    members.include("u", "s.g1");
    let client = client(&sim, segments(&sim, &members));
    assert_eq!(through(&client, &user("u"), "f").0, Some(true));
    close_beside(&sim, &client);
    sim.set_now(client.now() + Duration::from_secs(60));
    assert_eq!(at_hand(&client, &user("u"), "f").0, Some(true));
    assert_eq!(members.queries(), 1);
}

/// B 10.3, 10.5.
#[test]
fn b_10_3_dropping_the_last_handle_ends_the_polls_and_closes_the_store() {
    let (sim, members) = (Sim::default(), Members::default());
    let client = client(&sim, segments(&sim, &members));
    until(&sim, || client.big_segment_status().is_available);
    assert_eq!(sim.tasks(), 2);
    drop(client);
    until(&sim, || sim.tasks() == 0);
    until(&sim, || members.is_closed());
    assert_eq!(members.polls(), 1);
}

/// Clients share a store by clones of it, and it is closed with the last.
#[test]
fn a_store_that_clients_share_outlives_the_first_of_them() {
    let (sim, members) = (Sim::default(), Members::default());
    members.include("u", "s.g1");
    let segments = segments(&sim, &members);
    let (first, second) = (client(&sim, segments.clone()), client(&sim, segments));
    assert_eq!(through(&first, &user("u"), "f").0, Some(true));
    close_beside(&sim, &first);
    drop(first);
    assert_eq!(through(&second, &user("u"), "f").0, Some(true));
    assert_eq!(members.queries(), 2, "each client remembers for itself");
    assert!(!members.is_closed());
    drop(second);
    until(&sim, || members.is_closed());
}

/// B 10.3: a runtime that is gone counts as closed.
#[test]
fn b_10_3_without_its_runtime_the_client_asks_no_store() {
    let (sim, members) = (Sim::default(), Members::default());
    let client = client(&sim, segments(&sim, &members));
    until(&sim, || client.big_segment_status().is_available);
    let mut statuses = client.big_segment_status_stream();
    sim.drop_runtime();
    assert!(block_on(statuses.next()).is_some());
    assert_eq!(block_on(statuses.next()), None);
    assert_eq!(through(&client, &user("u"), "f"), (Some(false), STORE_ERROR));
    assert_eq!(members.queries(), 0);
}
