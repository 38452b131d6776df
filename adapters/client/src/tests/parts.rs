//! What is handed in has to fit the configuration (B 11.2).

use fdv2_core::config::Config;

use super::Silence;
use super::feed::{Feeds, synchronizers};
use super::reading::Tables;
use super::sim::Sim;
use crate::store::Store;
use crate::{Client, NamedSource, Parts, StartError, TestData};

fn start(config: &Config, parts: Parts) -> Result<Client, StartError> {
    Client::start_with(config.clone(), Sim::default(), Silence, parts)
}

fn refused(config: &Config, parts: Parts) -> StartError {
    start(config, parts).unwrap_err()
}

fn offline() -> Config {
    Config::offline().build().unwrap()
}

#[test]
fn a_custom_source_that_was_not_handed_in_is_an_error() {
    let error = refused(&synchronizers(&["mine"]), Parts::new());
    assert_eq!(error, StartError::UnknownSource("mine".into()));
}

/// Its data would never be seen.
#[test]
fn a_custom_source_that_is_not_configured_is_an_error() {
    let config = synchronizers(&["mine"]);
    let mine = || Parts::new().custom_source("mine", Feeds::default().source("mine"));
    let data = TestData::new();
    let name = data.configured().name().to_string();
    assert_eq!(refused(&config, mine().source(data)), StartError::UnusedSource(name));
    assert!(start(&config, mine()).is_ok());
    assert!(start(&offline(), mine()).is_ok());
}

/// One of them would never be asked.
#[test]
fn two_custom_sources_of_one_name_are_an_error() {
    let source = || Feeds::default().source("files");
    let parts = Parts::new().custom_source("files", source()).custom_source("files", source());
    for config in [synchronizers(&["files"]), synchronizers(&["files", "files"]), offline()] {
        assert_eq!(refused(&config, parts.clone()), StartError::SameName("files".into()));
    }
}

/// B 9.1.
#[test]
fn a_store_that_does_not_fit_is_an_error() {
    let store = || Parts::new().store(Store::new(Tables::default()));
    let daemon = Config::daemon().build().unwrap();
    assert_eq!(refused(&daemon, Parts::new()), StartError::NoStore);
    assert_eq!(refused(&synchronizers(&[]), store()), StartError::UnusedStore);
    assert!(start(&daemon, store()).is_ok());
    assert!(start(&offline(), store()).is_ok());
}
