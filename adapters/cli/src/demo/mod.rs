//! `fdv2 demo`: everything in a few seconds.

mod cached;
mod pair;
mod sample;
mod story;
mod timeline;

use crate::args::Demo;
use crate::failure::Failure;
use crate::output::Output;
use crate::signal::interrupted;

/// Runs the demo to its end, or until nobody wants it any more. What it holds is dropped then:
/// the clients close, the server stops, the temporary file is removed.
pub(crate) async fn run(args: Demo, output: &Output) -> Result<(), Failure> {
    let store = args.store.as_ref().map(|name| name.open(None)).transpose()?;
    let tell = async {
        match (&args.store, store) {
            (Some(name), Some(store)) if args.offline_server => {
                name.check().await?;
                cached::tell(output, store).await
            }
            (_, store) => story::tell(output, store).await,
        }
    };
    tokio::select! {
        result = tell => result,
        () = output.closed() => Err(Failure::OutputClosed),
        () = interrupted() => Ok(()),
    }
}
