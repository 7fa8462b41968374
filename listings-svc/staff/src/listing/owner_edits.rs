//! `staff listing edits`: what accounts changed in public listings.

use std::num::NonZeroUsize;

use clap::Args;
use contracts::common::v1::PageRequest;
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;

use super::name::ListingKind;
use super::review_text;
use crate::account;
use crate::arguments::limit;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{Output, RowList};
use crate::rows;

#[derive(Debug, Args)]
pub(crate) struct OwnerEdits {
    /// Only listings of this kind
    #[arg(long)]
    kind: Option<ListingKind>,
    /// Edits at most
    #[arg(long, default_value = "20", value_parser = limit)]
    limit: NonZeroUsize,
}

pub(crate) async fn run(list: OwnerEdits, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let review = StaffReviewServiceClient::new(fleet.listings().await?);
    let read = async |page: PageRequest| {
        let request = proto::ListOwnerEditsRequest {
            kind: list.kind.map_or("", ListingKind::as_str).to_owned(),
            limit: page.limit.cast_signed(),
            cursor: page.cursor,
        };
        let response = review.clone().list_owner_edits(request).await?.into_inner();
        Ok((response.edits, response.next_cursor))
    };
    let RowList { mut rows, more } = rows::read(list.limit, read).await?;
    let accounts = rows.iter_mut().map(|edit| &mut edit.account_id);
    account::prefix_with_names(accounts, fleet, output).await;
    if output.is_json() {
        return output.line(&serde_json::json!({ "edits": rows, "more": more }), "");
    }
    for edit in &rows {
        output.print(&review_text::owner_edit(edit));
    }
    if rows.is_empty() {
        output.print("no account has changed a public listing");
    }
    Ok(())
}
