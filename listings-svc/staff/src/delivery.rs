//! `staff delivery …`: deliveries of webhooks to an endpoint

use std::num::NonZeroUsize;

use clap::{Args, Subcommand, ValueEnum};
use contracts::common::v1::PageRequest;
use contracts::webhook::v1 as proto;
use contracts::webhook::v1::deliveries_service_client::DeliveriesServiceClient;
use kit::rpc::client::Client;
use serde::Serialize;
use serde_json::json;
use time::OffsetDateTime;

use crate::arguments::{delivery_number, endpoint_id, limit, timestamp};
use crate::command_hint;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::rows;
use crate::table::{Column, table};

type Webhooks = DeliveriesServiceClient<Client>;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the deliveries to an endpoint, newest first
    List(List),
    /// Show a delivery: its body, and each attempt with the response
    Show(Show),
    /// Send a delivery now, also one that is finished
    SendAgain(Show),
    /// Send all deliveries again that failed since a time
    Recover(Recover),
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// The id of the endpoint
    #[arg(value_parser = endpoint_id)]
    endpoint: String,
    /// Only deliveries in this state
    #[arg(long)]
    state: Option<DeliveryState>,
    /// Rows at most
    #[arg(long, default_value = "50", value_parser = limit)]
    limit: NonZeroUsize,
}

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// The id of the endpoint
    #[arg(value_parser = endpoint_id)]
    endpoint: String,
    /// The number of the delivery
    #[arg(value_parser = delivery_number)]
    delivery: i64,
}

