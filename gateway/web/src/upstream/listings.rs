//! listings-svc: pages, games and events of an account, and claims.

use std::time::Duration;

use bytes::Bytes;
use contracts::common::v1 as common;
use contracts::listings::v1 as proto;
use contracts::public::OwnListing;
use kit::Fault;
use kit::rpc::client::Client;
use uuid::Uuid;

use super::call::{Calls, incomplete};
use super::clients::{Events, Games, OwnListings, Pages};
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
            page: Some(common::PageRequest {
                limit: 100,
                cursor: cursor.to_owned(),
            }),
        };
        let listed = self.0.read(OwnListings::list_own_listings, request).await?;
        let rows = serde_json::from_slice(&listed.json);
        let rows = rows.map_err(|error| Fault::internal(&error))?;
        Ok((rows, listed.page))
    }

    pub async fn pages(&self, account: Uuid) -> Result<proto::ListOwnPagesResponse, Fault> {
        let request = proto::ListOwnPagesRequest {
            account_id: account.to_string(),
        };
        self.0.read(Pages::list_own_pages, request).await
    }

    pub async fn get(
        &self,
        listing: ListingRef<'_>,
    ) -> Result<proto::GetOwnListingResponse, Fault> {
        let request = proto::GetOwnListingRequest {
            account_id: listing.account.to_string(),
            kind: listing.kind.as_str().to_owned(),
            name: listing.name.to_owned(),
        };
        self.0.read(OwnListings::get_own_listing, request).await
    }

    /// The revisions of a listing, newest first.
    pub async fn revisions(
        &self,
        listing: ListingRef<'_>,
        cursor: &str,
    ) -> Result<proto::ListOwnRevisionsResponse, Fault> {
        let request = proto::ListOwnRevisionsRequest {
            account_id: listing.account.to_string(),
            kind: listing.kind.as_str().to_owned(),
            name: listing.name.to_owned(),
            page: Some(common::PageRequest {
                limit: 20,
                cursor: cursor.to_owned(),
            }),
        };
        self.0.read(OwnListings::list_own_revisions, request).await
    }

    /// The values that fields may have.
    pub async fn field_values(&self) -> Result<proto::ListFieldValuesResponse, Fault> {
        let request = proto::ListFieldValuesRequest {};
        self.0.read(OwnListings::list_field_values, request).await
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
                calls.read(Pages::create_page, request).await?.written
            }
            ListingKind::Game => {
                let writing = Some(submission.writing(form));
                let request = proto::CreateGameRequest { writing };
                calls.read(Games::create_game, request).await?.written
            }
            ListingKind::Event => {
                let writing = Some(submission.writing(form));
                let request = proto::CreateEventRequest { writing };
                calls.read(Events::create_event, request).await?.written
            }
        };
        written.ok_or_else(incomplete)
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
        let precondition = Some(proto::Precondition {
            revisions: vec![revision],
        });
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
                calls.write(Pages::update_page, request).await?.written
            }
            ListingKind::Game => {
                let request = proto::UpdateGameRequest {
                    slug,
                    writing: Some(submission.writing("")),
                    precondition,
                };
                calls.write(Games::update_game, request).await?.written
            }
            ListingKind::Event => {
                let request = proto::UpdateEventRequest {
                    slug,
                    writing: Some(submission.writing("")),
                    precondition,
                };
                calls.write(Events::update_event, request).await?.written
            }
        };
        written.ok_or_else(incomplete)
    }

    /// Withdraws a pending listing. A second call changes nothing.
    pub async fn withdraw(&self, listing: ListingRef<'_>) -> Result<(), Fault> {
        let request = proto::WithdrawListingRequest {
            account_id: listing.account.to_string(),
            kind: listing.kind.as_str().to_owned(),
            name: listing.name.to_owned(),
        };
        self.0.read(OwnListings::withdraw_listing, request).await?;
        Ok(())
    }

    /// Asks staff to take a listing down. A second call replaces the reason.
    pub async fn request_takedown(
        &self,
        listing: ListingRef<'_>,
        reason: &str,
    ) -> Result<(), Fault> {
        let request = proto::RequestTakedownRequest {
            account_id: listing.account.to_string(),
            kind: listing.kind.as_str().to_owned(),
            name: listing.name.to_owned(),
            reason: reason.to_owned(),
        };
        self.0.read(OwnListings::request_takedown, request).await?;
        Ok(())
    }

    /// Claims a page. A second call replaces the evidence.
    pub async fn claim(&self, account: Uuid, handle: &str, evidence: &str) -> Result<(), Fault> {
        let request = proto::ClaimPageRequest {
            account_id: account.to_string(),
            handle: handle.to_owned(),
            evidence: evidence.to_owned(),
        };
        self.0.read(Pages::claim_page, request).await?;
        Ok(())
    }

    /// The claims of an account, newest first.
    pub async fn claims(&self, account: Uuid) -> Result<Vec<proto::Claim>, Fault> {
        let request = proto::ListOwnClaimsRequest {
            account_id: account.to_string(),
        };
        Ok(self.0.read(Pages::list_own_claims, request).await?.claims)
    }
}
