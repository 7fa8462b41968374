//! `staff review`: an interactive review of the queue, and its list

mod session;

use std::cell::Cell;
use std::num::NonZeroUsize;

use clap::{Args, Subcommand};
use contracts::common::v1::PageRequest;
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use kit::rpc::client::Client;

use crate::account::AccountNames;
use crate::arguments::limit;
use crate::command_hint;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::listing::name::{self, ListingKind};
use crate::output::{self, Output, RowList};
use crate::rows;
use crate::table::{Column, table};

/// Review pending listings one by one, oldest first
///
/// Each listing is shown with its position in the queue and its changes since it was last public. Then a line of input decides: a
/// (approve), r (reject; the reason is on the next line), s (skip), b (back to the previous listing), o (open: show all of it), q
/// (quit), ? (help).
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
}

type Service = StaffReviewServiceClient<Client>;

const COLUMNS: &[Column<proto::QueueItem>] = &[
    ("pending since", |it| output::format_time(it.waiting_since)),
    ("kind", |it| name::kind(it.name.as_ref())),
    ("name", |it| name::slug(it.name.as_ref())),
    ("revision", |it| it.revision.to_string()),
    ("title", |it| it.title.clone()),
    ("page", |it| it.page.clone()),
    ("submitter", |it| it.submitter.clone()),
];

pub(crate) async fn run(review: Review, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let kind = review.kind.map_or("", ListingKind::as_str);
    if review.command.is_none() && output.is_json() {
        return Err(Error::usage(format!(
            "`staff review` is interactive: programs use {} and {}",
            command_hint::staff("review list --json"),
            command_hint::staff("game approve SLUG --revision N")
        )));
    }
    let service = StaffReviewServiceClient::new(fleet.listings().await?);
    match review.command {
        None => {
            let names = AccountNames::new(fleet).await;
            session::run(service, names, kind, output).await
        }
        Some(Command::List { limit }) => list(service, fleet, kind, limit, output).await,
    }
}

async fn list(
    service: Service,
    fleet: &Fleet,
    kind: &str,
    limit: NonZeroUsize,
    output: Output,
) -> Result<(), Error> {
    let total = Cell::new(None);
    let read = async |page: PageRequest| {
        let request = proto::ListQueueRequest {
            kind: kind.to_owned(),
            limit: page.limit.cast_signed(),
            cursor: page.cursor,
            count: total.get().is_none(),
        };
        let response = service.clone().list_queue(request).await?.into_inner();
        total.set(total.get().or(response.total));
        Ok((response.items, response.next_cursor))
    };
    let RowList { mut rows, .. } = rows::read(limit, read).await?;
    if !output.is_json() {
        let mut names = AccountNames::new(fleet).await;
        for row in &mut rows {
            row.submitter = names.name_or_id(&row.submitter).await;
        }
    }
    let document = serde_json::json!({ "items": rows, "total": total.get() });
    output.answer(&document, || table(&rows, COLUMNS))?;
    let total = total.get().unwrap_or_default();
    output.print(&format!("{} of {total} pending listings", rows.len()));
    Ok(())
}
