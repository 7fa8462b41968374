//! listings-svc: pages, games and events of an account, and claims.

use std::time::Duration;

use bytes::Bytes;
use contracts::common::v1 as common;
use contracts::listings::v1 as proto;
use contracts::public::OwnListing;
use kit::Fault;
use kit::rpc::client::Client;
use time::OffsetDateTime;
use uuid::Uuid;

use super::call::{Calls, page, required, rpcs};
use super::time_of;
use crate::domain::listing_kind::ListingKind;

#[derive(Debug, Clone)]
pub struct Listings(pub(super) Calls);

/// One listing of an account.
#[derive(Debug, Clone, Copy)]
pub struct ListingRef<'a> {
    pub account: Uuid,
    pub kind: ListingKind,
    /// The slug or the handle.
    pub name: &'a str,
}

/// Who ended a listing, when and why, as its owners read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedListing {
    pub is_by_staff: bool,
    pub at: OffsetDateTime,
    /// What staff wrote; may be empty.
    pub reason: String,
}

impl EndedListing {
    pub fn of(ended: &common::Ended) -> Option<Self> {
        Some(Self {
            is_by_staff: ended.by_account.is_empty(),
            at: time_of(ended.at)?,
            reason: ended.reason.clone(),
        })
    }

    /// That of a row of the public list.
    pub fn of_row(row: &OwnListing) -> Option<Self> {
        let ended = row.ended.as_ref()?;
        Some(Self {
            is_by_staff: ended.by == "staff",
            at: ended.at.0,
            reason: row.reason.clone().unwrap_or_default(),
        })
    }
}

/// A change or a new listing, in the API's form.
#[derive(Debug, Clone)]
pub struct Submission {
    pub account: Uuid,
    /// Writes per UTC day in the plan; `None` for no limit.
    pub writes_per_day: Option<u32>,
    /// A JSON object.
    pub body: Bytes,
    /// If true, the service only checks the write.
    pub dry_run: bool,
}

impl Submission {
    fn writing(self, idempotency_key: &str) -> proto::Writing {
        proto::Writing {
            author: Some(proto::Author {
                account_id: self.account.to_string(),
                mode: common::Mode::Live.into(),
                writes_per_day: self.writes_per_day,
            }),
            body: self.body,
            dry_run: self.dry_run,
            idempotency_key: idempotency_key.to_owned(),
        }
    }
}

impl Listings {
    pub fn new(client: Client, deadline: Duration) -> Self {
        Self(Calls { client, deadline })
    }

    /// The games and events of an account, newest first, with the position of the page.
    pub async fn list(
        &self,
        account: Uuid,
        cursor: &str,
    ) -> Result<(Vec<OwnListing>, Option<common::PageInfo>), Fault> {
        let request = proto::ListOwnListingsRequest {
            account_id: account.to_string(),
            mode: common::Mode::Live.into(),
            page: Some(page(100, Some(cursor))),
        };
        let listed = self.0.idempotent(request).await?;
        let rows = serde_json::from_slice(&listed.json).map_err(|error| Fault::internal(&error))?;
        Ok((rows, listed.page))
    }

    /// Submits a new listing. `form` is the idempotency key: the listing is submitted once if the form is sent several times.
    pub async fn create(
        &self,
        kind: ListingKind,
        submission: Submission,
        form: &str,
    ) -> Result<proto::Written, Fault> {
        let calls = &self.0;
        let written = match kind {
            ListingKind::Page => {
                let request = proto::CreatePageRequest {
                    account_id: submission.account.to_string(),
                    body: submission.body,
                    dry_run: submission.dry_run,
                    idempotency_key: form.to_owned(),
                };
                calls.idempotent(request).await?.written
            }
            ListingKind::Game => {
                let writing = Some(submission.writing(form));
                calls.idempotent(proto::CreateGameRequest { writing }).await?.written
            }
            ListingKind::Event => {
                let writing = Some(submission.writing(form));
                calls.idempotent(proto::CreateEventRequest { writing }).await?.written
            }
        };
        required(written)
    }

    /// Changes a listing that has this revision.
    pub async fn update(
        &self,
        listing: ListingRef<'_>,
        submission: Submission,
        revision: i64,
    ) -> Result<proto::Written, Fault> {
        let calls = &self.0;
        let slug = listing.name.to_owned();
        let precondition = Some(proto::Precondition { revisions: vec![revision] });
        let written = match listing.kind {
            ListingKind::Page => {
                let request = proto::UpdatePageRequest {
                    account_id: submission.account.to_string(),
                    handle: slug,
                    body: submission.body,
                    dry_run: submission.dry_run,
                    precondition,
                    writes_per_day: submission.writes_per_day,
                };
                calls.once(request).await?.written
            }
            ListingKind::Game => {
                let request = proto::UpdateGameRequest {
                    slug,
                    writing: Some(submission.writing("")),
                    precondition,
                };
                calls.once(request).await?.written
            }
            ListingKind::Event => {
                let request = proto::UpdateEventRequest {
                    slug,
                    writing: Some(submission.writing("")),
                    precondition,
                };
                calls.once(request).await?.written
            }
        };
        required(written)
    }
}

/// The state that the public list of an account's listings names.
pub fn state_of(name: &str) -> proto::State {
    match name {
        "pending" => proto::State::Pending,
        "published" => proto::State::Published,
        "rejected" => proto::State::Rejected,
        "removed" => proto::State::Removed,
        _ => proto::State::Unspecified,
    }
}

rpcs! { Listings:
    idempotent pages(account: Uuid) -> proto::ListOwnPagesResponse =
        proto::ListOwnPagesRequest { account_id: account };

    idempotent get(listing: ListingRef<'_>) -> proto::GetOwnListingResponse =
        proto::GetOwnListingRequest {
            account_id: listing.account,
            kind: listing.kind.as_str(),
            name: listing.name,
        };

    /// The values that fields may have.
    idempotent field_values() -> proto::ListFieldValuesResponse =
        proto::ListFieldValuesRequest {};

    /// Withdraws a listing at the revision that the person saw. A second call returns false.
    idempotent withdraw(listing: ListingRef<'_>, revision: i64) -> bool =
        proto::WithdrawListingRequest {
            account_id: listing.account,
            kind: listing.kind.as_str(),
            name: listing.name,
            revision,
        }
        => |withdrawn| withdrawn.changed;

    /// Takes down a listing at the revision that the person saw. A second call returns false.
    idempotent take_down(listing: ListingRef<'_>, revision: i64) -> bool =
        proto::TakeDownListingRequest {
            account_id: listing.account,
            kind: listing.kind.as_str(),
            name: listing.name,
            revision,
        }
        => |taken_down| taken_down.changed;

    /// Claims a page. A second call replaces the evidence.
    idempotent claim(account: Uuid, handle: &str, evidence: &str) -> () =
        proto::ClaimPageRequest { account_id: account, handle, evidence }
        => |_claimed| ();

    /// Ends a claim that waits for a decision. `None`: no such claim waits, as after an earlier call.
    idempotent withdraw_claim(account: Uuid, id: &str) -> Option<proto::Claim> =
        proto::WithdrawClaimRequest { account_id: account, id }
        => |withdrawn| withdrawn.claim;

    /// Ends the claims of an account that wait for a decision.
    idempotent withdraw_claims(account: Uuid) -> () =
        proto::WithdrawClaimsRequest { account_id: account }
        => |_withdrawn| ();

    /// The claims of an account, newest first.
    idempotent claims(account: Uuid) -> Vec<proto::Claim> =
        proto::ListOwnClaimsRequest { account_id: account }
        => |listed| listed.claims;
}
