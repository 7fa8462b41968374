//! Featuring a game.

use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;

use super::name::{ListingKind, ListingMode};
use super::show;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::Output;

pub(crate) async fn run(
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
    let listing = review.feature(request).await?.into_inner().listing;
    show::print(listing, output)
}