#[derive(Debug, Args)]
pub(crate) struct Recover {
    /// The id of the endpoint
    #[arg(value_parser = endpoint_id)]
    endpoint: String,
    /// The start of the outage, such as 2026-03-01T08:00:00Z
    #[arg(long, value_parser = timestamp)]
    since: OffsetDateTime,
    /// Count the deliveries and send none
    #[arg(long)]
    dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Test {
    /// The id of the endpoint
    #[arg(value_parser = endpoint_id)]
    endpoint: String,
    /// The event
    #[arg(long, default_value = "ping")]
    event: String,
    /// The kind of listing in the event: game, studio, person or event
    #[arg(long, default_value = "", hide_default_value = true)]
    kind: String,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
#[repr(i32)]
enum DeliveryState {
    Waiting = proto::DeliveryState::Waiting as i32,
    Delivered = proto::DeliveryState::Delivered as i32,
    Failed = proto::DeliveryState::Failed as i32,
    Cancelled = proto::DeliveryState::Cancelled as i32,
}

/// A delivery, with the result of its last attempt.
#[derive(Debug, Serialize)]
struct DeliveryRow {
    #[serde(flatten)]
    delivery: proto::Delivery,
    last_status: Option<u32>,
    last_reason: String,
}

impl From<proto::Delivery> for DeliveryRow {
    fn from(mut delivery: proto::Delivery) -> Self {
        let last = delivery.last_attempt.take().unwrap_or_default();
        Self {
            delivery,
            last_status: last.status,
            last_reason: last.reason,
        }
    }
}

const COLUMNS: &[Column<DeliveryRow>] = &[
    ("delivery", |it| it.delivery.id.to_string()),
    ("created", |it| output::format_time(it.delivery.created_at)),
    ("event", |it| it.delivery.event.clone()),
    ("state", |it| output::name_of(it.delivery.state())),
    ("attempts", |it| it.delivery.tries.to_string()),
    ("next attempt", |it| output::format_time(it.delivery.due_at)),
    ("status", |it| status(it.last_status)),
    ("reason", |it| it.last_reason.clone()),
];

const ATTEMPT_COLUMNS: &[Column<proto::Attempt>] = &[
    ("attempt", |it| it.number.to_string()),
    ("at", |it| output::format_time(it.at)),
    ("ms", |it| it.duration_ms.to_string()),
    ("status", |it| status(it.status)),
    ("reason", |it| it.reason.clone()),
    ("answer", |it| {
        String::from_utf8_lossy(&it.answer).into_owned()
    }),
];

fn status(status: Option<u32>) -> String {
    status.map(|status| status.to_string()).unwrap_or_default()
}

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let mut webhooks = Webhooks::new(fleet.webhook().await?);
    let account_id = String::new();
    match command {
        Command::List(filter) => list(filter, webhooks, output).await,
        Command::Show(Show { endpoint, delivery }) => {
            let request = proto::GetDeliveryRequest {
                account_id,
                endpoint_id: endpoint,
                id: delivery,
            };
            let response = webhooks.get_delivery(request).await?.into_inner();
            print(response, output)
        }
        Command::SendAgain(Show { endpoint, delivery }) => {
            let request = proto::SendAgainRequest {
                account_id,
                endpoint_id: endpoint.clone(),
                id: delivery,
            };
            let response = webhooks.send_again(request).await?.into_inner();
            print_queued(response.delivery, &response.next, &endpoint, output)
        }
        Command::Recover(Recover {
            endpoint,
            since,
            dry_run,
        }) => {
            let request = proto::RecoverRequest {
                account_id,
                endpoint_id: endpoint,
                since: Some(kit::timestamp::encode(since)),
                dry_run,
            };
            let response = webhooks.recover(request).await?.into_inner();
            let (count, next) = (response.deliveries, response.next);
            let line = format!("{count} deliveries have failed since then. {next}");
            let json = json!({ "deliveries": count, "dry_run": dry_run, "next": next });
            output.line(&json, &line)
        }
    }
}

/// `staff endpoint test`
pub(crate) async fn test(test: Test, mut webhooks: Webhooks, output: Output) -> Result<(), Error> {
    let request = proto::SendTestEventRequest {
        account_id: String::new(),
        endpoint_id: test.endpoint.clone(),
        event: test.event,
        kind: test.kind,
    };
    let response = webhooks.send_test_event(request).await?.into_inner();
    print_queued(response.delivery, &response.next, &test.endpoint, output)
}

async fn list(filter: List, webhooks: Webhooks, output: Output) -> Result<(), Error> {
    let read = async |page: PageRequest| {
        let request = proto::ListDeliveriesRequest {
            account_id: String::new(),
            endpoint_id: filter.endpoint.clone(),
            state: filter.state.map_or(0, |state| state as i32),
            limit: page.limit,
            cursor: page.cursor,
        };
        let response = webhooks.clone().list_deliveries(request).await?;
        let response = response.into_inner();
        let deliveries = response.deliveries.into_iter().map(DeliveryRow::from);
        Ok((deliveries.collect(), response.next_cursor))
    };
    output.list(
        "deliveries",
        &rows::read(filter.limit, read).await?,
        COLUMNS,
    )
}

fn print(response: proto::GetDeliveryResponse, output: Output) -> Result<(), Error> {
    let row = DeliveryRow::from(response.delivery.unwrap_or_default());
    let attempts = response.attempts;
    let body = String::from_utf8_lossy(&response.body).into_owned();
    if output.is_json() {
        let document = json!({ "delivery": row, "attempts": attempts, "body": body });
        return output.line(&document, "");
    }
    let delivery = &row.delivery;
    let state = output::name_of(delivery.state());
    output.print(&format!(
        "delivery {}: {}, {state}",
        delivery.id, delivery.event
    ));
    output.print(&body);
    output.print(&table(&attempts, ATTEMPT_COLUMNS).to_string());
    Ok(())
}

fn print_queued(
    delivery: Option<proto::Delivery>,
    next: &str,
    endpoint: &str,
    output: Output,
) -> Result<(), Error> {
    let row = DeliveryRow::from(delivery.unwrap_or_default());
    let number = row.delivery.id;
    let line = format!(
        "delivery {number} is queued. {next} {} shows the result",
        command_hint::staff(&format!("delivery show {endpoint} {number}"))
    );
    output.line(&row, &line)
}
