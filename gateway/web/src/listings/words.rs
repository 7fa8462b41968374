//! States and values of listings in words.

use contracts::listings::v1 as proto;
use pages::listings::{ChangeRow, StateText};
use pages::site::{Language, Texts};
use pages::when::grouped;
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

/// How many writes of the day are left, for a form that sends one of them; empty without a limit.
pub(super) fn writes_left(today: u32, per_day: Option<u32>) -> String {
    per_day.map_or_else(String::new, |per_day| {
        let left = per_day.saturating_sub(today);
        let [left, per_day] = [left, per_day].map(|number| grouped(number.into()));
        format!("It counts as one of the account's writes of the day: {left} of {per_day} are left until 00:00 UTC.")
    })
}

/// The name of a kind of link.
pub(super) fn link_label(key: &str) -> String {
    match key {
        "play" => "Play in the browser",
        "playStore" => "Google Play",
        "appStore" => "App Store",
        "itch" => "itch.io",
        "epic" => "Epic Games",
        "steam" => "Steam",
        "xbox" => "Xbox",
        "playstation" => "PlayStation",
        "nintendo" => "Nintendo",
        "website" => "Website",
        "facebook" => "Facebook",
        "instagram" => "Instagram",
        "x" => "X",
        "youtube" => "YouTube",
        "other" => "Other",
        key => key,
    }
    .to_owned()
}

/// The name of a field, by its path in the JSON of the API.
fn field_label(path: &str) -> String {
    if let Some(key) = path.strip_prefix("links.") {
        return format!("Link: {}", link_label(key));
    }
    match path {
        "name" => "Name",
        "title" => "Title",
        "handle" => "Handle",
        "slug" => "Slug",
        "kind" => "Kind",
        "roles" => "Roles",
        "tagline" => "Tagline",
        "bio" => "About",
        "description" => "Description",
        "country_code" => "Country",
        "city" => "City",
        "creator" | "page_id" => "Page",
        "genres" => "Genres",
        "platforms" => "Platforms",
        "stage" => "Stage",
        "release_year" => "Year of release",
        "trailer_url" => "Trailer",
        "cover_url" => "Cover",
        "avatar_url" => "Avatar",
        "screenshots" => "Screenshots",
        "credits" => "Credits",
        "featured" => "Featured",
        "verified" => "Verified",
        "starts_at" => "First day",
        "ends_at" => "Last day",
        "online" => "Also online",
        "website" => "Website",
        path => path,
    }
    .to_owned()
}

/// The changes that people look for. A new listing also has values that nobody chose, such as that it is not featured.
pub(super) fn changes(differences: &[proto::Difference]) -> Vec<ChangeRow> {
    let is_chosen = |it: &&proto::Difference| {
        let is_set_by_service = it.path == "page_id" || matches!(&*it.after, "false" | "null");
        !(it.before.is_empty() && is_set_by_service)
    };
    differences.iter().filter(is_chosen).map(change).collect()
}

fn change(difference: &proto::Difference) -> ChangeRow {
    ChangeRow {
        field: field_label(&difference.path),
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
    fn the_writes_of_the_day_are_counted_before_they_are_used_up() {
        let left = writes_left(7, Some(1_050));
        assert!(left.contains(": 1,043 of 1,050 are left"), "{left}");
        assert_eq!(writes_left(7, None), "");
    }

    #[test]
    fn a_history_has_the_words_of_the_form() {
        let difference = |path: &str, before: &str, after: &str| proto::Difference {
            path: path.to_owned(),
            before: before.to_owned(),
            after: after.to_owned(),
        };
        let rows = changes(&[
            difference("title", "", "\"Okoto\""),
            difference("featured", "", "false"),
            difference("links.playStore", "", "\"https://play.example\""),
            difference("online", "true", "false"),
            difference("newer", "1", "2"),
        ]);
        let fields: Vec<&str> = rows.iter().map(|row| row.field.as_str()).collect();
        assert_eq!(
            fields,
            ["Title", "Link: Google Play", "Also online", "newer"]
        );
    }

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
