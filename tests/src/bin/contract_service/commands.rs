//! Commands to a client (C 3.5).

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::callback::Caller;
use crate::clients::Held;
use crate::refusal::{Refusal, read};
use crate::{big_segments, contexts, evaluate, listeners};

/// The name of a command, and its parameters in the member of the same name. All other members are
/// null, or left out.
#[derive(Deserialize)]
struct Command {
    command: String,
    #[serde(flatten)]
    members: Map<String, Value>,
}

impl Command {
    fn parameters<T: DeserializeOwned>(&mut self) -> Result<T, Refusal> {
        let name = &self.command;
        let parameters = self.members.remove(name).filter(|parameters| !parameters.is_null());
        let parameters = parameters.ok_or_else(|| {
            Refusal::malformed(format!("the command {name} needs parameters, in the member {name}"))
        })?;
        serde_json::from_value(parameters)
            .map_err(|error| Refusal::malformed(format!("the parameters of {name}: {error}")))
    }
}

/// Runs a command. Some have no answer.
pub(crate) async fn run(
    held: &Held,
    caller: &Caller,
    body: &[u8],
) -> Result<Option<Value>, Refusal> {
    let mut command: Command = read(body)?;
    let client = &held.client;
    match command.command.as_str() {
        "evaluate" => evaluate::one(client, command.parameters()?).map(Some),
        "evaluateAll" => evaluate::all(client, command.parameters()?).await.map(Some),
        "contextBuild" => contexts::build(command.parameters()?).map(Some),
        "contextConvert" => Ok(Some(contexts::convert(&command.parameters()?))),
        "contextComparison" => contexts::compare(command.parameters()?).map(Some),
        "secureModeHash" => contexts::secure_mode_hash(client, command.parameters()?).map(Some),
        "getBigSegmentStoreStatus" => Ok(Some(big_segments::status(client).await)),
        "registerFlagChangeListener" => {
            listeners::on_flag_change(held, caller, command.parameters()?).map(|()| None)
        }
        "registerFlagValueChangeListener" => {
            listeners::on_value_change(held, caller, command.parameters()?).map(|()| None)
        }
        "unregisterListener" => listeners::unregister(held, &command.parameters()?).map(|()| None),
        // There are no analytics events.
        "identifyEvent" | "customEvent" | "flushEvents" => Ok(None),
        unknown => Err(Refusal::malformed(format!("there is no command {unknown:?} here"))),
    }
}
