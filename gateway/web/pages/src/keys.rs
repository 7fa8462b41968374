//! Keys: the list, the form of a new one, the secret that is shown once, and one key.

use askama::Template;

use crate::field::{Field, Fields};
use crate::form::Part;
use crate::frame::Frame;

#[derive(Debug, Template)]
#[template(path = "key/list.html")]
pub struct ListPage {
    pub frame: Frame,
    pub errors: Fields,
    pub account: String,
    pub keys: Vec<KeyRow>,
    pub requests: Vec<RequestRow>,
    pub may_change: bool,
}

#[derive(Debug)]
pub struct KeyRow {
    pub id: String,
    pub name: String,
    /// For example `…YgCX`.
    pub shown: String,
    pub mode: String,
    pub rights: String,
    pub created: String,
    pub last_used: Option<String>,
    pub state: KeyState,
    /// How long the old secret of a rotated key still works.
    pub grace: Option<Grace>,
}

/// The time that is left of a grace period.
#[derive(Debug, Clone)]
pub struct Grace {
    /// For example `6 h 12 min`.
    pub left: String,
    /// The same in seconds, for the script.
    pub seconds: i64,
    pub until: String,
}

/// The newest call with a key in the log of calls.
#[derive(Debug)]
pub struct LastCall {
    pub at: String,
    /// Method and path pattern.
    pub route: String,
    pub status: String,
}

/// Whether a key works, in words.
#[derive(Debug, Clone)]
pub struct KeyState {
    pub text: String,
    pub works: bool,
}

#[derive(Debug)]
pub struct RequestRow {
    pub id: String,
    pub name: String,
    pub rights: String,
    pub asked: String,
    /// `asked`, `approved` or `rejected`.
    pub state: &'static str,
    /// The reason of staff for a rejection.
    pub reason: String,
}

#[derive(Debug, Template)]
#[template(path = "key/new.html")]
pub struct NewKeyPage {
    pub frame: Frame,
    pub errors: Fields,
    pub account: String,
    pub form: String,
    pub name: Field,
    pub choices: KeyChoices,
    pub game: Part,
}

impl NewKeyPage {
    /// Whether something was chosen that a first key does not need. The options are then unfolded.
    fn has_options(&self) -> bool {
        let options = ["may_write", "kind", "game"];
        let is_of_game = matches!(self.choices.kind.as_str(), "secret" | "public");
        self.choices.may_write
            || is_of_game
            || options.iter().any(|name| self.errors.of(name).is_some())
    }
}

/// What is ticked in the form of a new key.
#[derive(Debug, Clone)]
pub struct KeyChoices {
    /// `test` or `live`.
    pub mode: String,
    /// `account`, `secret` or `public`.
    pub kind: String,
    pub may_write: bool,
}

/// A new secret, the only time that it is shown.
#[derive(Debug, Template)]
#[template(path = "key/secret.html")]
pub struct SecretPage {
    pub frame: Frame,
    pub account: String,
    pub heading: &'static str,
    pub secret: String,
    /// The customary name of its environment variable (§5.8).
    pub variable: &'static str,
    pub name: String,
    /// The base URL of the API, with the version.
    pub api_url: String,
    /// How long the old secret works, after a rotation.
    pub grace: Option<Grace>,
    /// A path for the first call.
    pub first_path: &'static str,
}

#[derive(Debug, Template)]
#[template(path = "key/show.html")]
pub struct KeyPage {
    pub frame: Frame,
    pub errors: Fields,
    pub account: String,
    pub form: String,
    pub key: KeyRow,
    /// Who has seen the secret, when the key was created.
    pub seen_by: String,
    /// Who revealed the key before, and what to do, for another person who wants to reveal it.
    pub shown_before: Option<String>,
    pub game: Option<String>,
    /// What used it last; absent if the log of calls does not have it.
    pub last_call: Option<LastCall>,
    /// Whether the key was not rotated before, and is not revoked.
    pub may_rotate: bool,
    /// Whether the key is not revoked and not past its grace period. Also a key whose game keeps it from working can be revoked.
    pub may_revoke: bool,
    /// Whether the form of a rotation says that the old secret stops at once.
    pub revoke_old: bool,
    pub may_change: bool,
    /// Why its calls are refused, and what to do.
    pub refusal: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(choices: KeyChoices, errors: Fields) -> String {
        let page = NewKeyPage {
            frame: Frame::default(),
            errors,
            account: "a".to_owned(),
            form: "f".to_owned(),
            name: Field::text("name", "Name"),
            choices,
            game: Part::Field(Field::text("game", "Game")),
        };
        page.render().unwrap()
    }

    #[test]
    fn the_form_of_a_first_key_hides_its_options() {
        let choices = KeyChoices { mode: String::new(), kind: String::new(), may_write: false };
        let html = form(choices.clone(), Fields::default());
        assert!(html.contains("<details><summary>More options"), "{html}");
        let (first, options) = html.split_once("<details>").unwrap();
        assert!(first.contains("name=\"mode\""), "{html}");
        assert!(options.contains("name=\"kind\""), "{html}");
        let open = "<details open><summary>More options";
        let of_game = KeyChoices { kind: "secret".to_owned(), ..choices.clone() };
        assert!(form(of_game, Fields::default()).contains(open));
        let wrong = Fields::one("game", "No published game has this slug.");
        assert!(form(choices, wrong).contains(open));
    }
}
