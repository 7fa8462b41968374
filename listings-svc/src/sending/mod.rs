//! What accounts send in: new pages, games and events, and changes of them (§4.3).
//!
//! All that is sent at once is decided together, inside the writer's transaction: what the decisions need is loaded ([`load`]), each is
//! made in memory in the order of §7.1 ([`decide`]), and what came of them is saved ([`save`]). A call that shall write nothing is decided
//! in the same way, on rows that are not locked ([`check`]).

pub mod check;
mod decide;
mod desk;
pub mod in_flight;
mod load;
mod save;
mod shown;
pub mod vocabulary;

use kit::feed::Applied;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::mode::Mode;
use crate::domain::state::State;
use crate::feed::PublicUrl;
use crate::store::idempotency::Name;
use vocabulary::Vocabulary;

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

/// A call that is to have its effect once (§10.4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Once {
    /// Which call.
    pub name: Name,
    /// Of its body.
    pub body_sha256: Vec<u8>,
}

/// What an account sends in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// Who sends it.
    pub author: Author,
    /// What it is about.
    pub target: Target,
    /// All of it, or what is to change.
    pub body: Map<String, Value>,
    /// Given with an `Idempotency-Key`.
    pub once: Option<Once>,
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
}

/// An answer, and whether it was given before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The answer.
    pub answer: Answer,
    /// The same call came before, and this is what it was answered.
    pub replayed: bool,
}

/// What decisions are held to.
#[derive(Debug)]
pub struct Rules {
    /// Where public pages are.
    pub addresses: PublicUrl,
    /// Submissions of one account that may wait for their review.
    pub most_waiting: i64,
    /// Genres, countries and cities.
    pub vocabulary: Vocabulary,
}

/// Decides and writes what was sent, inside the writer's transaction; says what came of it.
pub async fn apply(
    connection: &mut PgConnection,
    sent: &Sent,
    rules: &Rules,
    now: OffsetDateTime,
) -> Result<Applied<Box<Outcome>>, sqlx::Error> {
    let mut desk = load::locked(connection, &[sent], rules, now).await?;
    let verdict = desk.decide(sent);
    save::all(connection, desk).await?;
    Ok(verdict.applied())
}
