//! `staff listing search`, and `list` of pages, games and events

use std::num::NonZeroUsize;

use clap::{Args, ValueEnum};
use contracts::common::v1::PageRequest;
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;

use super::name::{self, ListingKind};
use crate::arguments::limit;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::rows;
use crate::table::Column;

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
#[repr(i32)]
enum ListingState {
    Pending = proto::State::Pending as i32,
    Published = proto::State::Published as i32,
    Rejected = proto::State::Rejected as i32,
    Removed = proto::State::Removed as i32,
}

const COLUMNS: &[Column<proto::FoundListing>] = &[
    ("kind", |it| name::kind(it.name.as_ref())),
    ("name", |it| name::slug(it.name.as_ref())),
    ("title", |it| it.title.clone()),
    ("state", |it| output::name_of(it.state())),
    ("revision", |it| it.revision.to_string()),
    ("changed", |it| output::format_time(it.updated_at)),
];

pub(crate) async fn run(search: Search, fleet: &Fleet, output: Output) -> Result<(), Error> {
    list(search.kind, search.filter, fleet, output).await
}

pub(crate) async fn list(
    kind: Option<ListingKind>,
    filter: Filter,
    fleet: &Fleet,
    output: Output,
) -> Result<(), Error> {
    let review = StaffReviewServiceClient::new(fleet.listings().await?);
    let read = async |page: PageRequest| {
        let request = proto::SearchRequest {
            text: filter.text.clone(),
            kind: kind.map_or("", ListingKind::as_str).to_owned(),
            state: filter.state.map_or(0, |state| state as i32),
            limit: page.limit.cast_signed(),
            cursor: page.cursor,
            from_name: String::new(),
        };
        let response = review.clone().search(request).await?.into_inner();
        Ok((response.listings, response.next_cursor))
    };
    output.list("listings", &rows::read(filter.limit, read).await?, COLUMNS)
}
