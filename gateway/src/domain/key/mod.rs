//! API keys and their callers (§5.2).

use kit::{Code, Fault};
use strum::{EnumString, IntoStaticStr};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::plan::{Plan, Plans};

pub use kit::Mode;

/// How long an old secret works after a rotation, unless it is revoked at once.
///
/// A gateway that cannot read changes may accept a cached key for as long (`keys_outage`), so it could not keep a shorter time.
pub const GRACE: Duration = Duration::DAY;

#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[expect(clippy::module_name_repetitions, reason = "`Kind` alone is also the kind of other things")]
pub enum KeyKind {
    /// A key of an account.
    Account,
    /// A key of a game, for its server.
    Secret,
    /// A key of a game that may be given away. It never writes.
    Public,
}

/// A key without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    pub id: Uuid,
    /// The account whose plan and quota apply.
    pub account: Uuid,
    /// The id of the key that rotations began with, or its own. All keys of a chain have one minute together, so that a rotation adds no
    /// calls.
    pub chain: Uuid,
    pub name: String,
    pub mode: Mode,
    pub kind: KeyKind,
    /// Set when the key is created; never changes.
    pub may_write: bool,
    /// The slug of the game; `None` for a key of an account.
    pub game: Option<String>,
    /// The last four characters of the secret.
    pub last4: String,
    pub created_at: OffsetDateTime,
    /// May lag some seconds behind.
    pub last_used_at: Option<OffsetDateTime>,
    /// Set by a rotation: until when the key works.
    pub grace_until: Option<OffsetDateTime>,
    /// Set by a revocation, and by a rotation that stops the key at once: the key works nowhere, whatever the clock of a replica says.
    pub revoked_at: Option<OffsetDateTime>,
    /// Incremented by every change.
    pub revision: i64,
    /// The person who has seen the secret; `None` if staff did.
    pub seen_by: Option<Uuid>,
    pub game_state: GameState,
}

/// The properties of a key that is to be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spec {
    pub name: String,
    pub mode: Mode,
    pub kind: KeyKind,
    pub may_write: bool,
    /// The slug of the game, for a key of a game.
    pub game: Option<String>,
}

/// The caller of a request: a key and its account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub key: Key,
    pub account_name: String,
    /// The name of the account's plan.
    pub plan: String,
}

/// Whether an account's keys for a game may work (§5.1). The names are those in the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum GameState {
    /// The game is published, and the account owns its page; or the key belongs to no game.
    Usable,
    /// No published game has the slug.
    Gone,
    /// Another account owns the page of the game, or none does.
    NotOwned,
}

impl KeyKind {
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl Spec {
    /// Rejects a key that the account's plan or the directory does not allow. `working` is how many working keys the account has, and
    /// `game` the state of the key's game.
    pub fn check(
        &self,
        plans: &Plans,
        plan: &Plan,
        working: i64,
        game: GameState,
    ) -> Result<(), Fault> {
        if self.mode == Mode::Live
            && let Some(limit) = plan.working_keys
            && working >= i64::from(limit)
        {
            let title = &plan.title;
            let way_out = plans.cheapest_with_more_keys(working).map_or_else(
                || "No plan has more. Revoke one.".to_owned(),
                |other| format!("Revoke one, or change to the plan {}.", other.title),
            );
            return Err(Fault::new(
                Code::PlanRequired,
                format!(
                    "The account already has the {limit} live keys of the plan {title}, requested keys included. {way_out}"
                ),
            ));
        }
        let problem = match game {
            GameState::Usable => return Ok(()),
            GameState::Gone => "No published game has this slug.",
            GameState::NotOwned => {
                "The account does not own the page of this game. Make it an owner of the page first."
            }
        };
        Err(Fault::invalid_field("game", problem))
    }
}

impl Key {
    pub fn new(id: Uuid, account: Uuid, spec: Spec, last4: &str, now: OffsetDateTime) -> Self {
        Self {
            id,
            account,
            chain: id,
            name: spec.name,
            mode: spec.mode,
            kind: spec.kind,
            may_write: spec.may_write,
            game: spec.game,
            last4: last4.to_owned(),
            created_at: now,
            last_used_at: None,
            grace_until: None,
            revoked_at: None,
            revision: 1,
            seen_by: None,
            game_state: GameState::Usable,
        }
    }

    /// Returns the key, which works for [`GRACE`] or not at all, and its successor.
    pub fn rotated(
        &self,
        id: Uuid,
        last4: &str,
        revokes_old: bool,
        now: OffsetDateTime,
    ) -> Result<(Self, Self), Fault> {
        if !self.works(now) {
            let reason = "This key no longer works. Create a new key.";
            return Err(Fault::invalid_field("id", reason));
        }
        if self.grace_until.is_some() {
            let reason = "This key was rotated before. Rotate its successor.";
            return Err(Fault::invalid_field("id", reason));
        }
        let old = Self {
            grace_until: Some(if revokes_old { now } else { now + GRACE }),
            revoked_at: if revokes_old { Some(now) } else { self.revoked_at },
            revision: self.revision + 1,
            ..self.clone()
        };
        let new = Self {
            id,
            last4: last4.to_owned(),
            created_at: now,
            last_used_at: None,
            revision: 1,
            ..self.clone()
        };
        Ok((old, new))
    }

    /// The revoked key; `None` if it was revoked before.
    pub fn revoked(&self, now: OffsetDateTime) -> Option<Self> {
        self.revoked_at.is_none().then(|| Self {
            revoked_at: Some(now),
            revision: self.revision + 1,
            ..self.clone()
        })
    }

    /// Whether the key is neither revoked nor past its grace period.
    pub fn works(&self, now: OffsetDateTime) -> bool {
        self.revoked_at.is_none() && self.grace_until.is_none_or(|end| now < end)
    }
}

impl Caller {
    /// Whether the key and its game are in order.
    pub fn works(&self, now: OffsetDateTime) -> bool {
        self.key.game_state == GameState::Usable && self.key.works(now)
    }
}

#[cfg(test)]
pub(crate) mod tests;
