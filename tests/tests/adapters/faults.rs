//! The development server behind a proxy that breaks connections at any byte.
//!
//! `FDV2_FAULT_SEED` sets the seed that a failure has printed, `FDV2_FAULT_EDITS` how long it goes
//! on: that many edits of the file, 60 if it is not set.

use std::time::Duration;

use async_io::Timer;
use fdv2_client::config::{Polling, Streaming};
use fdv2_client::status::{SourceState, SourceStatus};
use fdv2_client::{Client, Config};
use fdv2_tests::dev_server::DevServer;
use fdv2_tests::fault_proxy::{Dice, Fault, FaultProxy};
use futures::StreamExt;
use futures::future::{join, join_all};
use serde_json::{Value, json};

use crate::host::{Host, eventually};
use crate::on_every_runtime;

on_every_runtime!(
    whatever_breaks_the_flags_are_a_state_that_the_server_had,
    each_fault_alone_is_recovered_from,
    bytes_that_come_twice_end_in_a_retry,
);

/// Delays and limits as short as real ones are long.
fn config(url: &str) -> Config {
    let brief = Duration::from_millis(20);
    Config::custom("sdk-key")
        .synchronizer(Streaming::new().base_url(url).initial_retry_delay(brief))
        .synchronizer(Polling::new().base_url(url).interval(brief))
        .adjust_timing(|timing| {
            timing.min_poll_interval = brief;
            timing.max_retry_delay = 5 * brief;
            timing.round_pause = brief;
            timing.head = Duration::from_millis(500);
            timing.poll_silence = Duration::from_millis(500);
            timing.poll_limit = Duration::from_secs(2);
            timing.stream_silence = Duration::from_secs(1);
            timing.transfer_stall = Duration::from_millis(500);
            timing.first_data_within = Duration::from_secs(1);
            timing.fallback_after = Duration::from_secs(1);
            timing.recovery_after = Duration::from_secs(1);
            timing.recovery_trial = Duration::from_millis(500);
            timing.interruption_tolerated = Duration::from_millis(100);
        })
        .build()
        .unwrap()
}

/// The file in its state of this number: each flag tells it, and one is there in even states only.
fn file(state: u64) -> String {
    let mut values = serde_json::Map::new();
    for flag in 0..20 {
        values.insert(format!("f{flag}"), json!(state));
    }
    if state.is_multiple_of(2) {
        values.insert("even".to_owned(), json!(state));
    }
    json!({ "flagValues": values }).to_string()
}

fn serve() -> DevServer {
    DevServer::start_with(&file(1), |options| options.heartbeat(Duration::from_millis(50)))
}

/// The number of the state that the client shows, which it has to show whole.
fn state(client: &Client) -> Option<u64> {
    let snapshot = client.snapshot();
    let somebody = fdv2_client::ContextBuilder::new("somebody").build().unwrap();
    let number = |key: &str| snapshot.json_variation(&somebody, key, &Value::Null).as_u64();
    let first = number("f0");
    for flag in 1..20 {
        assert_eq!(number(&format!("f{flag}")), first, "parts of two states");
    }
    let even = first.filter(|number| number.is_multiple_of(2));
    assert_eq!(number("even"), even, "a flag of another state");
    first
}

/// B 6.1.
fn assert_legal(statuses: &[SourceStatus]) {
    use SourceState::{Initializing, Off};
    for pair in statuses.windows(2) {
        let [before, after] = pair else { continue };
        let is_legal = match (before.state, after.state) {
            (Off, _) => false,
            (before, Initializing) => before == Initializing,
            (_, Off) => after.is_last,
            _ => true,
        };
        assert!(is_legal && before.since <= after.since, "{before:?}, then {after:?}");
    }
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap())
}

