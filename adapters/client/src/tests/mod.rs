//! The driver and the client as a whole, in virtual time.

mod closing;
mod custom;
mod evaluating;
mod failing;
mod fairness;
mod feed;
mod listening;
mod listening_callbacks;
mod listening_values;
mod reading;
mod reading_ends;
mod scripted;
pub(crate) mod sim;
mod waiting;
mod writing_ends;

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

fn start_with(
    sim: &Sim,
    config: Config,
    transport: impl Transport,
    sources: CustomSources,
) -> Client {
    Client::start_with(config, sim.clone(), transport, sources).unwrap()
}
