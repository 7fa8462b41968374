//! `staff review`: an interactive review of the queue, its list, and its watch

mod notes;
mod session;
mod takedowns;

use std::num::NonZeroUsize;
use std::time::Duration;

use clap::{Args, Subcommand};
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use contracts::listings::v1::watch_response::Message;
use contracts::public::Timestamp;
use kit::rpc::client::Client;
use serde::Serialize;
use tonic::Request;

use crate::account::AccountNames;
use crate::arguments::{limit, note_id, takedown_id};
use crate::command_hint;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::listing::name::{self, ListingKind};
use crate::output::{self, Output};
use crate::sanitize::sanitize;
use crate::table::table;

/// Deadline of one watch.
const WATCH: Duration = Duration::from_hours(24);
/// Rows per request.
const PAGE_SIZE: i32 = 100;

/// Review pending listings one by one, oldest first
///
/// Each listing is shown with its position in the queue and its changes since it was last public. Then a line of input decides: a
/// (approve), r (reject; the reason is on the next line), s (skip), b (back to the previous listing), o (open: show all of it), q (quit),
/// ? (help).
#[derive(Debug, Args)]
pub(crate) struct Review {
    /// Only listings of this kind
    #[arg(long, global = true)]
    kind: Option<ListingKind>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the pending listings, oldest first
    List {
        /// Rows at most
        #[arg(long, default_value = "100", value_parser = limit)]
        limit: NonZeroUsize,
    },
    /// Print listings as they enter the queue, until Ctrl-C
    Watch,
    /// List the requests of accounts to take down their own listings, oldest first
    ///
    /// `staff game take-down SLUG`, and the same for pages and events, takes a listing down and grants its requests.
    Takedowns,
    /// Decline such a request
    DeclineTakedown {
        /// The id of the request
        #[arg(value_parser = takedown_id)]
        id: String,
        /// The reason that the account reads
        #[arg(long)]
        reason: String,
    },
    /// List the open notes of visitors, oldest first: reports, and corrections of listings that no account owns
    Notes,
    /// Close such a note
    CloseNote {
        /// The id of the note
        #[arg(value_parser = note_id)]
        id: String,
        /// Whether something was done about it
        #[arg(long = "as")]
        end: notes::NoteEnd,
        /// The reason for the audit
        #[arg(long)]
        reason: String,
    },
}

type Service = StaffReviewServiceClient<Client>;

#[derive(Debug, Serialize)]
struct QueueRow {
    kind: String,
    name: String,
    title: String,
    submitter: String,
    waiting_since: Option<Timestamp>,
    approved_before: bool,
    revision: i64,
    page: String,
    page_state: &'static str,
}

impl From<proto::QueueItem> for QueueRow {
    fn from(item: proto::QueueItem) -> Self {
        let name = item.name.clone().unwrap_or_default();
        Self {
            page_state: name::state(item.page_state()),
            kind: name.kind,
            name: name.name,
            title: item.title,
            submitter: item.submitter,
            waiting_since: output::timestamp(item.waiting_since),
            approved_before: item.approved_before,
            revision: item.revision,
            page: item.page,
        }
    }
}

pub(crate) async fn run(review: Review, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let kind = review.kind.map_or("", ListingKind::as_str);
    if review.command.is_none() && output.is_json() {
        return Err(Error::usage(format!(
            "`staff review` is interactive: programs use {} and {}",
            command_hint::staff("review list --json"),
            command_hint::staff("game approve SLUG --revision N")
        )));
    }
    let mut service = StaffReviewServiceClient::new(fleet.listings().await?);
    match review.command {
        None => {
            let names = AccountNames::new(fleet).await;
            takedowns::remind(&mut service, output).await?;
            notes::remind(&mut service, output).await?;
            session::run(service, names, kind, output).await
        }
        Some(Command::List { limit }) => list(&mut service, fleet, kind, limit.get(), output).await,
        Some(Command::Watch) => watch(&mut service, kind, output).await,
        Some(Command::Takedowns) => takedowns::list(&mut service, fleet, output).await,
        Some(Command::DeclineTakedown { id, reason }) => {
            takedowns::decline(&mut service, (id, reason), fleet, output).await
        }
        Some(Command::Notes) => notes::list(&mut service, output).await,
        Some(Command::CloseNote { id, end, reason }) => {
            notes::close(&mut service, (id, end, reason), output).await
        }
    }
}

async fn list(
    service: &mut Service,
    fleet: &Fleet,
    kind: &str,
    limit: usize,
    output: Output,
) -> Result<(), Error> {
    let mut rows: Vec<QueueRow> = Vec::new();
    let (mut cursor, mut total) = (String::new(), None);
    loop {
        let rest = i32::try_from(limit - rows.len()).unwrap_or(PAGE_SIZE);
        let request = proto::ListQueueRequest {
            kind: kind.to_owned(),
            limit: rest.clamp(1, PAGE_SIZE),
            cursor,
            count: total.is_none(),
        };
        let response = service.list_queue(request).await?.into_inner();
        total = total.or(response.total);
        rows.extend(response.items.into_iter().map(QueueRow::from));
        cursor = response.next_cursor;
        if cursor.is_empty() || rows.len() >= limit {
            break;
        }
    }
    let document = serde_json::json!({ "items": rows, "total": total });
    if !output.is_json() {
        let mut names = AccountNames::new(fleet).await;
        for row in &mut rows {
            row.submitter = names.name_or_id(&row.submitter).await;
        }
    }
    output.answer(&document, || queue_table(&rows))?;
    let total = total.unwrap_or_default();
    output.print(&format!("{} of {total} pending listings", rows.len()));
    takedowns::remind(service, output).await?;
    notes::remind(service, output).await
}

fn queue_table(rows: &[QueueRow]) -> comfy_table::Table {
    let rows = rows.iter().map(|row| {
        [
            output::format_time(row.waiting_since.as_ref()),
            row.kind.clone(),
            row.name.clone(),
            row.revision.to_string(),
            row.title.clone(),
            row.page.clone(),
            row.submitter.clone(),
        ]
    });
    table(
        [
            "pending since",
            "kind",
            "name",
            "revision",
            "title",
            "page",
            "submitter",
        ],
        rows,
    )
}

async fn watch(service: &mut Service, kind: &str, output: Output) -> Result<(), Error> {
    let kind = kind.to_owned();
    let mut request = Request::new(proto::WatchRequest { kind });
    request.set_timeout(WATCH);
    let mut stream = service.watch(request).await?.into_inner();
    while let Some(message) = stream.message().await? {
        let Some(Message::Item(item)) = message.message else {
            continue;
        };
        let row = QueueRow::from(item);
        let since = output::format_time(row.waiting_since.as_ref());
        let (kind, name, revision) = (&row.kind, &row.name, row.revision);
        let line = format!("{since} {kind} {name} (revision {revision}) {}", row.title);
        output.line(&row, &sanitize(&line))?;
    }
    Err(Error::Unreachable(
        "the service has ended the watch: run the command again".to_owned(),
    ))
}
