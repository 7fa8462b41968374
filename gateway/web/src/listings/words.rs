//! States and values of listings in words.

use contracts::listings::v1 as proto;
use pages::listings::{ChangeRow, StateText};
use pages::site::{Language, Texts};
use serde_json::Value;

/// The name of a value of a field, as on the public site: `iOS` for `ios` in the group `platform`.
pub(super) fn value_name(group: &str, value: &str) -> String {
    Texts::of(Language::English)
        .value(group, value, value)
        .to_owned()
}

pub(super) fn state(state: proto::State) -> StateText {
    let (text, tone) = match state {
        proto::State::Pending => ("waits for review", ""),
        proto::State::Published => ("public", "good"),
        proto::State::Rejected => ("rejected", "bad"),
        proto::State::Removed => ("taken down", "bad"),
        proto::State::Unspecified => ("new", ""),
    };
    StateText { text, tone }
}

/// The state as the public list of an account's listings names it.
pub(super) fn named_state(name: &str) -> StateText {
    state(match name {
        "pending" => proto::State::Pending,
        "published" => proto::State::Published,
        "rejected" => proto::State::Rejected,
        "removed" => proto::State::Removed,
        _ => proto::State::Unspecified,
    })
}

pub(super) fn change(difference: &proto::Difference) -> ChangeRow {
    ChangeRow {
        path: difference.path.clone(),
        before: value(&difference.before),
        after: value(&difference.after),
    }
}

/// A JSON value as people read it.
fn value(json: &str) -> String {
    match serde_json::from_str(json) {
        Ok(Value::String(text)) => text,
        Ok(Value::Array(items)) => {
            let items = items.into_iter().map(|item| match item {
                Value::String(text) => text,
                other => other.to_string(),
            });
            items.collect::<Vec<_>>().join(", ")
        }
        Ok(Value::Bool(true)) => "yes".to_owned(),
        Ok(Value::Bool(false)) => "no".to_owned(),
        Ok(Value::Null) | Err(_) if json.is_empty() => String::new(),
        Ok(_) | Err(_) => json.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_as_people_read_them() {
        for (json, text) in [
            ("", ""),
            (r#""A game""#, "A game"),
            (r#"["puzzle","runner"]"#, "puzzle, runner"),
            ("2026", "2026"),
            ("true", "yes"),
            (r#"[{"alt":"x"}]"#, r#"{"alt":"x"}"#),
            ("not json", "not json"),
        ] {
            assert_eq!(value(json), text);
        }
    }
}
