//! Validation of calls. All bad fields are reported at once.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};

use kit::Fault;
use time::OffsetDateTime;
use uuid::Uuid;

use super::account::Identifier;
use super::author::Person;
use super::key::{KeyKind, Mode, Spec};
use super::key_request::KeyRequestState;
use super::plan::Plans;
use super::switch::Switch;

const REQUIRED: &str = "This field is required.";

/// The bad fields of a call, with a sentence for each.
#[derive(Debug, Default)]
pub struct Problems(BTreeMap<String, String>);

impl Problems {
    pub fn add(&mut self, field: &str, reason: impl Into<String>) {
        self.0.insert(field.to_owned(), reason.into());
    }

    /// Fails if there is a bad field.
    pub fn finish(self) -> Result<(), Fault> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(Fault::invalid(self.0))
        }
    }

    /// The name of an account or a key, trimmed.
    pub fn name(&mut self, field: &str, text: &str) -> String {
        let name = text.trim();
        if name.is_empty() {
            self.add(field, REQUIRED);
        } else if name.chars().count() > 120 {
            self.add(field, "Use 120 characters or fewer.");
        } else if name.chars().any(char::is_control) {
            self.add(field, "Remove the control characters.");
        }
        name.to_owned()
    }

    /// The reason for a change, for the audit. May be empty.
    pub fn reason(&mut self, field: &str, text: &str) -> String {
        let reason = text.trim();
        if reason.chars().count() > 200 {
            self.add(field, "Use 200 characters or fewer.");
        } else if reason.chars().any(char::is_control) {
            self.add(field, "Remove the control characters.");
        }
        reason.to_owned()
    }

    /// A switch. After an error, the returned switch is arbitrary.
    pub fn switch(&mut self, field: &str, text: &str) -> Switch {
        Switch::parse(text).unwrap_or_else(|| {
            let names = Switch::ALL.map(Switch::as_str).join(", ");
            self.add(field, format!("Use one of: {names}."));
            Switch::ReadOnly
        })
    }

    /// An e-mail address, checked superficially.
    pub fn email(&mut self, field: &str, text: &str) -> String {
        let email = text.trim();
        let parts = email.split_once('@');
        let plausible = parts.is_some_and(|(person, host)| {
            !person.is_empty() && !host.is_empty() && !host.contains('@')
        });
        let odd = |c: char| c.is_whitespace() || c.is_control();
        if email.is_empty() {
            self.add(field, REQUIRED);
        } else if !plausible || email.len() > 254 || email.contains(odd) {
            self.add(field, "Give an e-mail address.");
        }
        email.to_owned()
    }

    pub fn plan(&mut self, field: &str, text: &str, plans: &Plans) -> String {
        if plans.get(text).is_none() {
            self.add(field, format!("Use one of: {}.", plans.names()));
        }
        text.to_owned()
    }

    pub fn id(&mut self, field: &str, text: &str) -> Uuid {
        text.parse().unwrap_or_else(|_| {
            self.add(field, "Give a UUID.");
            Uuid::nil()
        })
    }

    /// An account, by its id or its e-mail address.
    pub fn account(&mut self, field: &str, text: &str) -> Identifier {
        if let Ok(id) = text.parse() {
            return Identifier::Id(id);
        }
        if !text.contains('@') {
            self.add(field, "Give the id or the e-mail address of an account.");
        }
        Identifier::Email(text.trim().to_owned())
    }

    /// The person who makes a change. After an error, the returned person is arbitrary.
    pub fn person(&mut self, id: &str, address: &str) -> Person {
        Person {
            id: self.id("actor.person_id", id),
            address: self.address("actor.address", address),
        }
    }

    /// The address of a caller. After an error, the returned address is arbitrary.
    pub fn address(&mut self, field: &str, address: &str) -> IpAddr {
        address.parse().unwrap_or_else(|_| {
            self.add(field, "Give the IP address of the caller.");
            IpAddr::V4(Ipv4Addr::UNSPECIFIED)
        })
    }

    /// A mode. After an error, the returned mode is arbitrary.
    pub fn mode(&mut self, field: &str, text: &str) -> Mode {
        Mode::parse(text).unwrap_or_else(|| {
            self.add(field, "Use one of: test, live.");
            Mode::Test
        })
    }

    /// A kind of key; empty means `account`.
    pub fn kind(&mut self, field: &str, text: &str) -> KeyKind {
        match text {
            "" => KeyKind::Account,
            text => KeyKind::parse(text).unwrap_or_else(|| {
                self.add(field, "Use one of: account, secret, public.");
                KeyKind::Account
            }),
        }
    }

    /// A state of a key request; empty means `asked`.
    pub fn state(&mut self, field: &str, text: &str) -> KeyRequestState {
        match text {
            "" => KeyRequestState::Asked,
            text => KeyRequestState::parse(text).unwrap_or_else(|| {
                let names = KeyRequestState::ALL.map(KeyRequestState::as_str).join(", ");
                self.add(field, format!("Use one of: {names}."));
                KeyRequestState::Asked
            }),
        }
    }

    /// Rules that concern several fields of a key.
    pub fn key(&mut self, spec: &Spec, now: OffsetDateTime) {
        let of_game = spec.kind != KeyKind::Account;
        match &spec.game {
            None if of_game => self.add(
                "game",
                "Give a game: a secret or public key belongs to one.",
            ),
            Some(_) if !of_game && !self.0.contains_key("kind") => {
                self.add(
                    "game",
                    "A key of an account belongs to no game. Use the kind secret or public.",
                );
            }
            _ => {}
        }
        if spec.kind == KeyKind::Public && spec.may_write {
            self.add("may_write", "A public key never writes.");
        }
        if spec.expires_at.is_some_and(|end| end <= now) {
            self.add("expires_at", "Give a time in the future.");
        }
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-03-01 08:00 UTC);

    fn fields(problems: Problems) -> Vec<String> {
        problems
            .finish()
            .map_err(|fault| fault.fields.into_keys().collect())
            .err()
            .unwrap_or_default()
    }

    #[test]
    fn valid_fields_are_trimmed() {
        let mut problems = Problems::default();
        assert_eq!(problems.name("name", "  Savanna Studio "), "Savanna Studio");
        assert_eq!(problems.email("email", " a@b.example "), "a@b.example");
        assert_eq!(fields(problems), [""; 0]);
    }

    #[test]
    fn invalid_addresses_are_rejected() {
        for text in ["", "a", "a@", "@b", "a@b@c", "a b@c", "a@b\u{7}"] {
            let mut problems = Problems::default();
            problems.email("email", text);
            assert_eq!(fields(problems), ["email"], "{text:?}");
        }
    }

    #[test]
    fn an_account_is_identified_by_id_or_email() {
        let mut problems = Problems::default();
        let id = Uuid::from_u128(7);
        assert_eq!(
            problems.account("account", &id.to_string()),
            Identifier::Id(id)
        );
        assert_eq!(
            problems.account("account", "A@b.example"),
            Identifier::Email("A@b.example".to_owned())
        );
        problems.account("account", "Savanna");
        assert_eq!(fields(problems), ["account"]);
    }

    #[test]
    fn the_fields_of_a_key_must_be_consistent() {
        let spec = Spec {
            name: "k".to_owned(),
            mode: Mode::Live,
            kind: KeyKind::Public,
            may_write: true,
            game: None,
            expires_at: Some(NOW),
        };
        let mut problems = Problems::default();
        problems.key(&spec, NOW);
        assert_eq!(fields(problems), ["expires_at", "game", "may_write"]);

        let mut problems = Problems::default();
        let account = Spec {
            kind: KeyKind::Account,
            game: Some("kora".to_owned()),
            expires_at: None,
            ..spec
        };
        problems.key(&account, NOW);
        assert_eq!(fields(problems), ["game"]);
    }
}
