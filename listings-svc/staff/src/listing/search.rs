//! `staff listing search`, and `list` of pages, games and events

use std::num::NonZeroUsize;

use clap::{Args, ValueEnum};
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use contracts::public::Timestamp;
use serde::Serialize;

use super::name::{self, ListingKind};
use crate::arguments::limit;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::table::table;

/// Rows per request.
const PAGE_SIZE: i32 = 100;

#[derive(Debug, Args)]
pub(crate) struct Search {
    /// Only listings of this kind
    #[arg(long)]
    kind: Option<ListingKind>,
    #[command(flatten)]
    filter: Filter,
}

#[derive(Debug, Args)]
pub(crate) struct Filter {
    /// A part of the slug, handle, title or name [default: all listings]
    #[arg(default_value = "", hide_default_value = true)]
    text: String,
    /// Only listings in this state
    #[arg(long)]
    state: Option<ListingState>,
    /// Rows at most
    #[arg(long, default_value = "100", value_parser = limit)]
    limit: NonZeroUsize,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ListingState {
    Pending,
    Published,
    Rejected,
    Removed,
}

impl From<ListingState> for proto::State {
    fn from(state: ListingState) -> Self {
        match state {
            ListingState::Pending => Self::Pending,
            ListingState::Published => Self::Published,
            ListingState::Rejected => Self::Rejected,
            ListingState::Removed => Self::Removed,
        }
    }
}

#[derive(Debug, Serialize)]
struct SearchRow {
    kind: String,
    name: String,
    title: String,
    state: &'static str,
    revision: i64,
    submitter: String,
    updated_at: Option<Timestamp>,
}

impl From<proto::FoundListing> for SearchRow {
    fn from(listing: proto::FoundListing) -> Self {
        let state = name::state(listing.state());
        let name = listing.name.unwrap_or_default();
        Self {
            state,
            kind: name.kind,
            name: name.name,
            title: listing.title,
            revision: listing.revision,
            submitter: listing.submitter,
            updated_at: output::timestamp(listing.updated_at),
        }
    }
}

pub(crate) async fn run(search: Search, fleet: &Fleet, output: Output) -> Result<(), Error> {
    list(search.kind, search.filter, fleet, output).await
}

pub(crate) async fn list(
    kind: Option<ListingKind>,
    filter: Filter,
    fleet: &Fleet,
    output: Output,
) -> Result<(), Error> {
    let mut review = StaffReviewServiceClient::new(fleet.listings().await?);
    let limit = filter.limit.get();
    let mut rows: Vec<SearchRow> = Vec::new();
    let mut cursor = String::new();
    while rows.len() < limit {
        let rest = i32::try_from(limit - rows.len()).unwrap_or(PAGE_SIZE);
        let request = proto::SearchRequest {
            text: filter.text.clone(),
            kind: kind.map_or("", ListingKind::as_str).to_owned(),
            state: filter
                .state
                .map_or(0, |state| proto::State::from(state).into()),
            limit: rest.clamp(1, PAGE_SIZE),
            cursor,
            from_name: String::new(),
        };
        let response = review.search(request).await?.into_inner();
        rows.extend(response.listings.into_iter().map(SearchRow::from));
        cursor = response.next_cursor;
        if cursor.is_empty() {
            break;
        }
    }
    let more = !cursor.is_empty();
    let document = serde_json::json!({ "listings": rows, "more": more });
    output.answer(&document, || listing_table(&rows))?;
    if more {
        output.print("there are more: narrow the search, or raise --limit");
    }
    Ok(())
}

fn listing_table(rows: &[SearchRow]) -> comfy_table::Table {
    let rows = rows.iter().map(|row| {
        [
            row.kind.clone(),
            row.name.clone(),
            row.title.clone(),
            row.state.to_owned(),
            row.revision.to_string(),
            output::format_time(row.updated_at.as_ref()),
        ]
    });
    table(
        ["kind", "name", "title", "state", "revision", "changed"],
        rows,
    )
}