fn whatever_breaks_the_flags_are_a_state_that_the_server_had(host: Host) {
    let seed = setting("FDV2_FAULT_SEED").unwrap_or(match host {
        Host::Smol => 1,
        Host::Tokio(_) => 2,
    });
    let edits = setting("FDV2_FAULT_EDITS").unwrap_or(60);
    let server = serve();
    let proxy = FaultProxy::seeded(server.server().addr(), seed);
    let client = host.start(config(&proxy.url()));
    let statuses = client.status_stream();
    let work = async {
        let (mut newest, mut seen, mut dice) = (1, None, Dice::new(seed));
        for _ in 0..edits {
            newest += 1;
            server.write(&file(newest));
            for _ in 0..1 + dice.below(20) {
                let now = state(&client);
                assert!(now >= seen, "{seen:?} is older than {now:?}, seed {seed}");
                assert!(now <= Some(newest));
                seen = now;
                Timer::after(Duration::from_millis(3)).await;
            }
            if dice.below(10) == 0 {
                proxy.cut();
            }
        }
        // Those connections that are broken stay so.
        proxy.choose(|_| Fault::None);
        eventually("the newest state", || state(&client) == Some(newest)).await;
        client.close(Client::CLOSE_TIMEOUT).await;
    };
    let (_, statuses) = host.run(join(work, statuses.collect::<Vec<_>>()));
    assert!(proxy.accepted() > 1, "nothing broke, seed {seed}");
    assert_legal(&statuses);
}

/// One client for each fault, which all its connections have for a while.
fn each_fault_alone_is_recovered_from(host: Host) {
    let millis = Duration::from_millis;
    let faults = [
        Fault::Cut(0),
        Fault::Cut(20),
        Fault::Cut(500),
        Fault::Reset(0),
        Fault::Reset(500),
        Fault::Blackhole(0),
        Fault::Blackhole(500),
        Fault::HalfOpen(0),
        Fault::HalfOpen(500),
        Fault::Delay(millis(100)),
        Fault::Trickle(16, millis(1)),
        Fault::Trickle(50, millis(5)),
        Fault::Duplicate { after: 100, bytes: 10 },
        Fault::Duplicate { after: 500, bytes: 50 },
    ];
    let server = serve();
    let clients = faults.map(|fault| {
        let proxy = FaultProxy::new(server.server().addr(), move |_| fault);
        (host.start(config(&proxy.url())), proxy, fault)
    });
    host.run(async {
        Timer::after(millis(500)).await;
        for (client, proxy, fault) in &clients {
            assert!(state(client).is_none_or(|state| state == 1), "{fault:?}");
            proxy.choose(|_| Fault::None);
        }
        server.write(&file(2));
        for (client, _, fault) in &clients {
            eventually(&format!("an end of {fault:?}"), || state(client) == Some(2)).await;
        }
        join_all(clients.iter().map(|(client, ..)| client.close(Client::CLOSE_TIMEOUT))).await;
    });
}

/// A damaged stream is an error and a new attempt, wherever it is damaged: in its first line, which
/// says nothing then, and all over its body, whose chunks are no longer as long as they say.
fn bytes_that_come_twice_end_in_a_retry(host: Host) {
    for after in [12, 400, 700, 1_000, 1_500, 2_000, 2_500] {
        let server = serve();
        let proxy = FaultProxy::new(server.server().addr(), move |number| match number {
            0 => Fault::Duplicate { after, bytes: 9 },
            _ => Fault::None,
        });
        let client = host.start(config(&proxy.url()));
        host.run(async {
            eventually("the state", || state(&client) == Some(1)).await;
            let error = client.status().last_error;
            assert!(proxy.accepted() > 1 && error.is_some(), "{after}: {error:?}");
            client.close(Client::CLOSE_TIMEOUT).await;
        });
    }
}

/// What these tests rest on can fail.
#[test]
#[should_panic(expected = "parts of two states")]
fn parts_of_two_states_are_caught() {
    let (host, server) = (Host::smol(), serve());
    let mixed = file(3).replace(r#""f7":3"#, r#""f7":2"#);
    server.write(&mixed);
    let client = host.start(config(&server.server().url()));
    host.run(eventually("the mixture", || state(&client) == Some(3)));
}
