//! Requests of accounts to take down their own listings

use contracts::common::v1 as common;
use contracts::listings::v1 as proto;
use contracts::public::Timestamp;
use serde::Serialize;

use super::Service;
use crate::account;
use crate::command_hint;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::table::table;

/// Requests per call.
const PAGE_SIZE: u32 = 100;

#[derive(Debug, Serialize)]
struct TakedownRow {
    id: String,
    kind: String,
    name: String,
    title: String,
    account_id: String,
    reason: String,
    state: &'static str,
    made_at: Option<Timestamp>,
    answer: String,
}

impl From<proto::TakedownRequest> for TakedownRow {
    fn from(request: proto::TakedownRequest) -> Self {
        let state = match request.state() {
            proto::TakedownState::Granted => "granted",
            proto::TakedownState::Declined => "declined",
            proto::TakedownState::Waiting | proto::TakedownState::Unspecified => "waiting",
        };
        let name = request.name.unwrap_or_default();
        Self {
            id: request.id,
            kind: name.kind,
            name: name.name,
            title: request.title,
            account_id: request.account_id,
            reason: request.reason,
            state,
            made_at: output::timestamp(request.made_at),
            answer: request.answer,
        }
    }
}

/// Says how many requests wait, if any do.
pub(super) async fn remind(service: &mut Service, output: Output) -> Result<(), Error> {
    let page = common::PageRequest {
        limit: 1,
        cursor: String::new(),
    };
    let request = proto::ListTakedownRequestsRequest { page: Some(page) };
    let listed = service.list_takedown_requests(request).await?.into_inner();
    let waiting = listed.page.unwrap_or_default().total;
    if waiting > 0 {
        let command = command_hint::staff("review takedowns");
        let line = format!("{waiting} accounts' requests to take a listing down wait: {command}");
        output.print(&line);
    }
    Ok(())
}

pub(super) async fn list(
    service: &mut Service,
    fleet: &Fleet,
    output: Output,
) -> Result<(), Error> {
    let (mut requests, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = common::PageRequest {
            limit: PAGE_SIZE,
            cursor,
        };
        let request = proto::ListTakedownRequestsRequest { page: Some(page) };
        let listed = service.list_takedown_requests(request).await?.into_inner();
        requests.extend(listed.requests);
        match listed.page.and_then(|page| page.next_cursor) {
            Some(next) => cursor = next,
            None => return print(requests, fleet, output).await,
        }
    }
}

pub(super) async fn decline(
    service: &mut Service,
    (id, reason): (String, String),
    fleet: &Fleet,
    output: Output,
) -> Result<(), Error> {
    let request = proto::DeclineTakedownRequest { id, reason };
    let declined = service.decline_takedown(request).await?.into_inner();
    print(declined.request.into_iter().collect(), fleet, output).await
}

async fn print(
    requests: Vec<proto::TakedownRequest>,
    fleet: &Fleet,
    output: Output,
) -> Result<(), Error> {
    let mut rows: Vec<TakedownRow> = requests.into_iter().map(TakedownRow::from).collect();
    let ids = rows.iter_mut().map(|row| &mut row.account_id);
    account::prefix_with_names(ids, fleet, output).await;
    output.answer(&serde_json::json!({ "takedowns": rows }), || {
        let rows = rows.iter().map(|row| {
            [
                row.id.clone(),
                row.kind.clone(),
                row.name.clone(),
                row.account_id.clone(),
                row.state.to_owned(),
                output::format_time(row.made_at.as_ref()),
                row.reason.clone(),
            ]
        });
        let columns = ["id", "kind", "name", "account", "state", "made", "reason"];
        table(columns, rows)
    })
}
