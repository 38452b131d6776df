//! What can be said on the command line.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use crate::store::StoreName;

/// Feature flags by Flag Delivery v2: try it, serve a flag file, or watch a service's flags.
#[derive(Parser)]
#[command(name = "fdv2", version, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    Demo(Demo),
    Serve(Serve),
    Watch(Watch),
    Store(StoreArgs),
}

/// See it work, in a few seconds: no account, no set-up, no network.
///
/// Starts a flag server on a free local port, a client on tokio and one on smol, evaluates flags,
/// edits one, cuts the connection, recovers, and closes.
#[derive(clap::Args)]
pub(crate) struct Demo {
    /// Keep the flags in a store as well: sqlite:PATH, or redis://HOST:PORT.
    #[arg(long, value_name = "STORE")]
    pub(crate) store: Option<StoreName>,

    /// Leave the flag server off, and see what the store has from the time before.
    #[arg(long, requires = "store")]
    pub(crate) offline_server: bool,
}

/// Serve a flag file over FDv2, and send each edit to every connected client.
///
/// The file is JSON or YAML: {"flags": {..}, "segments": {..}}, the short form
/// {"flagValues": {..}}, or all of it together. A file that cannot be used changes nothing; the
/// fault is printed with its line and column.
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

/// Connect to a service and print its status and its flags' changes as they come.
///
/// Until Ctrl-C. It ends with exit code 1 if the service refuses for good, as it does a wrong key.
#[derive(clap::Args)]
pub(crate) struct Watch {
    /// The SDK key. Better given by the environment, where other users cannot see it.
    #[arg(long, value_name = "KEY", env = "FDV2_SDK_KEY", hide_env_values = true)]
    pub(crate) sdk_key: String,

    /// The runtime that the client runs on.
    #[arg(long, value_enum, default_value_t = Runtime::Tokio)]
    pub(crate) runtime: Runtime,

    /// Where everything is served: `fdv2 serve`, or a Relay Proxy. Without it, LaunchDarkly.
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,

    /// The key of the context that flags are evaluated for.
    #[arg(long, value_name = "KEY", default_value = "fdv2-watch")]
    pub(crate) context: String,

    /// Keep the flags in this store as well: redis://HOST:PORT/DATABASE, rediss://… or sqlite:PATH.
    /// What it has from the time before is shown until the service answers.
    #[arg(long, value_name = "STORE", env = "FDV2_STORE", hide_env_values = true)]
    pub(crate) store: Option<StoreName>,

    /// The prefix of the keys in Redis; LaunchDarkly's by default.
    #[arg(long, value_name = "PREFIX", requires = "store")]
    pub(crate) store_prefix: Option<String>,

    /// Print one JSON object a line.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Look into a persistent store, or empty it.
#[derive(clap::Args)]
pub(crate) struct StoreArgs {
    #[command(subcommand)]
    pub(crate) command: StoreCommand,
}

#[derive(Subcommand)]
pub(crate) enum StoreCommand {
    Show(Show),
    Clear(Clear),
}

/// Show what is in a store: whether it is complete, and the version of each flag and segment.
#[derive(clap::Args)]
pub(crate) struct Show {
    #[command(flatten)]
    pub(crate) store: NamedStore,

    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Remove every flag and segment from a store, for all who use it.
#[derive(clap::Args)]
pub(crate) struct Clear {
    #[command(flatten)]
    pub(crate) store: NamedStore,

    /// Yes, remove them.
    #[arg(long)]
    pub(crate) yes: bool,
}

/// Which store.
#[derive(clap::Args)]
pub(crate) struct NamedStore {
    /// redis://HOST:PORT/DATABASE, rediss://… for TLS, or sqlite:PATH. Better given by the
    /// environment if it holds a password.
    #[arg(value_name = "STORE", env = "FDV2_STORE", hide_env_values = true)]
    pub(crate) name: StoreName,

    /// The prefix of the keys in Redis; LaunchDarkly's by default.
    #[arg(long, value_name = "PREFIX")]
    pub(crate) prefix: Option<String>,
}

/// An asynchronous runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Runtime {
    /// A client of `fdv2-tokio`: reqwest for HTTP.
    Tokio,
    /// A client of `fdv2-smol`: surf for HTTP.
    Smol,
}
