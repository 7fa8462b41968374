//! Endpoints.

use clap::{Args, Subcommand};
use contracts::public::Timestamp;
use contracts::webhook::v1 as proto;
use serde::Serialize;
use serde_json::json;

use super::Webhooks;
use crate::output::{self, Output};
use crate::problem::Problem;
use crate::table::table;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the endpoints of an account, the oldest first
    List {
        /// The account's id
        #[arg(long)]
        account: String,
    },
    /// Show an endpoint and how deliveries to it go
    Show {
        /// The endpoint's id
        id: String,
    },
    /// Add an endpoint; its signing secret is shown this once
    Add(Add),
    /// Change an endpoint; what is not given stays as it is
    Change(Change),
    /// Stop deliveries; what is sent from now on queues up
    Pause {
        /// The endpoint's id
        id: String,
    },
    /// Go on with what has queued up; also switches on what was switched off
    Resume {
        /// The endpoint's id
        id: String,
    },
    /// Make a new signing secret, shown this once; the old one signs for a day more, or until `switch`
    Rotate {
        /// The endpoint's id
        id: String,
    },
    /// Let the new secret sign from now on
    Switch {
        /// The endpoint's id
        id: String,
    },
    /// Remove an endpoint with what has queued up for it
    Remove {
        /// The endpoint's id
        id: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Add {
    /// The account's id
    #[arg(long)]
    account: String,
    /// Public https on the usual port, with a host name
    #[arg(long)]
    url: String,
    /// What it receives, such as listing.published,tip.paid
    #[arg(long, value_delimiter = ',', required = true)]
    events: Vec<String>,
    /// Deliveries a second at most
    #[arg(long)]
    rate_limit: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct Change {
    /// The endpoint's id
    id: String,
    /// Another address
    #[arg(long)]
    url: Option<String>,
    /// What it receives instead
    #[arg(long, value_delimiter = ',')]
    events: Vec<String>,
    /// Deliveries a second at most; 0 for no limit
    #[arg(long)]
    rate_limit: Option<u32>,
}

#[derive(Debug, Serialize)]
struct EndpointRow {
    id: String,
    account: String,
    url: String,
    events: Vec<String>,
    state: &'static str,
    reason: String,
    rate_limit: Option<u32>,
    rotating_until: Option<Timestamp>,
    queued: u64,
    queued_since: Option<Timestamp>,
    failures: u32,
    first_failure_at: Option<Timestamp>,
    last_failure_at: Option<Timestamp>,
    last_success_at: Option<Timestamp>,
}

impl From<proto::Endpoint> for EndpointRow {
    fn from(endpoint: proto::Endpoint) -> Self {
        let state = match endpoint.state() {
            proto::EndpointState::On => "on",
            proto::EndpointState::Paused => "paused",
            proto::EndpointState::Off | proto::EndpointState::Unspecified => "off",
        };
        let health = endpoint.health.unwrap_or_default();
        Self {
            id: endpoint.id,
            account: endpoint.account_id,
            url: endpoint.url,
            events: endpoint.events,
            state,
            reason: endpoint.reason,
            rate_limit: endpoint.rate_limit,
            rotating_until: output::moment(endpoint.rotating_until),
            queued: health.queued,
            queued_since: output::moment(health.queued_since),
            failures: health.failures,
            first_failure_at: output::moment(health.first_failure_at),
            last_failure_at: output::moment(health.last_failure_at),
            last_success_at: output::moment(health.last_success_at),
        }
    }
}

pub(super) async fn run(
    command: Command,
    mut webhooks: Webhooks,
    output: Output,
) -> Result<(), Problem> {
    let account_id = String::new();
    match command {
        Command::List { account } => {
            let request = proto::ListEndpointsRequest {
                account_id: account,
            };
            let answer = webhooks.list_endpoints(request).await?.into_inner();
            list(answer.endpoints, output)
        }
        Command::Show { id } => {
            let request = proto::GetEndpointRequest { account_id, id };
            let answer = webhooks.get_endpoint(request).await?.into_inner();
            shown(answer.endpoint, output)
        }
        Command::Add(add) => {
            let request = proto::AddEndpointRequest {
                account_id: add.account,
                url: add.url,
                events: add.events,
                rate_limit: add.rate_limit,
            };
            let answer = webhooks.add_endpoint(request).await?.into_inner();
            with_secret(answer.endpoint, &answer.secret, output)
        }
        Command::Change(change) => {
            let events = (!change.events.is_empty()).then_some(change.events);
            let request = proto::ChangeEndpointRequest {
                account_id,
                id: change.id,
                url: change.url,
                events: events.map(|events| proto::EventList { events }),
                rate_limit: change.rate_limit,
            };
            let answer = webhooks.change_endpoint(request).await?.into_inner();
            shown(answer.endpoint, output)
        }
        Command::Pause { id } => {
            let request = proto::PauseEndpointRequest { account_id, id };
            let answer = webhooks.pause_endpoint(request).await?.into_inner();
            shown(answer.endpoint, output)
        }
        Command::Resume { id } => {
            let request = proto::ResumeEndpointRequest { account_id, id };
            let answer = webhooks.resume_endpoint(request).await?.into_inner();
            shown(answer.endpoint, output)
        }
        Command::Rotate { id } => {
            let request = proto::RotateSecretRequest { account_id, id };
            let answer = webhooks.rotate_secret(request).await?.into_inner();
            with_secret(answer.endpoint, &answer.secret, output)
        }
        Command::Switch { id } => {
            let request = proto::SwitchSecretRequest { account_id, id };
            let answer = webhooks.switch_secret(request).await?.into_inner();
            shown(answer.endpoint, output)
        }
        Command::Remove { id } => {
            let removed = format!("removed: endpoint {id}");
            let document = json!({ "removed": id });
            let request = proto::RemoveEndpointRequest { account_id, id };
            webhooks.remove_endpoint(request).await?;
            output.line(&document, &removed)
        }
    }
}

fn list(endpoints: Vec<proto::Endpoint>, output: Output) -> Result<(), Problem> {
    let endpoints: Vec<EndpointRow> = endpoints.into_iter().map(EndpointRow::from).collect();
    output.answer(&json!({ "endpoints": endpoints }), || {
        let rows = endpoints.iter().map(|it| {
            [
                it.id.clone(),
                it.url.clone(),
                it.events.join(" "),
                it.state.to_owned(),
                it.queued.to_string(),
                it.failures.to_string(),
            ]
        });
        table(
            ["endpoint", "url", "events", "state", "queued", "failures"],
            rows,
        )
    })
}

fn shown(endpoint: Option<proto::Endpoint>, output: Output) -> Result<(), Problem> {
    let endpoint = EndpointRow::from(endpoint.unwrap_or_default());
    output.answer(&endpoint, || {
        let limit = endpoint.rate_limit.map(|limit| limit.to_string());
        let time = |at: &Option<Timestamp>| output::shown(at.as_ref());
        let rows = [
            ("endpoint", endpoint.id.clone()),
            ("account", endpoint.account.clone()),
            ("url", endpoint.url.clone()),
            ("events", endpoint.events.join(" ")),
            ("state", endpoint.state.to_owned()),
            ("reason", endpoint.reason.clone()),
            ("deliveries a second", limit.unwrap_or_default()),
            ("old secret signs until", time(&endpoint.rotating_until)),
            ("queued", endpoint.queued.to_string()),
            ("queued since", time(&endpoint.queued_since)),
            ("failed since success", endpoint.failures.to_string()),
            ("first failure", time(&endpoint.first_failure_at)),
            ("last failure", time(&endpoint.last_failure_at)),
            ("last success", time(&endpoint.last_success_at)),
        ];
        let rows = rows.into_iter().filter(|(_, value)| !value.is_empty());
        table(
            ["", "value"],
            rows.map(|(name, value)| [name.to_owned(), value]),
        )
    })
}

fn with_secret(
    endpoint: Option<proto::Endpoint>,
    secret: &str,
    output: Output,
) -> Result<(), Problem> {
    let endpoint = EndpointRow::from(endpoint.unwrap_or_default());
    let line = format!(
        "endpoint {}\nsigning secret, shown this once: {secret}",
        endpoint.id
    );
    output.line(&json!({ "endpoint": endpoint, "secret": secret }), &line)
}
