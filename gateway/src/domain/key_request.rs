//! Requests for live keys: staff review them, and the owner reveals the key once (§5.2).

use kit::Fault;
use strum::{EnumString, IntoStaticStr};
use time::OffsetDateTime;
use uuid::Uuid;

use super::key::{Key, KeyKind, Mode, Spec};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRequest {
    /// The id of the request, and of its key once there is one.
    pub id: Uuid,
    pub account: Uuid,
    pub name: String,
    pub kind: KeyKind,
    pub may_write: bool,
    pub game: Option<String>,
    pub state: KeyRequestState,
    pub asked_at: OffsetDateTime,
    /// Who rejected or withdrew it.
    pub ended: Option<Ended>,
    /// Incremented by every change.
    pub revision: i64,
}

/// The end of a request without a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    pub by: EndedBy,
    pub at: OffsetDateTime,
    /// As the account reads it. Empty if the account did not say why.
    pub reason: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum EndedBy {
    /// Staff rejected it.
    Staff,
    /// The account of the request withdrew it, or was closed.
    Account,
}

impl EndedBy {
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[expect(
    clippy::module_name_repetitions,
    reason = "`State` alone is also the state of other things"
)]
pub enum KeyRequestState {
    /// Not reviewed yet.
    Asked,
    /// The owner may reveal the key.
    Approved,
    /// There will be no key: [`KeyRequest::ended`] says who decided that.
    Rejected,
    /// The key exists. The request does not change any more.
    Revealed,
}

impl KeyRequestState {
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl KeyRequest {
    pub fn new(id: Uuid, account: Uuid, spec: Spec, now: OffsetDateTime) -> Self {
        Self {
            id,
            account,
            name: spec.name,
            kind: spec.kind,
            may_write: spec.may_write,
            game: spec.game,
            state: KeyRequestState::Asked,
            asked_at: now,
            ended: None,
            revision: 1,
        }
    }

    /// The approved request; `None` if it was approved before.
    pub fn approved(&self) -> Result<Option<Self>, Fault> {
        match self.state {
            KeyRequestState::Asked => Ok(Some(self.changed(KeyRequestState::Approved))),
            KeyRequestState::Approved | KeyRequestState::Revealed => Ok(None),
            KeyRequestState::Rejected => Err(invalid_id(self.end_in_words())),
        }
    }

    /// The request without a key; `None` if it ended before. An approved request can still end
    /// until the key is revealed.
    pub fn ended(&self, ended: Ended) -> Result<Option<Self>, Fault> {
        match self.state {
            KeyRequestState::Asked | KeyRequestState::Approved => {
                let ended = Some(ended);
                Ok(Some(Self { ended, ..self.changed(KeyRequestState::Rejected) }))
            }
            KeyRequestState::Rejected => Ok(None),
            KeyRequestState::Revealed => {
                Err(invalid_id("This key already works. Revoke it instead."))
            }
        }
    }

    /// Reveals the key of the request, once. `last4` are the last characters of the secret.
    pub fn revealed(&self, last4: &str, now: OffsetDateTime) -> Result<(Self, Key), Fault> {
        match self.state {
            KeyRequestState::Approved => {}
            KeyRequestState::Asked => {
                return Err(invalid_id("This request is not approved yet. Wait for the review."));
            }
            KeyRequestState::Rejected => {
                return Err(invalid_id(self.end_in_words()));
            }
            KeyRequestState::Revealed => {
                return Err(invalid_id(
                    "This key was revealed before, and its secret is shown only once. Rotate the key to get a new secret.",
                ));
            }
        }
        let request = self.changed(KeyRequestState::Revealed);
        let spec = Spec {
            name: self.name.clone(),
            mode: Mode::Live,
            kind: self.kind,
            may_write: self.may_write,
            game: self.game.clone(),
        };
        let key = Key::new(self.id, self.account, spec, last4, now);
        Ok((request, key))
    }

    fn changed(&self, state: KeyRequestState) -> Self {
        Self { state, revision: self.revision + 1, ..self.clone() }
    }

    /// Why a request that has ended leads to no key.
    fn end_in_words(&self) -> &'static str {
        match self.ended.as_ref().map(|ended| ended.by) {
            Some(EndedBy::Account) => {
                "The account withdrew this request. The owner can request another key."
            }
            Some(EndedBy::Staff) | None => {
                "Staff rejected this request. The owner can request another key."
            }
        }
    }
}

fn invalid_id(reason: &str) -> Fault {
    Fault::invalid_field("id", reason)
}

#[cfg(test)]
mod tests {
    use time::Duration;
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-03-01 08:00 UTC);

