//! `staff game review`: a listing in any state, with its history.

use clap::Args;
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use serde_json::Value;

use super::name::{ListingKind, ListingMode};
use super::review_text;
use crate::arguments::revision_number;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::Output;
use crate::rpc::{answer, dynamic};

#[derive(Debug, Args)]
pub(crate) struct History {
    /// The slug, or the handle of a page
    slug: String,
    /// Show the fields as of this revision, and what has changed since
    #[arg(long, value_name = "N", value_parser = revision_number)]
    revision: Option<i64>,
    /// A real listing or a sample
    #[arg(long, default_value = "live")]
    mode: ListingMode,
}

pub(super) async fn run(
    kind: ListingKind,
    history: History,
    fleet: &Fleet,
    output: Output,
) -> Result<(), Error> {
    let mut service = StaffReviewServiceClient::new(fleet.listings().await?);
    let request = proto::GetReviewRequest {
        name: Some(kind.named(history.mode, history.slug)),
        revision: history.revision.unwrap_or_default(),
    };
    let review = service.get_review(request).await?.into_inner();
    let text = match history.revision {
        Some(revision) => review_text::as_of(&review, revision),
        None => review_text::whole(&review),
    };
    output.line(&document(&review)?, text.trim_end())
}

/// The answer for programs, with the values of fields as JSON and not as texts of JSON.
fn document(review: &proto::GetReviewResponse) -> Result<Value, Error> {
    let mut document = answer::json(&dynamic("listings.v1.GetReviewResponse", review)?);
    parse(&mut document["content"]);
    for difference in document["differences"].as_array_mut().into_iter().flatten() {
        parse(&mut difference["before"]);
        parse(&mut difference["after"]);
    }
    Ok(document)
}

/// Replaces a text of JSON by its value; an empty text by null.
fn parse(value: &mut Value) {
    *value = serde_json::from_str(value.as_str().unwrap_or_default()).unwrap_or_default();
}
