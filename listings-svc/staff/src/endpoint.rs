//! `staff endpoint …`: the endpoints of accounts, to which webhooks are delivered

use clap::{Args, Subcommand};
use contracts::webhook::v1 as proto;
use contracts::webhook::v1::deliveries_service_client::DeliveriesServiceClient;
use contracts::webhook::v1::endpoints_service_client::EndpointsServiceClient;
use kit::rpc::client::Client;
use serde_json::json;

use crate::account;
use crate::arguments::endpoint_id;
use crate::command_hint;
use crate::confirm::Confirmation;
use crate::delivery;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::table::{Column, table};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the endpoints of an account, oldest first
    List {
        /// The id or e-mail address of the account
        #[arg(long)]
        account: String,
    },
    /// Show an endpoint and the health of its deliveries
    Show(EndpointId),
    /// Add an endpoint; its signing secret is shown once
    Add(Add),
    /// Change an endpoint; options that are not given stay as they are
    Change(EndpointChange),
    /// Pause deliveries; new events queue up
    Pause(EndpointId),
    /// Resume deliveries, the queued ones first; also turns an endpoint on that was turned off
    Resume(EndpointId),
    /// Make a new signing secret, shown once; the old one signs for another day, or until `switch-secret`
    RotateSecret(EndpointId),
    /// Sign with the new secret from now on
    SwitchSecret(EndpointId),
    /// Remove an endpoint and its queued deliveries
    Remove {
        /// The id of the endpoint
        #[arg(value_parser = endpoint_id)]
        id: String,
        #[command(flatten)]
        confirmation: Confirmation,
    },
    /// Send the example event of the documentation
    Test(delivery::Test),
}

#[derive(Debug, Args)]
pub(crate) struct EndpointId {
    /// The id of the endpoint
    #[arg(value_parser = endpoint_id)]
    id: String,
}

#[derive(Debug, Args)]
pub(crate) struct Add {
    /// The id or e-mail address of the account
    #[arg(long)]
    account: String,
    /// Public https on the usual port, with a host name
    #[arg(long)]
    url: String,
    /// The events it receives, such as listing.published,tip.paid
    #[arg(long, value_delimiter = ',', required = true)]
    events: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct EndpointChange {
    /// The id of the endpoint
    #[arg(value_parser = endpoint_id)]
    id: String,
    /// The new address
    #[arg(long)]
    url: Option<String>,
    /// The events it receives, in place of the present ones
    #[arg(long, value_delimiter = ',')]
    events: Vec<String>,
}

const COLUMNS: &[Column<proto::Endpoint>] = &[
    ("endpoint", |it| it.id.clone()),
    ("url", |it| it.url.clone()),
    ("events", |it| it.events.join(" ")),
    ("state", |it| output::name_of(it.state())),
    ("queued", |it| health(it).queued.to_string()),
    ("failures", |it| health(it).failures.to_string()),
];

fn health(endpoint: &proto::Endpoint) -> proto::Health {
    endpoint.health.unwrap_or_default()
}

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let channel = fleet.webhook().await?;
    let mut webhooks = EndpointsServiceClient::new(channel.clone());
    let account_id = String::new();
    match command {
        Command::List { account } => {
            let account_id = account::id(fleet, account).await?;
            let request = proto::ListEndpointsRequest { account_id };
            let response = webhooks.list_endpoints(request).await?.into_inner();
            output.rows("endpoints", &response.endpoints, COLUMNS)
        }
        Command::Show(EndpointId { id }) => {
            let request = proto::GetEndpointRequest { account_id, id };
            let response = webhooks.get_endpoint(request).await?.into_inner();
            print(response.endpoint, output)
        }
        Command::Add(arguments) => add(arguments, webhooks, fleet, output).await,
        Command::Change(change) => {
            let events = (!change.events.is_empty()).then_some(change.events);
            let request = proto::ChangeEndpointRequest {
                account_id,
                id: change.id,
                url: change.url,
                events: events.map(|events| proto::EventList { events }),
            };
            let response = webhooks.change_endpoint(request).await?.into_inner();
            print(response.endpoint, output)
        }
        Command::Pause(EndpointId { id }) => {
            let request = proto::PauseEndpointRequest { account_id, id };
            let response = webhooks.pause_endpoint(request).await?.into_inner();
            print(response.endpoint, output)
        }
        Command::Resume(EndpointId { id }) => {
            let request = proto::ResumeEndpointRequest { account_id, id };
            let response = webhooks.resume_endpoint(request).await?.into_inner();
            print(response.endpoint, output)
        }
        Command::RotateSecret(EndpointId { id }) => {
            let request = proto::RotateSecretRequest { account_id, id };
            let response = webhooks.rotate_secret(request).await?.into_inner();
            print_with_secret(response.endpoint, &response.secret, output)
        }
        Command::SwitchSecret(EndpointId { id }) => {
            let request = proto::SwitchSecretRequest { account_id, id };
            let response = webhooks.switch_secret(request).await?.into_inner();
            print(response.endpoint, output)
        }
        Command::Remove { id, confirmation } => {
            let question = format!(
                "Remove the endpoint {id}? Its queued deliveries are removed too. Pausing it keeps them."
            );
            confirmation.ask(&question).await?;
            let removed = format!("removed: endpoint {id}");
            let document = json!({ "removed": id });
            let request = proto::RemoveEndpointRequest { account_id, id };
            webhooks.remove_endpoint(request).await?;
            output.line(&document, &removed)
        }
        Command::Test(test) => {
            delivery::test(test, DeliveriesServiceClient::new(channel), output).await
        }
    }
}

