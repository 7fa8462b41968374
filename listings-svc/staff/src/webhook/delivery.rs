//! Deliveries.

use std::num::NonZeroUsize;

use clap::{Args, Subcommand, ValueEnum};
use contracts::public::Timestamp;
use contracts::webhook::v1 as proto;
use serde::Serialize;
use serde_json::json;
use time::format_description::well_known::Rfc3339;
use time::{OffsetDateTime, UtcOffset};

use super::Webhooks;
use crate::arguments::rows;
use crate::output::{self, Output};
use crate::problem::Problem;
use crate::table::table;

/// Rows asked for at once.
const PAGE: usize = 100;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List deliveries to an endpoint, the newest first
    Deliveries(Deliveries),
    /// Show a delivery: its body, and each try with its answer
    Delivery {
        /// The endpoint's id
        endpoint: String,
        /// The delivery's number
        delivery: i64,
    },
    /// Try a delivery now, once more if it is done
    SendAgain {
        /// The endpoint's id
        endpoint: String,
        /// The delivery's number
        delivery: i64,
    },
    /// Try all deliveries that failed since a time anew
    Recover {
        /// The endpoint's id
        endpoint: String,
        /// Since then, such as 2026-03-01T08:00:00Z
        #[arg(long, value_parser = moment)]
        since: OffsetDateTime,
        /// Only count them
        #[arg(long)]
        dry_run: bool,
    },
    /// Send an event as its documentation shows it
    Test {
        /// The endpoint's id
        endpoint: String,
        /// Which event
        #[arg(long, default_value = "ping")]
        event: String,
        /// What it is about: game, studio, person or event
        #[arg(long, default_value = "", hide_default_value = true)]
        kind: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Deliveries {
    /// The endpoint's id
    endpoint: String,
    /// Only those in this state
    #[arg(long)]
    state: Option<State>,
    /// Only of this event
    #[arg(long, default_value = "", hide_default_value = true)]
    event: String,
    /// Only since then, such as 2026-03-01T08:00:00Z
    #[arg(long, value_parser = moment)]
    since: Option<OffsetDateTime>,
    /// Only before then
    #[arg(long, value_parser = moment)]
    until: Option<OffsetDateTime>,
    /// Rows at most
    #[arg(long, default_value = "50", value_parser = rows)]
    limit: NonZeroUsize,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum State {
    Waiting,
    Delivered,
    Failed,
    Cancelled,
}

fn moment(text: &str) -> Result<OffsetDateTime, String> {
    OffsetDateTime::parse(text, &Rfc3339)
        .ok()
        .and_then(|at| at.checked_to_offset(UtcOffset::UTC))
        .ok_or_else(|| "give a time such as 2026-03-01T08:00:00Z".to_owned())
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
            created_at: output::moment(delivery.created_at),
            tries: delivery.tries,
            due_at: output::moment(delivery.due_at),
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
            at: output::moment(attempt.at),
            duration_ms: attempt.duration_ms,
            status: attempt.status,
            reason: attempt.reason,
            answer: String::from_utf8_lossy(&attempt.answer).into_owned(),
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
        Command::Deliveries(deliveries) => list(deliveries, webhooks, output).await,
        Command::Delivery { endpoint, delivery } => {
            let request = proto::GetDeliveryRequest {
                account_id,
                endpoint_id: endpoint,
                id: delivery,
            };
            let answer = webhooks.get_delivery(request).await?.into_inner();
            show(answer, output)
        }
        Command::SendAgain { endpoint, delivery } => {
            let request = proto::SendAgainRequest {
                account_id,
                endpoint_id: endpoint,
                id: delivery,
            };
            let answer = webhooks.send_again(request).await?.into_inner();
            sent(answer.delivery, output)
        }
        Command::Recover {
            endpoint,
            since,
            dry_run,
        } => {
            let request = proto::RecoverRequest {
                account_id,
                endpoint_id: endpoint,
                since: Some(kit::timestamp::encode(since)),
                dry_run,
            };
            let count = webhooks.recover(request).await?.into_inner().deliveries;
            let line = if dry_run {
                format!("{count} deliveries failed since then; nothing is sent")
            } else {
                format!("{count} deliveries are tried anew")
            };
            output.line(&json!({ "deliveries": count, "dry_run": dry_run }), &line)
        }
        Command::Test {
            endpoint,
            event,
            kind,
        } => {
            let request = proto::SendTestEventRequest {
                account_id,
                endpoint_id: endpoint,
                event,
                kind,
            };
            let answer = webhooks.send_test_event(request).await?.into_inner();
            sent(answer.delivery, output)
        }
    }
}

async fn list(wanted: Deliveries, mut webhooks: Webhooks, output: Output) -> Result<(), Problem> {
    let state = match wanted.state {
        None => proto::DeliveryState::Unspecified,
        Some(State::Waiting) => proto::DeliveryState::Waiting,
        Some(State::Delivered) => proto::DeliveryState::Delivered,
        Some(State::Failed) => proto::DeliveryState::Failed,
        Some(State::Cancelled) => proto::DeliveryState::Cancelled,
    };
    let (mut deliveries, mut cursor) = (Vec::new(), String::new());
    loop {
        let rest = wanted
            .limit
            .get()
            .saturating_sub(deliveries.len())
            .min(PAGE);
        let request = proto::ListDeliveriesRequest {
            account_id: String::new(),
            endpoint_id: wanted.endpoint.clone(),
            state: state.into(),
            event: wanted.event.clone(),
            since: wanted.since.map(kit::timestamp::encode),
            until: wanted.until.map(kit::timestamp::encode),
            limit: u32::try_from(rest).unwrap_or_default(),
            cursor,
        };
        let answer = webhooks.list_deliveries(request).await?.into_inner();
        deliveries.extend(answer.deliveries.into_iter().map(DeliveryRow::from));
        cursor = answer.next_cursor;
        if cursor.is_empty() || deliveries.len() >= wanted.limit.get() {
            break;
        }
    }
    let more = !cursor.is_empty();
    let document = json!({ "deliveries": deliveries, "more": more });
    output.answer(&document, || listed(&deliveries))
}

fn listed(deliveries: &[DeliveryRow]) -> comfy_table::Table {
    let rows = deliveries.iter().map(|it| {
        let status = it.last_status.map(|status| status.to_string());
        [
            it.delivery.to_string(),
            output::shown(it.created_at.as_ref()),
            it.event.clone(),
            it.state.to_owned(),
            it.tries.to_string(),
            output::shown(it.due_at.as_ref()),
            status.unwrap_or_default(),
            it.last_reason.clone(),
        ]
    });
    let columns = [
        "delivery", "created", "event", "state", "tries", "next try", "status", "reason",
    ];
    table(columns, rows)
}

fn show(answer: proto::GetDeliveryResponse, output: Output) -> Result<(), Problem> {
    let delivery = DeliveryRow::from(answer.delivery.unwrap_or_default());
    let attempts: Vec<Attempt> = answer.attempts.into_iter().map(Attempt::from).collect();
    let body = String::from_utf8_lossy(&answer.body).into_owned();
    if output.is_json() {
        let document = json!({ "delivery": delivery, "attempts": attempts, "body": body });
        return output.line(&document, "");
    }
    output.say(&format!(
        "delivery {}: {}, {}",
        delivery.delivery, delivery.event, delivery.state
    ));
    output.text(&body);
    let rows = attempts.iter().map(|it| {
        let status = it.status.map(|status| status.to_string());
        [
            it.number.to_string(),
            output::shown(it.at.as_ref()),
            it.duration_ms.to_string(),
            status.unwrap_or_default(),
            it.reason.clone(),
            it.answer.clone(),
        ]
    });
    let tries = table(["try", "at", "ms", "status", "reason", "answer"], rows);
    output.text(&tries.to_string());
    Ok(())
}

fn sent(delivery: Option<proto::Delivery>, output: Output) -> Result<(), Problem> {
    let delivery = DeliveryRow::from(delivery.unwrap_or_default());
    let number = delivery.delivery;
    let line = format!(
        "delivery {number} is on its way: `staff webhooks delivery ENDPOINT {number}` shows what came of it"
    );
    output.line(&delivery, &line)
}
