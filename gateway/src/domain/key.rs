//! Keys and who calls with them (§5.2).

use time::OffsetDateTime;
use uuid::Uuid;

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

impl Key {
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
    use time::Duration;
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-03-01 08:00 UTC);

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
        let end = NOW + Duration::HOUR;
        let fresh = caller();
        assert!(fresh.works(NOW));
        let ends: [fn(&mut Caller, OffsetDateTime); 2] = [
            |caller, end| caller.key.expires_at = Some(end),
            |caller, end| caller.key.grace_until = Some(end),
        ];
        for set in ends {
            let mut caller = fresh.clone();
            set(&mut caller, end);
            assert!(caller.works(end - Duration::MILLISECOND));
            assert!(!caller.works(end));
        }
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
