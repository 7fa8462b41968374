//! Submissions of accounts, which are new listings and changes (§4.3), and their receipts.
//!
//! [`load`] reads what the decision needs, [`decide`] decides, and [`apply`] writes what is accepted, or checks without writing.

pub mod apply;
mod decide;
mod load;
mod representation;

use kit::idempotency;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::domain::entity::Entity;
use crate::domain::mode::Mode;
use crate::domain::state::ListingState;
use crate::write::pictures::PictureOperation;

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
    New(Entity),
    /// The listing with this slug or handle.
    Change(Entity, String),
    /// Changes the pictures of the listing with this slug or handle.
    Pictures(Entity, String, PictureOperation),
}

impl Target {
    pub(super) const fn entity(&self) -> Entity {
        match self {
            Self::New(entity) | Self::Change(entity, _) | Self::Pictures(entity, ..) => *entity,
        }
    }

    /// The slug or the handle of the listing that changes.
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Self::New(_) => None,
            Self::Change(_, name) | Self::Pictures(_, name, _) => Some(name),
        }
    }

    /// The call in the scope of an `Idempotency-Key` (§10.4); `None` for a call that has no key, such as a change.
    pub const fn idempotency_route(&self) -> Option<&'static str> {
        match self {
            Self::New(Entity::Game) => Some("POST /games"),
            Self::New(Entity::Event) => Some("POST /events"),
            Self::New(_) => Some("a new page"),
            Self::Change(..) | Self::Pictures(..) => None,
        }
    }

    /// Whether the submission is one of the day's writes (§8) even if it changes nothing. A submission about a page or pictures is one only
    /// if it changes what the public sees.
    pub(super) const fn always_counts(&self) -> bool {
        matches!(
            self,
            Self::New(Entity::Game | Entity::Event) | Self::Change(Entity::Game | Entity::Event, _)
        )
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

impl Submission {
    /// Whether the submission is about samples. Every account may use them, and no limits apply.
    fn is_about_samples(&self) -> bool {
        self.author.mode == Mode::Test
    }

    /// How many writes of the day it is before the decision.
    fn counted_writes(&self) -> i32 {
        self.target.always_counts().into()
    }
}

/// What its account learns of an accepted submission. Stored as JSON with the `Idempotency-Key`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The handle, for a page.
    pub slug: String,
    pub state: ListingState,
    /// URL of the public page.
    pub url: String,
    /// After the write.
    pub revision: i64,
    /// Why the page of a game hides it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Whether this is the stored receipt of an earlier call with the same key.
    #[serde(skip)]
    pub replayed: bool,
}
