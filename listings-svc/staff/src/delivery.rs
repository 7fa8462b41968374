//! `staff delivery …`: deliveries of webhooks to an endpoint

use std::num::NonZeroUsize;

use clap::{Args, Subcommand, ValueEnum};
use contracts::public::Timestamp;
use contracts::webhook::v1 as proto;
use contracts::webhook::v1::staff_service_client::StaffServiceClient;
use kit::rpc::client::Client;
use serde::Serialize;
use serde_json::json;
use time::OffsetDateTime;

use crate::arguments::{delivery_number, endpoint_id, limit, timestamp};
use crate::command_hint;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::table::table;

/// Deliveries per request.
const PAGE_SIZE: usize = 100;

type Webhooks = StaffServiceClient<Client>;

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
    /// Only deliveries of this event, such as listing.published
    #[arg(long, default_value = "", hide_default_value = true)]
    event: String,
    /// Only deliveries since this time, such as 2026-03-01T08:00:00Z
    #[arg(long, value_parser = timestamp)]
    since: Option<OffsetDateTime>,
    /// Only deliveries before this time
    #[arg(long, value_parser = timestamp)]
    until: Option<OffsetDateTime>,
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
enum DeliveryState {
    Waiting,
    Delivered,
    Failed,
    Cancelled,
}

#[derive(Debug, Serialize)]
struct DeliveryRow {
    delivery: i64,
    message: String,
    event: String,
    state: &'static str,
    created_at: Option<Timestamp>,
    tries: u32,
    due_at: Option<Timestamp>,
    last_status: Option<u32>,
    last_reason: String,
}

impl From<proto::Delivery> for DeliveryRow {
    fn from(delivery: proto::Delivery) -> Self {
        let state = match delivery.state() {
            proto::DeliveryState::Delivered => "delivered",
            proto::DeliveryState::Failed => "failed",
            proto::DeliveryState::Cancelled => "cancelled",
            proto::DeliveryState::Waiting | proto::DeliveryState::Unspecified => "waiting",
        };
        let last = delivery.last_attempt.unwrap_or_default();
        Self {
            delivery: delivery.id,
            message: delivery.message_id,
            event: delivery.event,
            state,
            created_at: output::timestamp(delivery.created_at),
            tries: delivery.tries,
            due_at: output::timestamp(delivery.due_at),
            last_status: last.status,
            last_reason: last.reason,
        }
    }
}

#[derive(Debug, Serialize)]
struct Attempt {
    number: u32,
    at: Option<Timestamp>,
    duration_ms: u32,
    status: Option<u32>,
    reason: String,
    answer: String,
}

impl From<proto::Attempt> for Attempt {
    fn from(attempt: proto::Attempt) -> Self {
        Self {
            number: attempt.number,
            at: output::timestamp(attempt.at),
            duration_ms: attempt.duration_ms,
            status: attempt.status,
            reason: attempt.reason,
            answer: String::from_utf8_lossy(&attempt.answer).into_owned(),
        }
    }
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
            print_queued(response.delivery, &endpoint, output)
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
            let count = webhooks.recover(request).await?.into_inner().deliveries;
            let line = if dry_run {
                format!("{count} deliveries failed since then; none was sent again")
            } else {
                format!("{count} deliveries are sent again: a job puts them into the queue")
            };
            output.line(&json!({ "deliveries": count, "dry_run": dry_run }), &line)
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
    print_queued(response.delivery, &test.endpoint, output)
}

async fn list(filter: List, mut webhooks: Webhooks, output: Output) -> Result<(), Error> {
    let state = match filter.state {
        None => proto::DeliveryState::Unspecified,
        Some(DeliveryState::Waiting) => proto::DeliveryState::Waiting,
        Some(DeliveryState::Delivered) => proto::DeliveryState::Delivered,
        Some(DeliveryState::Failed) => proto::DeliveryState::Failed,
        Some(DeliveryState::Cancelled) => proto::DeliveryState::Cancelled,
    };
    let (mut deliveries, mut cursor) = (Vec::new(), String::new());
    loop {
        let rest = filter
            .limit
            .get()
            .saturating_sub(deliveries.len())
            .min(PAGE_SIZE);
        let request = proto::ListDeliveriesRequest {
            account_id: String::new(),
            endpoint_id: filter.endpoint.clone(),
            state: state.into(),
            event: filter.event.clone(),
            since: filter.since.map(kit::timestamp::encode),
            until: filter.until.map(kit::timestamp::encode),
            limit: u32::try_from(rest).unwrap_or_default(),
            cursor,
        };
        let response = webhooks.list_deliveries(request).await?.into_inner();
        deliveries.extend(response.deliveries.into_iter().map(DeliveryRow::from));
        cursor = response.next_cursor;
        if cursor.is_empty() || deliveries.len() >= filter.limit.get() {
            break;
        }
    }
    let more = !cursor.is_empty();
    let document = json!({ "deliveries": deliveries, "more": more });
    output.answer(&document, || delivery_table(&deliveries))
}

fn delivery_table(deliveries: &[DeliveryRow]) -> comfy_table::Table {
    let rows = deliveries.iter().map(|it| {
        let status = it.last_status.map(|status| status.to_string());
        [
            it.delivery.to_string(),
            output::format_time(it.created_at.as_ref()),
            it.event.clone(),
            it.state.to_owned(),
            it.tries.to_string(),
            output::format_time(it.due_at.as_ref()),
            status.unwrap_or_default(),
            it.last_reason.clone(),
        ]
    });
    let columns = [
        "delivery",
        "created",
        "event",
        "state",
        "attempts",
        "next attempt",
        "status",
        "reason",
    ];
    table(columns, rows)
}

fn print(response: proto::GetDeliveryResponse, output: Output) -> Result<(), Error> {
    let delivery = DeliveryRow::from(response.delivery.unwrap_or_default());
    let attempts: Vec<Attempt> = response.attempts.into_iter().map(Attempt::from).collect();
    let body = String::from_utf8_lossy(&response.body).into_owned();
    if output.is_json() {
        let document = json!({ "delivery": delivery, "attempts": attempts, "body": body });
        return output.line(&document, "");
    }
    output.print(&format!(
        "delivery {}: {}, {}",
        delivery.delivery, delivery.event, delivery.state
    ));
    output.print(&body);
    let rows = attempts.iter().map(|it| {
        let status = it.status.map(|status| status.to_string());
        [
            it.number.to_string(),
            output::format_time(it.at.as_ref()),
            it.duration_ms.to_string(),
            status.unwrap_or_default(),
            it.reason.clone(),
            it.answer.clone(),
        ]
    });
    let attempts = table(["attempt", "at", "ms", "status", "reason", "answer"], rows);
    output.print(&attempts.to_string());
    Ok(())
}

fn print_queued(
    delivery: Option<proto::Delivery>,
    endpoint: &str,
    output: Output,
) -> Result<(), Error> {
    let delivery = DeliveryRow::from(delivery.unwrap_or_default());
    let number = delivery.delivery;
    let line = format!(
        "delivery {number} is queued: {} shows the result",
        command_hint::staff(&format!("delivery show {endpoint} {number}"))
    );
    output.line(&delivery, &line)
}
