//! `staff show`, `take-down` and `restore`

use clap::Subcommand;
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_listing_service_client::StaffListingServiceClient;
use contracts::public::Timestamp;
use serde::Serialize;

use super::decide;
use super::fleet::Fleet;
use super::names::{self, Name, Names};
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
    /// Take published listings down: reads answer 404, their slugs stay taken
    ///
    /// The games of a creator that is taken down are not shown either. The keys of a game that is taken down stop working.
    TakeDown {
        #[command(flatten)]
        names: Names,
        /// Why, for the record
        #[arg(long)]
        reason: String,
    },
    /// Publish a listing that was taken down, as it was before
    Restore {
        #[command(flatten)]
        name: Name,
        /// Why, for the record
        #[arg(long, default_value = "", hide_default_value = true)]
        reason: String,
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
    let listing = match command {
        Command::Show { name } => {
            let name = Some(name.into());
            let answer = listings.get_listing(proto::GetListingRequest { name });
            answer.await?.into_inner().listing
        }
        Command::TakeDown { names, reason } => {
            let name = match <[proto::ListingName; 1]>::try_from(names.into_messages()) {
                Ok([name]) => Some(name),
                Err(names) => {
                    return decide::many(fleet, output, proto::Decision::TakeDown, names, reason)
                        .await;
                }
            };
            let answer = listings.take_down(proto::TakeDownRequest { name, reason });
            answer.await?.into_inner().listing
        }
        Command::Restore { name, reason } => {
            let name = Some(name.into());
            let answer = listings.restore(proto::RestoreRequest { name, reason });
            answer.await?.into_inner().listing
        }
    };
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
