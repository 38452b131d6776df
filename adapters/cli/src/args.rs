//! What can be said on the command line.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Parser, Subcommand};

/// Feature flags by Flag Delivery v2: try it, serve a flag file, or watch a service's flags.
#[derive(Parser)]
#[command(name = "fdv2", version, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    Serve(Serve),
}

/// Serve a flag file over FDv2, and send each edit to every connected client.
///
/// The file is JSON: {"flags": {..}, "segments": {..}}, the short form {"flagValues": {..}}, or
/// all of it together. A file that cannot be used changes nothing; the fault is printed with its
/// line and column.
#[derive(clap::Args)]
pub(crate) struct Serve {
    /// The flag file.
    pub(crate) file: PathBuf,

    /// Where to listen; port 0 is any free port.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8030")]
    pub(crate) listen: SocketAddr,

    /// Accept this SDK key only. Without it, any key is accepted.
    #[arg(long, value_name = "KEY", env = "FDV2_SDK_KEY", hide_env_values = true)]
    pub(crate) sdk_key: Option<String>,
}
