//! `fdv2 serve`.

use std::path::Path;
use std::sync::Arc;

use fdv2_client::Config;
use fdv2_server::{Notice, Options, Server, StartError};

use crate::args::Serve;
use crate::failure::Failure;
use crate::output::Output;
use crate::signal::interrupted;
use crate::words::{self, counted};

/// So many keys of one edit are named.
const NAMED_KEYS: usize = 8;

pub(crate) async fn run(args: Serve, output: &Output) -> Result<(), Failure> {
    let has_key = args.sdk_key.is_some();
    let mut options = Options::new(&args.file).listen(args.listen);
    if let Some(key) = args.sdk_key {
        // A key that no client could send would shut out everybody.
        Config::builder(&key).build().map_err(|error| Failure::Usage(error.to_string()))?;
        options = options.sdk_key(key);
    }
    let server = Server::start(options).await.map_err(explain)?;
    let told = tokio::select! {
        told = tell(&server, &args.file, has_key, output) => told,
        () = output.closed() => Err(Failure::OutputClosed),
        () = interrupted() => Ok(()),
    };
    server.stop().await;
    told
}

fn explain(error: StartError) -> Failure {
    match error {
        StartError::File(fault) => Failure::Failed(fault.to_string()),
        StartError::Listen { address, error } => Failure::Failed(format!(
            "cannot listen on {address}: {error}; choose another port with --listen, \
             0 for any free one"
        )),
        other => Failure::Failed(other.to_string()),
    }
}

async fn tell(server: &Server, file: &Path, has_key: bool, output: &Output) -> Result<(), Failure> {
    let mut notices = server.notices();
    let (style, url) = (output.style, server.url());
    let key = if has_key { "--sdk-key YOUR-KEY" } else { "--sdk-key any" };
    let flags = counted(server.flags(), "flag");
    output.line(format!("Serving {flags} of {} at {}", file.display(), style.bold(&url))).await?;
    output.line(format!("Watch it:  {} watch {key} --base-url {url}", words::command())).await?;
    output.line("Edit the file, and every client follows. Ctrl-C ends.").await?;
    while let Some(notice) = notices.next().await {
        let line = match notice {
            Notice::Edited { keys } => format!("{}  {}", style.green("edited"), named(&keys)),
            Notice::Broken(fault) => {
                format!("{}  {fault}; still serving the last good file", style.red("broken"))
            }
            Notice::Mended => format!("{}  nothing changed", style.green("mended")),
            Notice::StreamOpened { open } | Notice::StreamClosed { open } => {
                format!("{}  {} open", style.dim("client"), counted(open, "stream"))
            }
            _ => continue,
        };
        output.line(line).await?;
    }
    Ok(())
}

fn named(keys: &[Arc<str>]) -> String {
    let (named, rest) = keys.split_at(keys.len().min(NAMED_KEYS));
    let named = named.join(", ");
    if rest.is_empty() { named } else { format!("{named} and {} more", rest.len()) }
}
