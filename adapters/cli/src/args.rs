//! What can be said on the command line.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Parser, Subcommand, ValueEnum};

use crate::simulate::Script;
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
    Replay(Replay),
    Simulate(Simulate),
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

    /// Write all that the client receives to this new file, for a bug report: `fdv2 replay` runs it
    /// again. It holds flag data: what your flags and segments say of your users. It does not hold
    /// the SDK key.
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,

    /// Hide texts and numbers of flags and segments in the recording. Keys of flags and segments,
    /// versions, booleans, operators, addresses, error messages and the shape and size of everything
    /// stay, and it replays all the same. It ends early if the client would then decide otherwise.
    #[arg(long, requires = "record")]
    pub(crate) redact: bool,

    /// End the recording before it is larger than this: 500KB, 100MB, 2GB. The client goes on.
    #[arg(long, value_name = "SIZE", default_value = "1GB", requires = "record")]
    pub(crate) max_size: Size,
}

/// Run a recording of `fdv2 watch --record` again, offline, and print what the client decided.
///
/// It must be the same as when it was recorded, bit for bit. If not, or if the file is damaged, the
/// first event or line at fault is named, and the exit code is 1.
#[derive(clap::Args)]
pub(crate) struct Replay {
    /// The recording.
    pub(crate) file: PathBuf,

    /// Print only the result.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// Simulate very many clients whose service fails and returns, in virtual time.
///
/// Each client is the real core with a clock of its own. Prints the requests per second over time,
/// and how long it takes until everyone has the newest data. The same arguments give the same
/// result, on any number of threads.
#[derive(clap::Args)]
pub(crate) struct Simulate {
    /// How many clients. 100,000 need about 1.4 GB of memory.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub(crate) clients: u32,

    /// How the service fares: outage, restart, brownout or directive, or a text such as
    /// "0s up, 60s down 503, 120s up, 300s hang". There are up (with newer data each time), down
    /// (connections are refused), down STATUS, hang, brownout PERCENT and directive SECONDS.
    #[arg(long, value_name = "SCRIPT", default_value = "outage")]
    pub(crate) script: Script,

    /// How the clients get their flags.
    #[arg(long, value_enum, default_value_t = Mode::Default)]
    pub(crate) mode: Mode,

    /// How many flags the service has. One of them changes.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) flags: u32,

    /// The most requests per second that the service can answer; it answers others with 503.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) capacity: Option<u64>,

    /// Within how many seconds all clients start.
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(0..=86_400))]
    pub(crate) ramp: u64,

    /// Another seed is another run.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// On how many threads; on all cores by default.
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<std::num::NonZeroU8>,

    /// Draw a chart into this file.
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) chart: Option<PathBuf>,
}

/// How simulated clients get their flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// A poll first, then a stream, with polling behind it.
    Default,
    /// A stream alone.
    Streaming,
    /// Polling alone.
    Polling,
}

impl Mode {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Streaming => "streaming",
            Self::Polling => "polling",
        }
    }
}

/// A number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size(pub(crate) u64);

impl FromStr for Size {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (number, unit) = text.split_at(digits);
        let factor: u64 = match unit {
            "" | "B" => 1,
            "KB" => 1_000,
            "MB" => 1_000_000,
            "GB" => 1_000_000_000,
            _ => return Err("write a number and B, KB, MB or GB, such as 100MB"),
        };
        let number: u64 =
            number.parse().map_err(|_| "write a whole number first, such as 100MB")?;
        number.checked_mul(factor).map(Self).ok_or("this is more than any file can have")
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_has_a_unit() {
        let sizes = ["7", "7B", "500KB", "100MB", "2GB"].map(|text| text.parse::<Size>());
        let bytes = [7, 7, 500_000, 100_000_000, 2_000_000_000].map(|bytes| Ok(Size(bytes)));
        assert_eq!(sizes, bytes);
        for text in
            ["", "MB", "1 MB", "1mb", "-1", "1.5GB", "99999999999999999999", "99999999999GB"]
        {
            assert!(text.parse::<Size>().is_err(), "{text}");
        }
    }
}
