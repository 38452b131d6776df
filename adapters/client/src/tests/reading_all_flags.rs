//! All flags of the persistent store count only when one of them does (B 6.7, 9.2).

use fdv2_core::eval::{FlagDetail, FlagDetailConfig};
use futures::executor::block_on;

use super::reading::{TTL, Tables, daemon, until, user, waiting};
use super::sim::Sim;
use crate::{CacheMode, Client};

fn through(client: &Client) -> FlagDetail {
    block_on(client.through_store().all_flags_detail(&user(), FlagDetailConfig::new()))
}

fn at_hand(client: &Client) -> FlagDetail {
    client.all_flags_detail(&user(), FlagDetailConfig::new())
}

/// M12: a store that was never filled is no data, whatever lies about in it.
#[test]
fn m12_before_initialization_all_flags_of_an_empty_store_are_empty_and_not_valid() {
    let (sim, tables) = (Sim::default(), Tables::default());
    let client = waiting(&sim, &tables, CacheMode::Off);
    for _ in 0..2 {
        assert_eq!(through(&client), FlagDetail::default());
        assert_eq!(at_hand(&client), FlagDetail::default());
        assert!(!through(&client).is_valid());
        tables.flag("f", "1");
    }
}

/// M12: one that was filled gives the last known values.
#[test]
fn m12_before_initialization_all_flags_of_a_filled_store_are_the_last_known_ones() {
    let (sim, tables) = (Sim::default(), Tables::default());
    tables.flag("f", "1");
    tables.initialize();
    let client = waiting(&sim, &tables, TTL);
    let all = through(&client);
    assert!(all.is_valid() && !client.initialized());
    assert_eq!(all.flags()[0].value(), Some(&1.into()));
    until(&sim, || at_hand(&client) == all);
}

/// M12: in daemon mode a database without flags is an answer: there are none.
#[test]
fn m12_in_daemon_mode_an_empty_store_has_no_flags_and_is_valid() {
    let (sim, tables) = (Sim::default(), Tables::default());
    let client = daemon(&sim, &tables, TTL);
    let all = through(&client);
    assert!(all.is_valid() && all.flags().is_empty());
}
