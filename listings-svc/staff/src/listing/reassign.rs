//! Giving a game to another page, or an event to another account.

use clap::Args;
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;

use super::name::{ListingKind, ListingMode};
use super::show;
use crate::account;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::Output;

#[derive(Debug, Args)]
pub(crate) struct Reassign {
    /// The slug of the game or event
    slug: String,
    /// For a game, the handle of a page; for an event, the id or e-mail address of an account
    #[arg(long)]
    to: String,
    /// A note for the record; up to 500 characters
    #[arg(long, default_value = "", hide_default_value = true)]
    reason: String,
}

pub(crate) async fn run(
    kind: ListingKind,
    reassign: Reassign,
    fleet: &Fleet,
    output: Output,
) -> Result<(), Error> {
    let mut review = StaffReviewServiceClient::new(fleet.listings().await?);
    let Reassign { slug, to, reason } = reassign;
    let to = match kind {
        ListingKind::Event => account::id(fleet, to).await?,
        ListingKind::Game | ListingKind::Page => to,
    };
    let request = proto::ReassignRequest {
        name: Some(kind.named(ListingMode::Live, slug)),
        to,
        reason,
    };
    let listing = review.reassign(request).await?.into_inner().listing;
    show::print(listing, output)
}