async fn add(
    arguments: Add,
    mut webhooks: EndpointsServiceClient<Client>,
    fleet: &Fleet,
    output: Output,
) -> Result<(), Error> {
    let account_id = account::id(fleet, arguments.account).await?;
    let request = proto::AddEndpointRequest {
        account_id: account_id.clone(),
        url: arguments.url,
        events: arguments.events,
    };
    let response = webhooks.add_endpoint(request).await?.into_inner();
    print_with_secret(response.endpoint, &response.secret, output)?;
    if let Some(plan) = account::plan_without_webhook_events(fleet, &account_id).await {
        output::note(&format!(
            "the account's plan, {plan}, has no real webhook events: the endpoint gets test events only; {} lists the plans, and {} changes the account's",
            command_hint::staff("plan list"),
            command_hint::staff(&format!("account set-plan {account_id} PLAN"))
        ));
    }
    Ok(())
}

fn print(endpoint: Option<proto::Endpoint>, output: Output) -> Result<(), Error> {
    let it = endpoint.unwrap_or_default();
    let health = health(&it);
    let time = output::format_time;
    let properties = [
        ("endpoint", it.id.clone()),
        ("account", it.account_id.clone()),
        ("url", it.url.clone()),
        ("when entered, the url", it.address_check.clone()),
        ("events", it.events.join(" ")),
        ("state", output::name_of(it.state())),
        ("reason", it.reason.clone()),
        ("old secret signs until", time(it.rotating_until)),
        ("queued", health.queued.to_string()),
        ("queued since", time(health.queued_since)),
        ("failures since success", health.failures.to_string()),
        ("first failure", time(health.first_failure_at)),
        ("last failure", time(health.last_failure_at)),
        ("last success", time(health.last_success_at)),
    ];
    let columns: [Column<(&str, String)>; 2] = [
        ("", |(name, _)| (*name).to_owned()),
        ("value", |(_, value)| value.clone()),
    ];
    output.answer(&it, || {
        let given = properties.into_iter().filter(|(_, it)| !it.is_empty());
        table(&given.collect::<Vec<_>>(), &columns)
    })
}

fn print_with_secret(
    endpoint: Option<proto::Endpoint>,
    secret: &str,
    output: Output,
) -> Result<(), Error> {
    let endpoint = endpoint.unwrap_or_default();
    let line = format!(
        "endpoint {}\nThe signing secret, shown only now: {secret}",
        endpoint.id
    );
    output.line(&json!({ "endpoint": endpoint, "secret": secret }), &line)
}
