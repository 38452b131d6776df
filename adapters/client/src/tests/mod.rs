//! The driver and the client as a whole, in virtual time.

mod closing;
pub(crate) mod sim;

use fdv2_core::{Config, Outcome, Request};
use futures::StreamExt;
use futures::stream::{self, BoxStream};

use self::sim::Sim;
use crate::{Client, CustomSources, Transport};

/// Every request of it waits for ever.
struct Silence;

impl Transport for Silence {
    fn send(&self, _: Request) -> BoxStream<'static, Outcome> {
        stream::pending().boxed()
    }
}

fn start(sim: &Sim, config: Config) -> Client {
    Client::start_with(config, sim.clone(), Silence, CustomSources::new()).unwrap()
}
