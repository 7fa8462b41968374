//! The fields of calls. Each function adds the reason why a field is bad; the value that it then returns is arbitrary.

use kit::api::bad_fields::BadFields;
use kit::api::text;

use super::key::{KeyKind, Spec};
use super::plan::Plans;
use super::switch::Switch;

const REQUIRED: &str = "This field is required.";

/// The name of an account or a key, trimmed.
pub fn name(bad: &mut BadFields, field: &str, text: &str) -> String {
    let name = text.trim();
    if text::is_blank(name) {
        bad.add(field, REQUIRED);
    } else if name.chars().count() > 120 {
        bad.add(field, "Use 120 characters or fewer.");
    } else if name.chars().any(char::is_control) {
        bad.add(field, "Remove the control characters.");
    }
    name.to_owned()
}

/// The reason for a change, for the audit. May be empty.
pub fn reason(bad: &mut BadFields, field: &str, text: &str) -> String {
    let reason = text.trim();
    if reason.chars().count() > 200 {
        bad.add(field, "Use 200 characters or fewer.");
    } else if reason.chars().any(char::is_control) {
        bad.add(field, "Remove the control characters.");
    }
    reason.to_owned()
}

pub fn switch(bad: &mut BadFields, field: &str, text: &str) -> Switch {
    bad.named(field, text).unwrap_or(Switch::ReadOnly)
}

pub fn plan(bad: &mut BadFields, field: &str, text: &str, plans: &Plans) -> String {
    if plans.get(text).is_none() {
        bad.add(field, format!("Use one of: {}.", plans.names()));
    }
    text.to_owned()
}

/// Rules that concern several fields of a key.
pub fn key(bad: &mut BadFields, spec: &Spec) {
    let of_game = spec.kind != KeyKind::Account;
    match &spec.game {
        None if of_game => bad.add("game", "Give a game: a secret or public key belongs to one."),
        // PostgreSQL has no text with a zero byte.
        Some(slug) if slug.contains('\0') => bad.add("game", "No published game has this slug."),
        Some(_) if !of_game && !bad.contains("kind") => {
            bad.add(
                "game",
                "A key of an account belongs to no game. Use the kind secret or public.",
            );
        }
        _ => {}
    }
    if spec.kind == KeyKind::Public && spec.may_write {
        bad.add("may_write", "A public key never writes.");
    }
}

#[cfg(test)]
mod tests {
    use super::super::key::Mode;
    use super::*;

    fn names(bad: BadFields) -> Vec<String> {
        bad.into_fields().into_keys().collect()
    }

    #[test]
    fn valid_fields_are_trimmed() {
        let mut bad = BadFields::default();
        assert_eq!(name(&mut bad, "name", "  Savanna Studio "), "Savanna Studio");
        assert_eq!(names(bad), [""; 0]);
    }

    #[test]
    fn a_name_needs_a_visible_character() {
        for blank in ["", " \t", "\u{3164}", "\u{2800} \u{200B}", "\u{301}"] {
            let mut bad = BadFields::default();
            name(&mut bad, "name", blank);
            assert_eq!(names(bad), ["name"], "{blank:?}");
        }
    }

    #[test]
    fn the_fields_of_a_key_must_be_consistent() {
        let spec = Spec {
            name: "k".to_owned(),
            mode: Mode::Live,
            kind: KeyKind::Public,
            may_write: true,
            game: None,
        };
        let mut bad = BadFields::default();
        key(&mut bad, &spec);
        assert_eq!(names(bad), ["game", "may_write"]);

        let mut bad = BadFields::default();
        let account = Spec { kind: KeyKind::Account, game: Some("kora".to_owned()), ..spec };
        key(&mut bad, &account);
        assert_eq!(names(bad), ["game"]);
    }
}