    fn requested() -> KeyRequest {
        let spec = Spec {
            name: "server".to_owned(),
            mode: Mode::Live,
            kind: KeyKind::Secret,
            may_write: true,
            game: Some("kora".to_owned()),
        };
        KeyRequest::new(Uuid::from_u128(1), Uuid::from_u128(2), spec, NOW)
    }

    fn end(by: EndedBy, reason: &str, at: OffsetDateTime) -> Ended {
        Ended { by, at, reason: reason.to_owned() }
    }

    fn in_state(state: KeyRequestState) -> KeyRequest {
        KeyRequest { state, ..requested() }
    }

    /// The new state for each step and state. `Some(None)` means that nothing changes, `None` an error.
    #[test]
    fn every_transition_is_accepted_repeated_or_refused() {
        let later = NOW + Duration::HOUR;
        let ended = end(EndedBy::Staff, "Why", later);
        let state = |after: Result<Option<KeyRequest>, Fault>| {
            after.ok().map(|new| new.map(|new| new.state))
        };
        for (from, approved, rejected, revealed) in [
            (
                KeyRequestState::Asked,
                Some(Some(KeyRequestState::Approved)),
                Some(Some(KeyRequestState::Rejected)),
                None,
            ),
            (
                KeyRequestState::Approved,
                Some(None),
                Some(Some(KeyRequestState::Rejected)),
                Some(Some(KeyRequestState::Revealed)),
            ),
            (KeyRequestState::Rejected, None, Some(None), None),
            (KeyRequestState::Revealed, Some(None), None, None),
        ] {
            let request = in_state(from);
            assert_eq!(state(request.approved()), approved, "{from:?}");
            assert_eq!(state(request.ended(ended.clone())), rejected, "{from:?}");
            let outcome = request.revealed("abcd", later).map(|(new, _)| Some(new));
            assert_eq!(state(outcome), revealed, "{from:?}");
        }
    }

    #[test]
    fn a_request_keeps_who_ended_it_first() {
        let later = NOW + Duration::HOUR;
        let withdrawn = end(EndedBy::Account, "", NOW);
        let request = requested().ended(withdrawn.clone()).unwrap().unwrap();
        assert_eq!((request.state, request.revision), (KeyRequestState::Rejected, 2));
        assert_eq!(request.ended, Some(withdrawn));
        let rejection = end(EndedBy::Staff, "No such studio", later);
        assert_eq!(request.ended(rejection.clone()).unwrap(), None);
        let by_account = request.approved().unwrap_err();

        let request = requested().approved().unwrap().unwrap();
        assert_eq!(request.ended, None);
        let request = request.ended(rejection).unwrap().unwrap();
        // The account cannot turn a rejection into its own withdrawal.
        assert_eq!(request.ended(end(EndedBy::Account, "", later)).unwrap(), None);
        let by_staff = request.approved().unwrap_err();
        assert_ne!(by_account, by_staff);
        assert_eq!(request.revealed("abcd", later).unwrap_err(), by_staff);
    }

    #[test]
    fn the_key_has_the_requested_properties() {
        let (request, key) = in_state(KeyRequestState::Approved).revealed("abcd", NOW).unwrap();
        assert_eq!((key.id, key.account), (request.id, request.account));
        assert_eq!((key.mode, key.kind, key.may_write), (Mode::Live, KeyKind::Secret, true));
        assert_eq!((key.name.as_str(), key.game.as_deref()), ("server", Some("kora")));
        assert_eq!((key.last4.as_str(), key.created_at), ("abcd", NOW));
    }
}
