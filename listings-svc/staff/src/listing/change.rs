//! Changes of one listing: `revert`, `reassign`, `feature` and `verify`.

use clap::Args;
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;

use super::name::{ListingKind, ListingMode};
use super::show;
use crate::account;
use crate::arguments::revision_number;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::Output;

#[derive(Debug, Args)]
pub(crate) struct Revert {
    /// The slug, or the handle of a page
    slug: String,
    /// The revision whose content returns
    #[arg(long, value_name = "N", value_parser = revision_number)]
    revision: i64,
    /// A note for the record; up to 500 characters
    #[arg(long, default_value = "", hide_default_value = true)]
    reason: String,
}

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

#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// The handle of the page
    page: String,
    /// The revision that you checked: any other is refused
    #[arg(long, value_name = "N", value_parser = revision_number)]
    revision: Option<i64>,
}

/// `staff game revert`, and of pages and events.
pub(super) async fn revert(
    kind: ListingKind,
    revert: Revert,
    fleet: &Fleet,
    output: Output,
) -> Result<(), Error> {
    let mut review = StaffReviewServiceClient::new(fleet.listings().await?);
    let request = proto::RevertRequest {
        name: Some(kind.named(ListingMode::Live, revert.slug)),
        to_revision: revert.revision,
        reason: revert.reason,
        revision: None,
    };
    show::print(review.revert(request).await?.into_inner().listing, output)
}

/// Gives a game to another page, or an event to another account.
pub(crate) async fn reassign(
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
    show::print(review.reassign(request).await?.into_inner().listing, output)
}

pub(crate) async fn feature(
    slug: String,
    featured: bool,
    fleet: &Fleet,
    output: Output,
) -> Result<(), Error> {
    let mut review = StaffReviewServiceClient::new(fleet.listings().await?);
    let request = proto::FeatureRequest {
        name: Some(ListingKind::Game.named(ListingMode::Live, slug)),
        featured,
    };
    show::print(review.feature(request).await?.into_inner().listing, output)
}

pub(crate) async fn verify(
    page: Verify,
    verified: bool,
    fleet: &Fleet,
    output: Output,
) -> Result<(), Error> {
    let mut review = StaffReviewServiceClient::new(fleet.listings().await?);
    let request = proto::VerifyRequest {
        name: Some(ListingKind::Page.named(ListingMode::Live, page.page)),
        verified,
        revision: page.revision,
    };
    show::print(review.verify(request).await?.into_inner().listing, output)
}
