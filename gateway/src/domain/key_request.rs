//! Live keys that are asked for, looked at by staff, and revealed once by their owner (§5.2).

use kit::Fault;
use time::OffsetDateTime;
use uuid::Uuid;

use super::key::{Key, Wanted};

/// A live key that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRequest {
    /// Its id, and that of the key once there is one.
    pub id: Uuid,
    /// The account that asks.
    pub account: Uuid,
    /// What kind of key it is to be; its mode is live.
    pub wanted: Wanted,
    /// How far it has come.
    pub state: State,
    /// When it was asked for.
    pub asked_at: OffsetDateTime,
    /// When staff last approved or rejected it.
    pub decided_at: Option<OffsetDateTime>,
    /// Why it was rejected.
    pub reason: Option<String>,
    /// Counts its changes.
    pub revision: i64,
}

/// How far a request has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Not looked at yet.
    Asked,
    /// Its owner may reveal the key.
    Approved,
    /// There will be no key.
    Rejected,
    /// The key is there; what becomes of it is the key's own matter.
    Revealed,
}

impl State {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Asked, Self::Approved, Self::Rejected, Self::Revealed];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::Revealed => "revealed",
        }
    }

    /// The state of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

impl KeyRequest {
    /// A new one.
    pub fn asked(id: Uuid, account: Uuid, wanted: Wanted, now: OffsetDateTime) -> Self {
        Self {
            id,
            account,
            wanted,
            state: State::Asked,
            asked_at: now,
            decided_at: None,
            reason: None,
            revision: 1,
        }
    }

    /// Lets its owner reveal the key; `None` when that was done before.
    pub fn approved(&self, now: OffsetDateTime) -> Result<Option<Self>, Fault> {
        match self.state {
            State::Asked => Ok(Some(self.decided(State::Approved, None, now))),
            State::Approved | State::Revealed => Ok(None),
            State::Rejected => Err(refused("this key was rejected; its owner may ask anew")),
        }
    }

    /// Ends it without a key; `None` when that was done before. What was approved can still be rejected, as long as nobody has the
    /// key.
    pub fn rejected(&self, reason: &str, now: OffsetDateTime) -> Result<Option<Self>, Fault> {
        match self.state {
            State::Asked | State::Approved => {
                let reason = Some(reason.to_owned());
                Ok(Some(self.decided(State::Rejected, reason, now)))
            }
            State::Rejected => Ok(None),
            State::Revealed => Err(refused("this key works already; revoke it instead")),
        }
    }

    /// Hands the key over, once: the request as it is then, and the key with the last four characters of its secret.
    pub fn revealed(&self, last4: &str, now: OffsetDateTime) -> Result<(Self, Key), Fault> {
        match self.state {
            State::Approved => {}
            State::Asked => {
                return Err(refused(
                    "this key was not approved yet; wait for the review",
                ));
            }
            State::Rejected => {
                return Err(refused("this key was rejected; ask for another"));
            }
            State::Revealed => {
                return Err(refused(
                    "this key was revealed before, and its secret is shown once; rotate the key for a new one",
                ));
            }
        }
        if self.wanted.expires_at.is_some_and(|end| end <= now) {
            return Err(refused(
                "the time that this key was asked for has passed; ask for another",
            ));
        }
        let request = Self {
            state: State::Revealed,
            revision: self.revision + 1,
            ..self.clone()
        };
        let key = Key::new(self.id, self.account, self.wanted.clone(), last4, now);
        Ok((request, key))
    }

    fn decided(&self, state: State, reason: Option<String>, now: OffsetDateTime) -> Self {
        Self {
            state,
            reason,
            decided_at: Some(now),
            revision: self.revision + 1,
            ..self.clone()
        }
    }
}

fn refused(reason: &str) -> Fault {
    Fault::invalid_field("id", reason)
}

#[cfg(test)]
mod tests {
    use time::Duration;
    use time::macros::datetime;

    use super::super::key::{Kind, Mode};
    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-03-01 08:00 UTC);

    fn asked() -> KeyRequest {
        let wanted = Wanted {
            name: "server".to_owned(),
            mode: Mode::Live,
            kind: Kind::Secret,
            may_write: true,
            game: Some("kora".to_owned()),
            expires_at: Some(NOW + Duration::DAY),
        };
        KeyRequest::asked(Uuid::from_u128(1), Uuid::from_u128(2), wanted, NOW)
    }

    fn in_state(state: State) -> KeyRequest {
        KeyRequest { state, ..asked() }
    }

    /// Where each step leads from each state: `Some(None)` changes nothing, `None` is refused.
    #[test]
    fn every_step_from_every_state() {
        let later = NOW + Duration::HOUR;
        let state = |after: Result<Option<KeyRequest>, Fault>| {
            after.ok().map(|new| new.map(|new| new.state))
        };
        for (from, approved, rejected, revealed) in [
            (
                State::Asked,
                Some(Some(State::Approved)),
                Some(Some(State::Rejected)),
                None,
            ),
            (
                State::Approved,
                Some(None),
                Some(Some(State::Rejected)),
                Some(Some(State::Revealed)),
            ),
            (State::Rejected, None, Some(None), None),
            (State::Revealed, Some(None), None, None),
        ] {
            let request = in_state(from);
            assert_eq!(state(request.approved(later)), approved, "{from:?}");
            assert_eq!(state(request.rejected("Why", later)), rejected, "{from:?}");
            let handed = request.revealed("abcd", later).map(|(new, _)| Some(new));
            assert_eq!(state(handed), revealed, "{from:?}");
        }
    }

    #[test]
    fn a_decision_is_kept_with_its_time_and_reason() {
        let rejected = asked().rejected("No such studio", NOW).unwrap().unwrap();
        assert_eq!(rejected.reason.as_deref(), Some("No such studio"));
        assert_eq!((rejected.decided_at, rejected.revision), (Some(NOW), 2));
    }

    #[test]
    fn the_key_is_what_was_asked_for() {
        let (request, key) = in_state(State::Approved).revealed("abcd", NOW).unwrap();
        assert_eq!((key.id, key.account), (request.id, request.account));
        assert_eq!(
            (key.mode, key.kind, key.may_write),
            (Mode::Live, Kind::Secret, true)
        );
        assert_eq!(
            (key.name.as_str(), key.game.as_deref()),
            ("server", Some("kora"))
        );
        assert_eq!((key.last4.as_str(), key.created_at), ("abcd", NOW));
        assert_eq!(key.expires_at, request.wanted.expires_at);
    }

    #[test]
    fn what_has_expired_meanwhile_is_not_revealed() {
        let approved = in_state(State::Approved);
        assert!(approved.revealed("abcd", NOW + Duration::DAY).is_err());
    }
}
