//! Keys and who calls with them (§5.2).

use std::time::Duration;

use kit::Fault;
use time::OffsetDateTime;
use uuid::Uuid;

use super::plan::Plan;

/// Which world a key meets (§5.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Sample data; costs nothing.
    Test,
    /// The real directory.
    Live,
}

/// Whom a key belongs to, and for what it is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An account's own key.
    Account,
    /// A game's key, for its server.
    Secret,
    /// A game's key that may be shown; never writes.
    Public,
}

/// A key as it is known here: everything but its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// Its id.
    pub id: Uuid,
    /// The account that pays for its calls.
    pub account: Uuid,
    /// What its owner calls it.
    pub name: String,
    /// Which world it meets.
    pub mode: Mode,
    /// Whom it belongs to.
    pub kind: Kind,
    /// Ticked or not when it was made; never changes.
    pub may_write: bool,
    /// Slug of its game, unless it is an account's key.
    pub game: Option<String>,
    /// The last four characters of its secret.
    pub last4: String,
    /// When it was made.
    pub created_at: OffsetDateTime,
    /// When a call last came with it, some seconds late.
    pub last_used_at: Option<OffsetDateTime>,
    /// It stops then.
    pub expires_at: Option<OffsetDateTime>,
    /// It was rotated and stops then.
    pub grace_until: Option<OffsetDateTime>,
    /// It was stopped then.
    pub revoked_at: Option<OffsetDateTime>,
    /// Counts its changes.
    pub revision: i64,
}

/// A key as it is asked for; the secret is made later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// What its owner will call it.
    pub name: String,
    /// Which world it is to meet.
    pub mode: Mode,
    /// Whom it is to belong to.
    pub kind: Kind,
    /// Whether it may write.
    pub may_write: bool,
    /// Its game, for a game's key.
    pub game: Option<String>,
    /// When it is to stop.
    pub expires_at: Option<OffsetDateTime>,
}

/// Who calls: a key, its account, and whether its game still stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The key.
    pub key: Key,
    /// Name of its account.
    pub account_name: String,
    /// Name of the account's plan.
    pub plan: String,
    /// False when the key belongs to a game that is not published.
    pub game_stands: bool,
}

impl Mode {
    /// `test` or `live`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Test => "test",
            Self::Live => "live",
        }
    }

    /// Reads `test` or `live`.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "test" => Some(Self::Test),
            "live" => Some(Self::Live),
            _ => None,
        }
    }
}

impl Kind {
    /// `account`, `secret` or `public`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Account => "account",
            Self::Secret => "secret",
            Self::Public => "public",
        }
    }

    /// Reads `account`, `secret` or `public`.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "account" => Some(Self::Account),
            "secret" => Some(Self::Secret),
            "public" => Some(Self::Public),
            _ => None,
        }
    }
}

impl Wanted {
    /// Refuses a key that the account's plan, or the directory, does not allow. `taken` is what the account has of its plan's working
    /// keys, and `game_stands` whether the game of the key is published.
    pub fn check(&self, plan: &Plan, taken: i64, game_stands: bool) -> Result<(), Fault> {
        if self.mode == Mode::Live
            && let Some(limit) = plan.working_keys
            && taken >= i64::from(limit)
        {
            let title = &plan.title;
            return Err(Fault::invalid_field(
                "account",
                format!(
                    "has the {limit} live keys of its plan {title}, working or asked for; revoke one, or move it to a larger plan"
                ),
            ));
        }
        if !game_stands {
            return Err(Fault::invalid_field(
                "game",
                "no published game has this slug",
            ));
        }
        Ok(())
    }
}

impl Key {
    /// A new key of an account.
    pub fn new(id: Uuid, account: Uuid, wanted: Wanted, last4: &str, now: OffsetDateTime) -> Self {
        Self {
            id,
            account,
            name: wanted.name,
            mode: wanted.mode,
            kind: wanted.kind,
            may_write: wanted.may_write,
            game: wanted.game,
            last4: last4.to_owned(),
            created_at: now,
            last_used_at: None,
            expires_at: wanted.expires_at,
            grace_until: None,
            revoked_at: None,
            revision: 1,
        }
    }

