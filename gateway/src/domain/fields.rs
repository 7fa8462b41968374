//! The fields of staff's calls: every bad one at once.

use std::collections::BTreeMap;

use kit::Fault;
use time::OffsetDateTime;
use uuid::Uuid;

use super::account::Named;
use super::key::{Kind, Mode, Wanted};
use super::key_request::State;
use super::plan::Plans;
use super::switch::Switch;

/// Bad fields, collected.
#[derive(Debug, Default)]
pub struct Problems(BTreeMap<String, String>);

impl Problems {
    /// Notes a bad field.
    pub fn add(&mut self, field: &str, reason: impl Into<String>) {
        self.0.insert(field.to_owned(), reason.into());
    }

    /// Refuses when there was any.
    pub fn finish(self) -> Result<(), Fault> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(Fault::invalid(self.0))
        }
    }

    /// A name of an account or a key, trimmed.
    pub fn name(&mut self, field: &str, text: &str) -> String {
        let name = text.trim();
        if name.is_empty() {
            self.add(field, "is required");
        } else if name.chars().count() > 120 {
            self.add(field, "has more than 120 characters");
        } else if name.chars().any(char::is_control) {
            self.add(field, "has a control character");
        }
        name.to_owned()
    }

    /// The reason for a change, kept in the audit; may be empty.
    pub fn reason(&mut self, field: &str, text: &str) -> String {
        let reason = text.trim();
        if reason.chars().count() > 200 {
            self.add(field, "has more than 200 characters");
        } else if reason.chars().any(char::is_control) {
            self.add(field, "has a control character");
        }
        reason.to_owned()
    }

    /// A switch; anything bad counts as one from here on.
    pub fn switch(&mut self, field: &str, text: &str) -> Switch {
        Switch::parse(text).unwrap_or_else(|| {
            let names = Switch::ALL.map(Switch::as_str).join(", ");
            self.add(field, format!("is not a switch; there is {names}"));
            Switch::ReadOnly
        })
    }

    /// An e-mail address, as far as its form tells.
    pub fn email(&mut self, field: &str, text: &str) -> String {
        let email = text.trim();
        let parts = email.split_once('@');
        let plausible = parts.is_some_and(|(person, host)| {
            !person.is_empty() && !host.is_empty() && !host.contains('@')
        });
        let odd = |c: char| c.is_whitespace() || c.is_control();
        if email.is_empty() {
            self.add(field, "is required");
        } else if !plausible || email.len() > 254 || email.contains(odd) {
            self.add(field, "is not an e-mail address");
        }
        email.to_owned()
    }

    /// A plan of the table.
    pub fn plan(&mut self, field: &str, text: &str, plans: &Plans) -> String {
        if plans.get(text).is_none() {
            self.add(field, format!("is not a plan; there is {}", plans.names()));
        }
        text.to_owned()
    }

    /// An id.
    pub fn id(&mut self, field: &str, text: &str) -> Uuid {
        text.parse().unwrap_or_else(|_| {
            self.add(field, "is not a UUID");
            Uuid::nil()
        })
    }

    /// An account by its id or its e-mail address.
    pub fn account(&mut self, field: &str, text: &str) -> Named {
        if let Ok(id) = text.parse() {
            return Named::Id(id);
        }
        if !text.contains('@') {
            self.add(field, "is neither an id nor an e-mail address");
        }
        Named::Email(text.trim().to_owned())
    }

    /// A mode; anything bad counts as test from here on.
    pub fn mode(&mut self, field: &str, text: &str) -> Mode {
        Mode::parse(text).unwrap_or_else(|| {
            self.add(field, "is test or live");
            Mode::Test
        })
    }

    /// A kind of key, `account` when none is given.
    pub fn kind(&mut self, field: &str, text: &str) -> Kind {
        match text {
            "" => Kind::Account,
            text => Kind::parse(text).unwrap_or_else(|| {
                self.add(field, "is account, secret or public");
                Kind::Account
            }),
        }
    }

    /// A state of a key that was asked for, `asked` when none is given.
    pub fn state(&mut self, field: &str, text: &str) -> State {
        match text {
            "" => State::Asked,
            text => State::parse(text).unwrap_or_else(|| {
                let names = State::ALL.map(State::as_str).join(", ");
                self.add(field, format!("is not a state; there is {names}"));
                State::Asked
            }),
        }
    }

    /// What has to fit together in a key.
    pub fn key(&mut self, wanted: &Wanted, now: OffsetDateTime) {
        let of_game = wanted.kind != Kind::Account;
        match &wanted.game {
            None if of_game => self.add("game", "is required: this kind of key belongs to a game"),
            Some(_) if !of_game && !self.0.contains_key("kind") => {
                self.add(
                    "game",
                    "an account's key belongs to no game; choose kind secret or public",
                );
            }
            _ => {}
        }
        if wanted.kind == Kind::Public && wanted.may_write {
            self.add("may_write", "a public key never writes");
        }
        if wanted.expires_at.is_some_and(|end| end <= now) {
            self.add("expires_at", "has passed");
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
    fn good_fields_pass_trimmed() {
        let mut problems = Problems::default();
        assert_eq!(problems.name("name", "  Savanna Studio "), "Savanna Studio");
        assert_eq!(problems.email("email", " a@b.example "), "a@b.example");
        assert_eq!(fields(problems), [""; 0]);
    }

    #[test]
    fn addresses_that_cannot_be() {
        for text in ["", "a", "a@", "@b", "a@b@c", "a b@c", "a@b\u{7}"] {
            let mut problems = Problems::default();
            problems.email("email", text);
            assert_eq!(fields(problems), ["email"], "{text:?}");
        }
    }

    #[test]
    fn an_account_has_two_names() {
        let mut problems = Problems::default();
        let id = Uuid::from_u128(7);
        assert_eq!(problems.account("account", &id.to_string()), Named::Id(id));
        assert_eq!(
            problems.account("account", "A@b.example"),
            Named::Email("A@b.example".to_owned())
        );
        problems.account("account", "Savanna");
        assert_eq!(fields(problems), ["account"]);
    }

    #[test]
    fn a_key_must_fit_together() {
        let wanted = Wanted {
            name: "k".to_owned(),
            mode: Mode::Live,
            kind: Kind::Public,
            may_write: true,
            game: None,
            expires_at: Some(NOW),
        };
        let mut problems = Problems::default();
        problems.key(&wanted, NOW);
        assert_eq!(fields(problems), ["expires_at", "game", "may_write"]);

        let mut problems = Problems::default();
        let account = Wanted {
            kind: Kind::Account,
            game: Some("kora".to_owned()),
            expires_at: None,
            ..wanted
        };
        problems.key(&account, NOW);
        assert_eq!(fields(problems), ["game"]);
    }
}
