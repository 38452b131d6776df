//! An initializer and a synchronizer of the application's own, on smol.
//!
//! `cargo run -p fdv2-smol --example own_sources`

use std::sync::Arc;
use std::time::Duration;

use fdv2_smol::config::Custom;
use fdv2_smol::core::effect::CustomError;
use fdv2_smol::core::model::Kind;
use fdv2_smol::core::protocol::InvalidData;
use fdv2_smol::core::snapshot::{ChangeSet, ChangeSetBuilder};
use fdv2_smol::core::{OpenSource, Selector, SourceUpdate};
use fdv2_smol::{Client, ClientBuilder, Config, ContextBuilder, Initializer, Synchronizer};
use futures::{Stream, StreamExt, stream};

/// What the application was built with.
struct Bundled;

impl Initializer for Bundled {
    async fn fetch(self: Arc<Self>, _: OpenSource) -> Result<ChangeSet, CustomError> {
        flag(1, false).map_err(|error| CustomError::invalid_data(error.to_string()))
    }
}

/// A feed of the application's own: here a clock, elsewhere a message queue.
struct Ticks;

impl Synchronizer for Ticks {
    fn updates(self: Arc<Self>, _: OpenSource) -> impl Stream<Item = SourceUpdate> + Send {
        stream::unfold(2, |version| async move {
            smol::Timer::after(Duration::from_millis(500)).await;
            let update = flag(version, version % 2 == 0).map_or_else(
                |error| SourceUpdate::Failed(CustomError::invalid_data(error.to_string())),
                SourceUpdate::from,
            );
            Some((update, version + 1))
        })
    }
}

/// All flags there are, in this version.
fn flag(version: u64, is_dark: bool) -> Result<ChangeSet, InvalidData> {
    let mut all = ChangeSetBuilder::full();
    let object =
        format!(r#"{{"on":true,"variations":[{is_dark}],"fallthrough":{{"variation":0}}}}"#);
    all.put(Kind::Flag, "dark-mode", version, &object)?;
    Ok(all.finish(Some(Selector::new(format!("v{version}"), version))))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    smol::block_on(run())
}

async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let config = Config::keyless()
        .initializer(Custom::new("bundled"))
        .synchronizer(Custom::new("ticks"))
        .build()?;
    let client = ClientBuilder::new(config)
        .initializer("bundled", Bundled)
        .synchronizer("ticks", Ticks)
        .start()?;
    client.wait_for_initialization(Duration::from_secs(5)).await?;
    let anna = ContextBuilder::new("anna").build()?;
    let mut changes = client.flag_changes().take(3);
    while let Some(change) = changes.next().await {
        let is_dark = client.bool_variation(&anna, "dark-mode", false);
        let line = format!("{change:?}: dark-mode is {is_dark}\n");
        std::io::Write::write_all(&mut std::io::stdout(), line.as_bytes())?;
    }
    client.close(Client::CLOSE_TIMEOUT).await;
    Ok(())
}
