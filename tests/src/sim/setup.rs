//! Configurations: every source has a host of its own, by which the peers are told apart.

use fdv2_core::ConfigBuilder;
use fdv2_core::config::{Config, Polling, Streaming};

use super::wire::Wire;
use super::{Reply, Sim};

/// No source yet, and a key.
pub fn config() -> ConfigBuilder {
    Config::custom("sdk-key")
}

/// A stream from this host.
pub fn stream(host: &str) -> Streaming {
    Streaming::new().base_url(format!("http://{host}"))
}

/// Polling of this host.
pub fn poll(host: &str) -> Polling {
    Polling::new().base_url(format!("http://{host}"))
}

/// The streams `a` and `b`, with `v1` for FDv1.
pub fn two_streams() -> ConfigBuilder {
    config().synchronizer(stream("a")).synchronizer(stream("b")).fdv1(poll("v1"))
}

/// A started system with the one stream `a`, which has sent these events and is open.
pub fn streaming(events: impl IntoIterator<Item = Wire>) -> Sim {
    let mut sim = Sim::new(config().synchronizer(stream("a")));
    sim.start();
    sim.expect("a");
    sim.reply(Reply::stream(events));
    sim
}

/// A started system that polls `a`, whose first poll brought these events.
pub fn polling(events: impl IntoIterator<Item = Wire>) -> Sim {
    let mut sim = Sim::new(config().synchronizer(poll("a")));
    sim.start();
    sim.expect("a");
    sim.reply(Reply::poll(events));
    sim
}