    /// The key in its grace, and the one that follows it.
    pub fn rotated(
        &self,
        id: Uuid,
        last4: &str,
        grace: Duration,
        now: OffsetDateTime,
    ) -> Result<(Self, Self), Fault> {
        if !self.works(now) {
            let reason = "this key no longer works; make a new one";
            return Err(Fault::invalid_field("id", reason));
        }
        if self.grace_until.is_some() {
            let reason = "this key was rotated before; rotate the one that followed it";
            return Err(Fault::invalid_field("id", reason));
        }
        let old = Self {
            grace_until: Some(now + grace),
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

    /// The key once it is revoked; `None` when it was before.
    pub fn revoked(&self, now: OffsetDateTime) -> Option<Self> {
        self.revoked_at.is_none().then(|| Self {
            revoked_at: Some(now),
            revision: self.revision + 1,
            ..self.clone()
        })
    }

    /// When it stops by itself: at its expiry or at the end of its grace.
    pub fn ends_at(&self) -> Option<OffsetDateTime> {
        self.expires_at.into_iter().chain(self.grace_until).min()
    }

    /// Whether it may be used: not revoked, not expired, not past its grace.
    pub fn works(&self, now: OffsetDateTime) -> bool {
        self.revoked_at.is_none() && self.ends_at().is_none_or(|end| now < end)
    }
}

impl Caller {
    /// Whether its calls are answered.
    pub fn works(&self, now: OffsetDateTime) -> bool {
        self.game_stands && self.key.works(now)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::time::Duration;

    use time::macros::datetime;

    use super::super::plan_table;
    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-03-01 08:00 UTC);
    const HOUR: Duration = Duration::from_hours(1);

    /// A caller on the plan `free` with a live key of its account.
    pub(crate) fn caller() -> Caller {
        Caller {
            key: Key {
                id: Uuid::from_u128(1),
                account: Uuid::from_u128(2),
                name: "server".to_owned(),
                mode: Mode::Live,
                kind: Kind::Account,
                may_write: false,
                game: None,
                last4: "abcd".to_owned(),
                created_at: NOW,
                last_used_at: None,
                expires_at: None,
                grace_until: None,
                revoked_at: None,
                revision: 1,
            },
            account_name: "Savanna".to_owned(),
            plan: "free".to_owned(),
            game_stands: true,
        }
    }

    #[test]
    fn a_key_works_until_its_end() {
        let end = NOW + HOUR;
        let fresh = caller();
        assert!(fresh.works(NOW));
        let ends: [fn(&mut Caller, OffsetDateTime); 2] = [
            |caller, end| caller.key.expires_at = Some(end),
            |caller, end| caller.key.grace_until = Some(end),
        ];
        for set in ends {
            let mut caller = fresh.clone();
            set(&mut caller, end);
            assert!(caller.works(end - Duration::from_millis(1)));
            assert!(!caller.works(end));
        }
    }

    fn wanted(mode: Mode) -> Wanted {
        Wanted {
            name: "server".to_owned(),
            mode,
            kind: Kind::Account,
            may_write: false,
            game: None,
            expires_at: None,
        }
    }

    #[test]
    fn a_plan_limits_live_keys_and_a_key_needs_its_game() {
        let plans = plan_table::parse(plan_table::BUILT_IN).unwrap();
        let plan = plans.get_or_cheapest("free");
        let limit = i64::from(plan.working_keys.unwrap());
        let field = |mode, taken, game_stands| {
            let checked = wanted(mode).check(plan, taken, game_stands);
            checked
                .err()
                .and_then(|fault| fault.fields.into_keys().next())
        };
        assert_eq!(field(Mode::Live, limit - 1, true), None);
        assert_eq!(field(Mode::Live, limit, true).as_deref(), Some("account"));
        assert_eq!(field(Mode::Test, limit, true), None);
        assert_eq!(field(Mode::Test, 0, false).as_deref(), Some("game"));
        let endless = plans.get_or_cheapest("partner");
        let unlimited = Plan {
            working_keys: None,
            ..endless.clone()
        };
        assert!(wanted(Mode::Live).check(&unlimited, i64::MAX, true).is_ok());
    }

    #[test]
    fn a_key_is_rotated_once_while_it_works() {
        let key = caller().key;
        let (old, new) = key.rotated(Uuid::from_u128(9), "wxyz", HOUR, NOW).unwrap();
        assert_eq!(
            (old.id, old.grace_until, old.revision),
            (key.id, Some(NOW + HOUR), 2)
        );
        assert!(old.works(NOW) && !old.works(NOW + HOUR));
        assert_eq!(
            (new.id, new.last4.as_str(), new.revision),
            (Uuid::from_u128(9), "wxyz", 1)
        );
        assert_eq!((new.account, new.grace_until), (key.account, None));

        let again = old.rotated(Uuid::from_u128(10), "abcd", HOUR, NOW);
        assert!(again.unwrap_err().fields["id"].contains("rotated before"));
        let ended = key.revoked(NOW).unwrap();
        let dead = ended.rotated(Uuid::from_u128(10), "abcd", HOUR, NOW);
        assert!(dead.unwrap_err().fields["id"].contains("no longer works"));
    }

    #[test]
    fn a_key_is_revoked_once() {
        let revoked = caller().key.revoked(NOW).unwrap();
        assert_eq!((revoked.revoked_at, revoked.revision), (Some(NOW), 2));
        assert_eq!(revoked.revoked(NOW + HOUR), None);
    }

    #[test]
    fn a_revoked_key_and_one_without_its_game_do_not_work() {
        let mut revoked = caller();
        revoked.key.revoked_at = Some(NOW);
        assert!(!revoked.works(NOW));
        let mut orphan = caller();
        orphan.game_stands = false;
        assert!(!orphan.works(NOW));
    }
}
