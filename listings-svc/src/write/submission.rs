//! Submissions of accounts, which are new listings and changes (§4.3), and their receipts.

use kit::idempotency;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::pictures::edit::PictureOperation;
use crate::domain::entity::Entity;
use crate::domain::mode::Mode;
use crate::domain::state::ListingState;

/// The account that submits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    pub account: Uuid,
    /// By the kind of the key.
    pub mode: Mode,
    /// Accepted writes per UTC day in the plan; `None` for no limit.
    pub writes_per_day: Option<u32>,
}

/// The listing that a submission creates or changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    NewGame,
    /// The slug.
    Game(String),
    NewEvent,
    /// The slug.
    Event(String),
    NewPage,
    /// The handle.
    Page(String),
    /// Changes the pictures of the listing with this slug or handle.
    Pictures(Entity, String, PictureOperation),
    /// Withdraws the listing with this slug or handle from the review.
    Withdrawal(Entity, String),
}

impl Target {
    /// What the submission counts as among the writes of the day: a page, a picture or a withdrawal counts as none (§8).
    pub(super) const fn daily_writes(&self) -> i32 {
        match self {
            Self::NewGame | Self::Game(_) | Self::NewEvent | Self::Event(_) => 1,
            Self::NewPage | Self::Page(_) | Self::Pictures(..) | Self::Withdrawal(..) => 0,
        }
    }
}

/// A new listing, or a change of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submission {
    pub author: Author,
    pub target: Target,
    /// The whole listing, or the changed fields.
    pub body: Map<String, Value>,
    pub idempotency_key: Option<idempotency::Key>,
    /// For a change: the revisions at which it applies; `None` for any (§10.10).
    pub precondition: Option<Vec<i64>>,
}

/// What its account learns of an accepted submission. Stored as JSON with the `Idempotency-Key`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The handle, for a page.
    pub slug: String,
    pub state: ListingState,
    /// URL of the public page.
    pub url: String,
    /// Revision after the write; 0 in a receipt that was stored before receipts had it.
    #[serde(default)]
    pub revision: i64,
    /// Why a game is not public although it may be published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Whether this is the stored receipt of an earlier call with the same key.
    #[serde(skip)]
    pub replayed: bool,
}
