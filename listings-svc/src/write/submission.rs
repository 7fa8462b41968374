//! What accounts send in, new listings and changes of them (§4.3), and what they are answered.

use kit::idempotency;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::domain::mode::Mode;
use crate::domain::state::State;

/// Who sends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    /// The account.
    pub account: Uuid,
    /// By the kind of its key.
    pub mode: Mode,
    /// Accepted writes that its plan has in a UTC day; `None` for any number.
    pub writes_per_day: Option<u32>,
}

/// What it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A game that is to be listed.
    NewGame,
    /// The game with this slug.
    Game(String),
    /// An event that is to be listed.
    NewEvent,
    /// The event with this slug.
    Event(String),
    /// A page that is to be listed.
    NewPage,
    /// The page with this handle.
    Page(String),
}

impl Target {
    /// What it counts for among the writes of a day: a page is none (§8).
    pub(super) const fn daily_writes(&self) -> i32 {
        match self {
            Self::NewGame | Self::Game(_) | Self::NewEvent | Self::Event(_) => 1,
            Self::NewPage | Self::Page(_) => 0,
        }
    }
}

/// A new listing, or a change of one, as an account sends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submission {
    /// Who sends it.
    pub author: Author,
    /// What it is about.
    pub target: Target,
    /// All of it, or what is to change.
    pub body: Map<String, Value>,
    /// The key that it came with, if any.
    pub idempotency_key: Option<idempotency::Key>,
    /// With a change: the revisions of the listing at which it is made; `None` for any (§10.10).
    pub precondition: Option<Vec<i64>>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// Of the listing.
    pub slug: String,
    /// Where it stands.
    pub state: State,
    /// Its public page.
    pub url: String,
    /// Its revision after the write; 0 in an answer that was kept before revisions were.
    #[serde(default)]
    pub revision: i64,
    /// Why the public does not see it although it may be published; only of a game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// An answer, and whether it was given before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The answer.
    pub answer: Answer,
    /// The same call came before, and this is what it was answered.
    pub replayed: bool,
}
