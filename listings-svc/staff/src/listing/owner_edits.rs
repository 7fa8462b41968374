//! `staff listing edits`: what accounts changed in public listings.

use std::num::NonZeroUsize;

use clap::Args;
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use contracts::public::Timestamp;
use serde::Serialize;

use super::name::ListingKind;
use super::review_text;
use crate::account;
use crate::arguments::limit;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};

/// Rows per request.
const PAGE_SIZE: i32 = 100;

#[derive(Debug, Args)]
pub(crate) struct OwnerEdits {
    /// Only listings of this kind
    #[arg(long)]
    kind: Option<ListingKind>,
    /// Edits at most
    #[arg(long, default_value = "20", value_parser = limit)]
    limit: NonZeroUsize,
}

#[derive(Debug, Serialize)]
struct Edit {
    kind: String,
    name: String,
    title: String,
    revision: i64,
    at: Option<Timestamp>,
    account: String,
    differences: Vec<Difference>,
}

/// The values are JSON; empty for an empty field.
#[derive(Debug, Serialize)]
struct Difference {
    path: String,
    before: String,
    after: String,
}

pub(crate) async fn run(list: OwnerEdits, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let mut review = StaffReviewServiceClient::new(fleet.listings().await?);
    let limit = list.limit.get();
    let (mut edits, mut cursor) = (Vec::new(), String::new());
    while edits.len() < limit {
        let rest = i32::try_from(limit - edits.len()).unwrap_or(PAGE_SIZE);
        let request = proto::ListOwnerEditsRequest {
            kind: list.kind.map_or("", ListingKind::as_str).to_owned(),
            limit: rest.clamp(1, PAGE_SIZE),
            cursor,
        };
        let response = review.list_owner_edits(request).await?.into_inner();
        edits.extend(response.edits);
        cursor = response.next_cursor;
        if cursor.is_empty() {
            break;
        }
    }
    let accounts = edits.iter_mut().map(|edit| &mut edit.account_id);
    account::prefix_with_names(accounts, fleet, output).await;
    for edit in &edits {
        output.print(&review_text::owner_edit(edit));
    }
    if edits.is_empty() {
        output.print("no account has changed a public listing");
    }
    if !output.is_json() {
        return Ok(());
    }
    let more = !cursor.is_empty();
    let edits: Vec<Edit> = edits.into_iter().map(Edit::from).collect();
    output.line(&serde_json::json!({ "edits": edits, "more": more }), "")
}

impl From<proto::OwnerEdit> for Edit {
    fn from(edit: proto::OwnerEdit) -> Self {
        let name = edit.name.unwrap_or_default();
        let differences = edit.differences.into_iter().map(|it| Difference {
            path: it.path,
            before: it.before,
            after: it.after,
        });
        Self {
            kind: name.kind,
            name: name.name,
            title: edit.title,
            revision: edit.revision,
            at: output::timestamp(edit.at),
            account: edit.account_id,
            differences: differences.collect(),
        }
    }
}
