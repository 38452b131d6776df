//! Clients that come and go: cases C02 and C09.
//!
//! `FDV2_CYCLES` sets how many, 200 if it is not set; `FDV2_CYCLES_SEED` how.

use std::time::Duration;

use async_io::Timer;
use fdv2_client::config::{Polling, StoreMode, Streaming};
use fdv2_client::store::Store;
use fdv2_client::{Client, Config};
use fdv2_tests::fault_proxy::Dice;
use fdv2_tests::on_every_runtime;
use fdv2_tests::runtimes::eventually;
use fdv2_tests::server::{Script, Server};
use fdv2_tests::store_conformance::MemoryStore;
use futures::poll;

use crate::counts::{Counts, alone};
use crate::host::Host;

on_every_runtime!(clients_that_come_and_go_leave_nothing_behind);

const BODY: &str = concat!(
    "event: server-intent\n",
    r#"data: {"payloads":[{"id":"p","target":1,"intentCode":"xfer-full"}]}"#,
    "\n\nevent: put-object\n",
    r#"data: {"kind":"flag","key":"f","version":1,"object":{"key":"f","version":1,"on":true}}"#,
    "\n\nevent: payload-transferred\n",
    r#"data: {"state":"s1","version":1}"#,
    "\n\n",
);

/// The rest of a full garbage collection, of pools and of what is kept for a thread.
const SLACK: usize = 256 << 10;

fn clients_that_come_and_go_leave_nothing_behind(host: Host) {
    let _alone = alone();
    let setting = |name: &str| std::env::var(name).ok().map(|text| text.parse().unwrap());
    let seed = setting("FDV2_CYCLES_SEED").unwrap_or(7);
    let cycles = setting("FDV2_CYCLES").unwrap_or(200);
    let mut dice = Dice::new(seed);
    // What is made once for the process or the runtime comes first.
    run(&host, &mut dice, 50);
    let before = Counts::now();
    run(&host, &mut dice, cycles);
    host.run(Counts::come_back_to(before, SLACK));
}

/// So many clients, one after another, with a server that goes with the last of them.
fn run(host: &Host, dice: &mut Dice, cycles: u64) {
    let mut answers = dice.clone();
    let answers: Vec<_> = (0..64).map(|_| answer(&mut answers)).collect();
    let server = Server::new(move |number, _| answers[number % answers.len()].clone());
    for _ in 0..cycles {
        let store = (dice.below(4) == 0).then(|| Store::new(MemoryStore::default()));
        let client = host.start(config(&server.url(), store.is_some()), store);
        host.run(async {
            if dice.below(3) == 0 {
                let ready = client.wait_for_initialization(Duration::from_millis(20));
                drop(ready.await);
            }
            Timer::after(Duration::from_micros(100 * dice.below(100) as u64)).await;
            end(client, dice.below(6)).await;
        });
    }
    host.run(async {
        eventually("the end of all tasks", || host.is_idle()).await;
        eventually("the end of all connections", || server.log().open() == 0).await;
        eventually("the end of all threads", || Counts::now().own_threads == 0).await;
    });
}

fn config(url: &str, has_store: bool) -> Config {
    let brief = Duration::from_millis(2);
    let config = Config::custom("sdk-key")
        .synchronizer(Streaming::new().base_url(url).initial_retry_delay(brief))
        .synchronizer(Polling::new().base_url(url).interval(brief))
        .adjust_timing(|timing| {
            timing.min_poll_interval = brief;
            timing.max_retry_delay = brief;
            timing.first_data_within = 2 * brief;
        });
    let config = if has_store { config.store(StoreMode::ReadWrite) } else { config };
    config.build().unwrap()
}

fn answer(dice: &mut Dice) -> Script {
    match dice.below(12) {
        0 => Script::new().hang(),
        1 => Script::new().write("HTTP/1.1 200 OK\r\ncontent").hang(),
        2 => Script::new(),
        3 => Script::new().reset(),
        4 => Script::status(503),
        5 => Script::stream().chunk(BODY),
        6 => Script::stream().chunk(&BODY[..dice.below(BODY.len())]).hang(),
        // Two of them, and the client has no source left.
        7..=10 => Script::status(401),
        _ => Script::stream().chunk(BODY).hang(),
    }
}

/// Ends a client in one of many ways.
async fn end(client: Client, way: usize) {
    match way {
        0 => drop(client),
        1 => client.close(Duration::ZERO).await,
        2 => {
            let mut close = Box::pin(client.close(Client::CLOSE_TIMEOUT));
            let _ = poll!(&mut close);
        }
        3 => {
            let closing = std::thread::spawn(move || {
                smol::block_on(client.close(Client::CLOSE_TIMEOUT));
            });
            smol::unblock(|| closing.join()).await.unwrap();
        }
        4 => {
            let other = client.clone();
            let (one, two) = (Client::CLOSE_TIMEOUT, Client::CLOSE_TIMEOUT);
            futures::join!(client.close(one), other.close(two));
        }
        _ => client.close(Client::CLOSE_TIMEOUT).await,
    }
}
