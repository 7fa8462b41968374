//! `staff switch …`

use clap::{Subcommand, ValueEnum};
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::staff_service_client::StaffServiceClient;
use contracts::public::Timestamp;
use serde::Serialize;

use super::fleet::Fleet;
use super::output::{self, Output};
use super::problem::Problem;
use super::table::table;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List all switches and how they stand
    List,
    /// Throw a switch; every gateway acts on it within a second
    Set {
        /// Which one
        name: Name,
        /// How it is to stand
        stand: Stand,
        /// Why, for whoever looks later
        #[arg(long, default_value = "", hide_default_value = true)]
        reason: String,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum Name {
    /// Off: every call is answered `api_unavailable`
    Api,
    /// Off: the economy and tips are answered `module_off`
    Economy,
    /// Off: writes by API are answered `module_off`
    ApiWrites,
    /// Off: new games and events are answered `closed`
    Submissions,
    /// On: whatever would change something is answered `closed`
    ReadOnly,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Stand {
    On,
    Off,
}

impl Name {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Economy => "economy",
            Self::ApiWrites => "api_writes",
            Self::Submissions => "submissions",
            Self::ReadOnly => "read_only",
        }
    }
}

#[derive(Debug, Serialize)]
struct Switch {
    name: String,
    on: bool,
    changed_at: Option<Timestamp>,
    reason: String,
}

impl From<proto::Switch> for Switch {
    fn from(switch: proto::Switch) -> Self {
        Self {
            name: switch.name,
            on: switch.on,
            changed_at: output::moment(switch.changed_at),
            reason: switch.reason,
        }
    }
}

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Problem> {
    let mut gateway = StaffServiceClient::new(fleet.gateway().await?);
    match command {
        Command::List => {
            let answer = gateway.list_switches(proto::ListSwitchesRequest {}).await?;
            let answer = answer.into_inner();
            let switches: Vec<Switch> = answer.switches.into_iter().map(Switch::from).collect();
            let document = serde_json::json!({ "switches": switches });
            output.answer(&document, || listed(&switches))
        }
        Command::Set {
            name,
            stand,
            reason,
        } => {
            let request = proto::SetSwitchRequest {
                name: name.as_str().to_owned(),
                on: stand == Stand::On,
                reason,
            };
            let answer = gateway.set_switch(request).await?.into_inner();
            let switch = Switch::from(answer.switch.unwrap_or_default());
            let document = serde_json::json!({ "switch": switch });
            output.answer(&document, || listed(&[switch]))
        }
    }
}

fn listed(switches: &[Switch]) -> comfy_table::Table {
    let rows = switches.iter().map(|switch| {
        let stands = if switch.on { "on" } else { "off" };
        [
            switch.name.clone(),
            stands.to_owned(),
            output::shown(switch.changed_at.as_ref()),
            switch.reason.clone(),
        ]
    });
    table(["switch", "stands", "since", "reason"], rows)
}
