//! `fdv2 demo`: everything in a quarter of a minute.

mod pair;
mod sample;
mod story;
mod table;
mod timeline;

use crate::failure::Failure;
use crate::output::Output;
use crate::signal::interrupted;

/// Runs the demo to its end, or until nobody wants it any more. What it holds is dropped then:
/// the clients close, the server stops, the temporary file is removed.
pub(crate) async fn run(output: &Output) -> Result<(), Failure> {
    tokio::select! {
        result = story::tell(output) => result,
        () = output.closed() => Err(Failure::OutputClosed),
        () = interrupted() => Ok(()),
    }
}
