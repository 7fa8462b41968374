//! `GET /me/listings` (§10.2).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{EndedBy, ListingStatus, OwnListingKind, Slug, Timestamp};

/// A game or an event of the account, public or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "kind": "game", "slug": "karoo-drift", "title": "Karoo Drift", "status": "rejected", "reason": "Say which platforms it is for.",
    "ended": {"by": "staff", "at": "2026-03-02T08:00:00.000Z"}, "note": null, "url": "https://mchezo.example/games/karoo-drift", "created_at": "2026-03-01T08:00:00.000Z",
    "updated_at": "2026-03-02T08:00:00.000Z",
}))]
pub struct OwnListing {
    /// `game` or `event`.
    #[schema(value_type = OwnListingKind)]
    pub kind: String,
    /// Never changes.
    #[schema(value_type = Slug)]
    pub slug: String,
    /// What it is called.
    pub title: String,
    /// `pending`, `published`, `rejected` or `removed`.
    #[schema(value_type = ListingStatus)]
    pub status: String,
    /// Why staff rejected it or took it down. Null in other states, and when the account withdrew
    /// it or took it down.
    #[schema(required)]
    pub reason: Option<String>,
    /// Who rejected, withdrew or took down the listing. Null while it is pending or published.
    #[schema(required)]
    pub ended: Option<OwnListingEnded>,
    /// Why the public does not see it although it may be published: the state of its page. Else null.
    #[schema(required)]
    pub note: Option<String>,
    /// Public page address; nothing is there while it is not published.
    #[schema(format = "uri")]
    pub url: String,
    /// When it was submitted.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// Who ended a listing, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OwnListingEnded {
    /// `account` when an account that owns the listing withdrew it or took it down, `staff` when
    /// staff rejected it or took it down.
    #[schema(value_type = EndedBy)]
    pub by: String,
    /// When the listing was rejected, withdrawn or taken down.
    pub at: Timestamp,
}
