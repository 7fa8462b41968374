//! `staff game show`

use clap::Args;
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_listing_service_client::StaffListingServiceClient;

use super::name::{self, ListingKind, ListingMode};
use crate::account;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::table::Column;

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// The slug, or the handle of a page
    slug: String,
    /// A real listing or a sample
    #[arg(long, default_value = "live")]
    mode: ListingMode,
}

const COLUMNS: &[Column<proto::Listing>] = &[
    ("kind", |it| name::kind(it.name.as_ref())),
    ("name", |it| name::slug(it.name.as_ref())),
    ("mode", |it| {
        output::name_of(it.name.as_ref().map(proto::ListingName::mode))
    }),
    ("title", |it| it.title.clone()),
    ("state", |it| output::name_of(it.state())),
    ("revision", |it| it.revision.to_string()),
    ("changed", |it| output::format_time(it.changed_at)),
    ("by", |it| format!("{} {}", it.actor_kind, it.actor)),
    ("reason", |it| it.reason.clone()),
];

pub(crate) async fn run(
    kind: ListingKind,
    show: Show,
    fleet: &Fleet,
    output: Output,
) -> Result<(), Error> {
    let mut listings = StaffListingServiceClient::new(fleet.listings().await?);
    let name = Some(kind.named(show.mode, show.slug));
    let response = listings
        .get_listing(proto::GetListingRequest { name })
        .await?;
    let mut listing = response.into_inner().listing;
    let by_account = (listing.iter_mut()).filter(|listing| listing.actor_kind == "account");
    let ids = by_account.map(|listing| &mut listing.actor);
    account::prefix_with_names(ids, fleet, output).await;
    print(listing, output)
}

/// Prints the state, the revision and the last change of a listing.
pub(crate) fn print(listing: Option<proto::Listing>, output: Output) -> Result<(), Error> {
    output.row("listing", &listing.unwrap_or_default(), COLUMNS)
}
