//! `staff game revert`, and of pages and events.

use clap::Args;
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;

use super::name::{ListingKind, ListingMode};
use super::show;
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

pub(super) async fn run(
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
