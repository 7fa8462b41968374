//! States and values of listings in words.

use contracts::listings::v1 as proto;
use contracts::public::WITHDRAWN_REASON;
use pages::listings::{ChangeRow, StateText};
use pages::site::Texts;
use serde_json::Value;

/// The name of a value of a field, as on the public site: `iOS` for `ios` in the group `platform`.
pub(super) fn value_name(texts: &Texts, group: &str, value: &str) -> String {
    texts.value(group, value, value).to_owned()
}

/// The kind of a game or an event, or that of a page, in a list.
pub(super) fn kind_name(texts: &Texts, kind: &str) -> String {
    let key = match kind {
        "game" => "listing-kind-game",
        "event" => "listing-kind-event",
        "studio" => "listing-kind-studio",
        "person" => "listing-kind-person",
        kind => return kind.to_owned(),
    };
    texts.say(key).to_owned()
}

/// The state of a listing that was rejected for this reason, if it was; an account that withdraws its own listing does not reject it.
pub(super) fn state(texts: &'static Texts, state: proto::State, reason: &str) -> StateText {
    let (key, tone) = match state {
        proto::State::Rejected if reason == WITHDRAWN_REASON => ("listing-state-withdrawn", ""),
        proto::State::Pending => ("listing-state-pending", ""),
        proto::State::Published => ("listing-state-published", "good"),
        proto::State::Rejected => ("listing-state-rejected", "bad"),
        proto::State::Removed => ("listing-state-removed", "bad"),
        proto::State::Unspecified => ("listing-state-unknown", ""),
    };
    StateText {
        text: texts.say(key),
        tone,
    }
}

/// The state as the public list of an account's listings names it.
pub(super) fn named_state(texts: &'static Texts, name: &str, reason: &str) -> StateText {
    let named = match name {
        "pending" => proto::State::Pending,
        "published" => proto::State::Published,
        "rejected" => proto::State::Rejected,
        "removed" => proto::State::Removed,
        _ => proto::State::Unspecified,
    };
    state(texts, named, reason)
}

/// The reason of a rejection by staff; empty for a listing that its account withdrew.
pub(super) fn rejection(reason: &str) -> &str {
    if reason == WITHDRAWN_REASON {
        ""
    } else {
        reason
    }
}

/// How many listings the account may still submit or change today; empty without a limit.
pub(super) fn writes_left(texts: &Texts, today: u32, per_day: Option<u32>) -> String {
    per_day.map_or_else(String::new, |per_day| {
        let left = per_day.saturating_sub(today);
        texts.count("listing-writes-left", left.into())
    })
}

/// The name of a kind of link.
pub(super) fn link_label(texts: &Texts, key: &str) -> String {
    let label = match key {
        // The public site has a shorter text on its button.
        "play" => texts.say("field-link-play"),
        "other" => texts.say("field-link-other"),
        key => texts.value("link", key, key),
    };
    label.to_owned()
}

/// The name of a field, by its path in the JSON of the API.
fn field_label(texts: &Texts, path: &str) -> String {
    if let Some(key) = path.strip_prefix("links.") {
        return texts.say_of("field-link-of", &link_label(texts, key));
    }
    texts.value("field", path, path).to_owned()
}

/// The changes that people look for. A new listing also has values that nobody chose, such as that it is not featured, and listings-svc
/// computes the slug of a city from its name.
pub(super) fn changes(texts: &Texts, differences: &[proto::Difference]) -> Vec<ChangeRow> {
    let is_chosen = |it: &&proto::Difference| {
        let is_set_by_service = it.path == "page_id" || matches!(&*it.after, "false" | "null");
        it.path != "city_slug" && !(it.before.is_empty() && is_set_by_service)
    };
    let chosen = differences.iter().filter(is_chosen);
    chosen.map(|it| change(texts, it)).collect()
}

fn change(texts: &Texts, difference: &proto::Difference) -> ChangeRow {
    ChangeRow {
        field: field_label(texts, &difference.path),
        before: value(texts, &difference.before),
        after: value(texts, &difference.after),
    }
}

/// A JSON value as people read it.
fn value(texts: &Texts, json: &str) -> String {
    match serde_json::from_str(json) {
        Ok(Value::String(text)) => text,
        Ok(Value::Array(items)) => {
            let items = items.into_iter().map(|item| match item {
                Value::String(text) => text,
                other => other.to_string(),
            });
            items.collect::<Vec<_>>().join(", ")
        }
        Ok(Value::Bool(true)) => texts.say("listing-yes").to_owned(),
        Ok(Value::Bool(false)) => texts.say("listing-no").to_owned(),
        Ok(Value::Null) | Err(_) if json.is_empty() => String::new(),
        Ok(_) | Err(_) => json.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use pages::site::Language;

    use super::*;

    fn texts() -> &'static Texts {
        Texts::of(Language::English)
    }

    #[test]
    fn the_writes_of_the_day_are_counted_before_they_are_used_up() {
        let texts = texts();
        let left = writes_left(texts, 7, Some(1_050));
        assert_eq!(left, "You can submit or change 1,043 more listings today.");
        let used_up = writes_left(texts, 9, Some(7));
        let none = "You can submit or change no more listings today.";
        assert!(used_up.starts_with(none), "{used_up}");
        assert_eq!(writes_left(texts, 7, None), "");
    }

    #[test]
    fn a_history_has_the_words_of_the_form() {
        let texts = texts();
        let difference = |path: &str, before: &str, after: &str| proto::Difference {
            path: path.to_owned(),
            before: before.to_owned(),
            after: after.to_owned(),
        };
        let differences = [
            difference("title", "", "\"Okoto\""),
            difference("featured", "", "false"),
            difference("links.playStore", "", "\"https://play.example\""),
            difference("online", "true", "false"),
            difference("city_slug", "\"lagos\"", "\"accra\""),
            difference("newer", "1", "2"),
        ];
        let rows = changes(texts, &differences).into_iter();
        let fields: Vec<String> = rows.map(|row| row.field).collect();
        assert_eq!(
            fields,
            ["Title", "Link: Google Play", "Also online", "newer"]
        );
    }

    #[test]
    fn values_are_shown_as_people_read_them() {
        let texts = texts();
        for (json, text) in [
            ("", ""),
            (r#""A game""#, "A game"),
            (r#"["puzzle","runner"]"#, "puzzle, runner"),
            ("2026", "2026"),
            ("true", "yes"),
            (r#"[{"alt":"x"}]"#, r#"{"alt":"x"}"#),
            ("not json", "not json"),
        ] {
            assert_eq!(value(texts, json), text);
        }
    }
}
