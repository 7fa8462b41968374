//! `staff show`

use clap::Subcommand;
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_listing_service_client::StaffListingServiceClient;
use contracts::public::Timestamp;
use serde::Serialize;

use super::account;
use super::fleet::Fleet;
use super::names::{self, Name};
use super::output::{self, Output};
use super::problem::Problem;
use super::table::table;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show how a listing stands and who changed it last
    Show {
        #[command(flatten)]
        name: Name,
    },
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
        let state = names::state(listing.state());
        let name = listing.name.unwrap_or_default();
        Self {
            mode: names::mode(name.mode()),
            state,
            kind: name.kind,
            name: name.name,
            id: listing.id,
            title: listing.title,
            revision: listing.revision,
            changed_at: output::moment(listing.changed_at),
            actor_kind: listing.actor_kind,
            actor: listing.actor,
            reason: listing.reason,
        }
    }
}

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Problem> {
    let mut listings = StaffListingServiceClient::new(fleet.listings().await?);
    let Command::Show { name } = command;
    let name = Some(name.into());
    let answered = listings
        .get_listing(proto::GetListingRequest { name })
        .await?;
    let mut listing = answered.into_inner().listing;
    let by_account = (listing.iter_mut()).filter(|listing| listing.actor_kind == "account");
    let ids = by_account.map(|listing| &mut listing.actor);
    account::name_beside_id(ids, fleet, output).await;
    answer(listing, output)
}

/// Writes how a listing stands.
pub(crate) fn answer(listing: Option<proto::Listing>, output: Output) -> Result<(), Problem> {
    let listing = Listing::from(listing.unwrap_or_default());
    let document = serde_json::json!({ "listing": listing });
    output.answer(&document, || listed(&listing))
}

fn listed(listing: &Listing) -> comfy_table::Table {
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
        output::shown(listing.changed_at.as_ref()),
        format!("{} {}", listing.actor_kind, listing.actor),
        listing.reason.clone(),
    ];
    table(columns, [row])
}
