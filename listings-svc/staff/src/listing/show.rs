//! `staff game show`

use clap::Args;
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_listing_service_client::StaffListingServiceClient;
use contracts::public::Timestamp;
use serde::Serialize;

use super::name::{self, ListingKind, ListingMode};
use crate::account;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::table::table;

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// The slug, or the handle of a page
    slug: String,
    /// A real listing or a sample
    #[arg(long, default_value = "live")]
    mode: ListingMode,
}

#[derive(Debug, Serialize)]
struct Listing {
    kind: String,
    name: String,
    mode: &'static str,
    id: String,
    title: String,
    state: &'static str,
    revision: i64,
    changed_at: Option<Timestamp>,
    actor_kind: String,
    actor: String,
    reason: String,
}

impl From<proto::Listing> for Listing {
    fn from(listing: proto::Listing) -> Self {
        let state = name::state(listing.state());
        let name = listing.name.unwrap_or_default();
        Self {
            mode: name::mode(name.mode()),
            state,
            kind: name.kind,
            name: name.name,
            id: listing.id,
            title: listing.title,
            revision: listing.revision,
            changed_at: output::timestamp(listing.changed_at),
            actor_kind: listing.actor_kind,
            actor: listing.actor,
            reason: listing.reason,
        }
    }
}

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
    let listing = Listing::from(listing.unwrap_or_default());
    let document = serde_json::json!({ "listing": listing });
    output.answer(&document, || listing_table(&listing))
}

fn listing_table(listing: &Listing) -> comfy_table::Table {
    let columns = [
        "kind", "name", "mode", "title", "state", "revision", "changed", "by", "reason",
    ];
    let row = [
        listing.kind.clone(),
        listing.name.clone(),
        listing.mode.to_owned(),
        listing.title.clone(),
        listing.state.to_owned(),
        listing.revision.to_string(),
        output::format_time(listing.changed_at.as_ref()),
        format!("{} {}", listing.actor_kind, listing.actor),
        listing.reason.clone(),
    ];
    table(columns, [row])
}
