//! `staff webhooks …`: endpoints of accounts, and deliveries to them

mod delivery;
mod endpoint;

use clap::Subcommand;
use contracts::webhook::v1::staff_service_client::StaffServiceClient;
use kit::rpc::client::Client;

use super::fleet::Fleet;
use super::output::Output;
use super::problem::Problem;

type Webhooks = StaffServiceClient<Client>;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Endpoint(endpoint::Command),
    #[command(flatten)]
    Delivery(delivery::Command),
}

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Problem> {
    let webhooks = Webhooks::new(fleet.webhook().await?);
    match command {
        Command::Endpoint(command) => endpoint::run(command, webhooks, output).await,
        Command::Delivery(command) => delivery::run(command, webhooks, output).await,
    }
}
