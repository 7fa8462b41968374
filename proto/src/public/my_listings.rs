//! `GET /me/listings` (§10.2).

use serde::{Deserialize, Serialize};

use super::Timestamp;

/// A game or an event of the caller's, public or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnListing {
    /// `game` or `event`.
    pub kind: String,
    /// Never changes.
    pub slug: String,
    /// What it is called.
    pub title: String,
    /// `pending`, `published`, `rejected` or `removed` (§3).
    pub status: String,
    /// Of a rejected one: what staff said; else null.
    pub reason: Option<String>,
    /// Why the public does not see it although it may be published: the state of its page. Else null.
    pub note: Option<String>,
    /// Public page address; nothing is there while it is not published.
    pub url: String,
    /// When it was sent in.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}
