//! The demo without a flag server: what a store has from the time before.

use std::net::TcpListener;

use fdv2_client::store::Store;
use fdv2_client::{Availability, Client, Context};

use super::pair::{RUNTIMES, start_both};
use super::story::{FLAGS, heading, person};
use crate::failure::Failure;
use crate::output::Output;
use crate::{table, words};

/// Tells the story.
pub(super) async fn tell(output: &Output, store: Store) -> Result<(), Failure> {
    output
        .line("fdv2 demo: the flag server is off, and a store has the flags of last time.")
        .await?;
    heading(output, 1, "Two clients start, one on tokio and one on smol").await?;
    let url = nobody()?;
    let clients = start_both(&url, Some(store))?;
    output.line(format!("   Nobody listens at {url}.")).await?;

    heading(output, 2, "Flags are evaluated through the store").await?;
    let (anna, ben) = (person("anna", "pro")?, person("ben", "free")?);
    for (runtime, client) in RUNTIMES.into_iter().zip(&clients) {
        output.line(format!("   On {runtime}:")).await?;
        for line in answers(output, client, &anna, &ben).await {
            output.line(format!("   {line}").trim_end()).await?;
        }
        let state = words::state(client.status().state);
        let availability = words::availability(client.availability());
        output.line(format!("   The data is {availability}; the source is {state}.")).await?;
        if client.availability() != Availability::Cached {
            let message = "the store has no flags yet; run the demo once without --offline-server";
            return Err(Failure::Failed(message.to_owned()));
        }
    }

    heading(output, 3, "Everything closes").await?;
    for client in &clients {
        client.close(Client::CLOSE_TIMEOUT).await;
    }
    output.line("   Closed.").await
}

async fn answers(output: &Output, client: &Client, anna: &Context, ben: &Context) -> Vec<String> {
    let mut rows = Vec::new();
    for key in FLAGS {
        let mut row = vec![key.to_owned()];
        for context in [anna, ben] {
            let detail = client.through_store().variation_detail(context, key).await;
            let value = detail.value.as_ref().map(ToString::to_string);
            row.extend([value.unwrap_or_default(), words::reason(&detail.reason)]);
        }
        rows.push(row);
    }
    table::lines(output.style, &["flag", "for anna", "because", "for ben", "because"], &rows)
}

/// The address of a server that is not there.
fn nobody() -> Result<String, Failure> {
    let address = TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr());
    let address = address.map_err(|error| Failure::Failed(format!("no free port: {error}")))?;
    Ok(format!("http://{address}"))
}
