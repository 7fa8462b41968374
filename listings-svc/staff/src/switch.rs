//! `staff switch …`

use clap::{Subcommand, ValueEnum};
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::staff_service_client::StaffServiceClient;

use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::table::Column;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List all switches with their states
    List,
    /// Turn a switch on or off; every gateway applies it within a second
    Set {
        name: Name,
        state: SwitchState,
        /// The reason, for the record
        #[arg(long, default_value = "", hide_default_value = true)]
        reason: String,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum, strum::Display)]
#[value(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub(crate) enum Name {
    /// Off: every call gets `api_unavailable`
    Api,
    /// Off: calls of the economy and tips get `module_off`
    Economy,
    /// Off: writes through the API get `module_off`
    ApiWrites,
    /// Off: new games and events get `closed`
    Submissions,
    /// On: every call that would change data gets `closed`
    ReadOnly,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SwitchState {
    On,
    Off,
}

const COLUMNS: &[Column<proto::Switch>] = &[
    ("switch", |it| it.name.clone()),
    ("state", |it| if it.on { "on" } else { "off" }.to_owned()),
    ("since", |it| output::format_time(it.changed_at)),
    ("reason", |it| it.reason.clone()),
];

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let mut gateway = StaffServiceClient::new(fleet.gateway().await?);
    match command {
        Command::List => {
            let response = gateway.list_switches(proto::ListSwitchesRequest {}).await?;
            output.rows("switches", &response.into_inner().switches, COLUMNS)
        }
        Command::Set {
            name,
            state,
            reason,
        } => {
            let request = proto::SetSwitchRequest {
                name: name.to_string(),
                on: state == SwitchState::On,
                reason,
            };
            let response = gateway.set_switch(request).await?.into_inner();
            output.row("switch", &response.switch.unwrap_or_default(), COLUMNS)
        }
    }
}
