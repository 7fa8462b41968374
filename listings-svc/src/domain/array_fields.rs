//! Fields whose value is an array.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::field_reader::{Fields, integer, parse_slug, type_name};
use super::pictures::FileName;
use super::reference_data::ReferenceData;
use super::{address, text};

/// Maximum number of screenshots, or of credits, of one game.
pub const MAX_ITEMS: usize = 200;
/// Maximum length of an alternative text, in characters.
pub const MAX_ALT_CHARS: usize = 300;
/// Maximum width and height of a picture, in pixels.
const MAX_PIXELS: i64 = 100_000;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Screenshot {
    pub url: String,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// Alternative text.
    pub alt: String,
    /// Keys that only a later version knows.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credit {
    /// Handle of the page of this person or studio, if there is one.
    pub handle: Option<String>,
    /// As shown in the game's credits.
    pub name: String,
    pub role: String,
    /// Keys that only a later version knows.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// An item that may have keys of a later version.
trait Item {
    fn rest(&mut self) -> &mut Map<String, Value>;
}

impl Item for Screenshot {
    fn rest(&mut self) -> &mut Map<String, Value> {
        &mut self.rest
    }
}

impl Item for Credit {
    fn rest(&mut self) -> &mut Map<String, Value> {
        &mut self.rest
    }
}

/// Gives new items the keys of a later version that the stored ones have, each of these once. Two
/// items are the same by the first of `rules` that finds a pair.
fn keep_rest<T: Item + Clone>(items: &mut [T], stored: &[T], rules: &[fn(&T, &T) -> bool]) {
    let (mut stored, mut found) = (stored.to_vec(), vec![false; items.len()]);
    for is_same in rules {
        for (item, found) in items.iter_mut().zip(&mut found).filter(|(_, found)| !**found) {
            if let Some(at) = stored.iter().position(|stored| is_same(item, stored)) {
                *item.rest() = std::mem::take(stored.remove(at).rest());
                *found = true;
            }
        }
    }
}

/// Gives new screenshots the keys of a later version that the stored ones have.
pub fn keep_rest_of_screenshots(screenshots: &mut [Screenshot], stored: &[Screenshot]) {
    keep_rest(screenshots, stored, &[|one, other| one.url == other.url]);
}

/// Gives new credits the keys of a later version that the stored ones have. A credit is known by
/// its name, also when its role changes.
pub fn keep_rest_of_credits(credits: &mut [Credit], stored: &[Credit]) {
    let rules: [fn(&Credit, &Credit) -> bool; 2] = [
        |one, other| one.name == other.name && one.role == other.role,
        |one, other| one.name == other.name,
    ];
    keep_rest(credits, stored, &rules);
}

/// Reads an array of strings without duplicates; `read` parses each string.
pub fn words(
    fields: &mut Fields<'_>,
    name: &'static str,
    max_items: usize,
    read: impl Fn(&str) -> Result<String, String>,
) -> Vec<String> {
    let mut words = Vec::new();
    let mut seen = BTreeSet::new();
    for (path, item) in items(fields, name, max_items) {
        if let Some(word) = fields.text(&path, item, &read) {
            if seen.insert(word.clone()) {
                words.push(word);
            } else {
                fields.refuse(&path, format!("{word} is there twice: name it once."));
            }
        }
    }
    words
}

/// Reads the screenshots of a game. An uploaded screenshot is named by its address, which one of `current` has: an edit changes its text and
/// its position, but the file has its own size.
pub fn screenshots(
    fields: &mut Fields<'_>,
    name: &'static str,
    current: &[Screenshot],
    public_url: &str,
) -> Vec<Screenshot> {
    let mut screenshots: Vec<Screenshot> = Vec::new();
    for (path, item) in items(fields, name, MAX_ITEMS) {
        let Some(object) = object(fields, &path, item, &["url", "width", "height", "alt"]) else {
            continue;
        };
        let alt = optional_text(fields, &path, object, "alt", |raw| text::line(raw, MAX_ALT_CHARS))
            .unwrap_or_default();
        if let Some(uploaded) = uploaded(object, current) {
            let (width, height) = (uploaded.width, uploaded.height);
            for (side, pixels) in [("width", width), ("height", height)] {
                if object.get(side).is_some_and(|given| *given != pixels) {
                    let reason = format!("The file has {pixels}: leave it out.");
                    fields.refuse(&format!("{path}.{side}"), reason);
                }
            }
            if screenshots.iter().any(|it| it.url == uploaded.url) {
                let reason = "This screenshot is there twice: name it once.".to_owned();
                fields.refuse(&format!("{path}.url"), reason);
            }
            screenshots.push(Screenshot { alt, ..uploaded.clone() });
            continue;
        }
        let url = required_text(fields, &path, object, "url", |raw| {
            address::read_picture(raw, public_url)
        });
        let width = pixels(fields, &path, object, "width");
        let height = pixels(fields, &path, object, "height");
        if let (Some(url), Some(width), Some(height)) = (url, width, height) {
            screenshots.push(Screenshot { url, width, height, alt, rest: Map::new() });
        }
    }
    keep_rest_of_screenshots(&mut screenshots, current);
    screenshots
}

/// The uploaded screenshot that an object names, by its address with or without the public URL.
fn uploaded<'a>(object: &Map<String, Value>, current: &'a [Screenshot]) -> Option<&'a Screenshot> {
    let url = object.get("url")?.as_str()?;
    let mut current = current.iter();
    current.find(|it| FileName::from_address(&it.url).is_some() && url.ends_with(&it.url))
}

/// Reads the credits of a game.
///
/// A handle names an existing page, or a hidden page that the `current` credits name. A reader sees null for a hidden page, so that a credit
/// that is sent back with null keeps the handle.
pub fn credits(
    fields: &mut Fields<'_>,
    name: &'static str,
    current: &[Credit],
    reference: &ReferenceData,
) -> Vec<Credit> {
    let hidden = &reference.hidden_creators;
    let mut credits = Vec::new();
    for (path, item) in items(fields, name, MAX_ITEMS) {
        let Some(object) = object(fields, &path, item, &["handle", "name", "role"]) else {
            continue;
        };
        let handle = optional_text(fields, &path, object, "handle", |raw| {
            parse_slug(raw)?;
            // Staff send back what is stored, even if the page was taken down since.
            let is_stored = current.iter().any(|it| it.handle.as_deref() == Some(raw));
            if is_stored || reference.creators.contains_key(raw) || hidden.contains(raw) {
                return Ok(raw.to_owned());
            }
            Err("No creator has this handle: give null for a person or studio without a page."
                .to_owned())
        });
        let name = required_text(fields, &path, object, "name", not_empty);
        let role =
            optional_text(fields, &path, object, "role", |raw| text::line(raw, text::MAX_TITLE));
        if let Some(name) = name {
            let role = role.unwrap_or_default();
            let is_same = |it: &&Credit| it.name == name && it.role == role;
            let hidden_handle = || {
                let handle = current.iter().find(is_same)?.handle.clone();
                handle.filter(|handle| hidden.contains(handle))
            };
            let handle = handle.or_else(hidden_handle);
            credits.push(Credit { handle, name, role, rest: Map::new() });
        }
    }
    keep_rest_of_credits(&mut credits, current);
    credits
}

fn not_empty(raw: &str) -> Result<String, String> {
    match text::line(raw, text::MAX_TITLE) {
        Ok(text) if text.is_empty() => Err("This must not be empty.".to_owned()),
        read => read,
    }
}

/// The items of an array, each with its path; empty when the field is missing.
fn items<'a>(
    fields: &mut Fields<'a>,
    name: &'static str,
    max_items: usize,
) -> Vec<(String, &'a Value)> {
    match fields.value(name) {
        None => Vec::new(),
        Some(Value::Array(items)) => {
            let path = |index: usize| format!("{name}.{index}");
            if items.len() > max_items {
                let reason = format!("Name at most {max_items}, not {}.", items.len());
                fields.refuse(&path(max_items), reason);
            }
            let items = items.iter().take(max_items).enumerate();
            items.map(|(index, item)| (path(index), item)).collect()
        }
        Some(other) => {
            fields.refuse(name, format!("This must be a list, not {}.", type_name(other)));
            Vec::new()
        }
    }
}

/// Reads an array item: an object with only these fields.
fn object<'a>(
    fields: &mut Fields<'_>,
    path: &str,
    item: &'a Value,
    names: &[&str],
) -> Option<&'a Map<String, Value>> {
    let Value::Object(object) = item else {
        fields.refuse(path, format!("This must be an object, not {}.", type_name(item)));
        return None;
    };
    fields.refuse_unknown(&format!("{path}."), object.keys(), names);
    Some(object)
}

fn required_text(
    fields: &mut Fields<'_>,
    path: &str,
    object: &Map<String, Value>,
    name: &str,
    read: impl FnOnce(&str) -> Result<String, String>,
) -> Option<String> {
    let path = format!("{path}.{name}");
    match object.get(name) {
        None | Some(Value::Null) => {
            fields.refuse(&path, format!("Give a {name}: it is required."));
            None
        }
        Some(value) => fields.text(&path, value, read),
    }
}

fn optional_text(
    fields: &mut Fields<'_>,
    path: &str,
    object: &Map<String, Value>,
    name: &str,
    read: impl FnOnce(&str) -> Result<String, String>,
) -> Option<String> {
    let value = object.get(name).filter(|value| !value.is_null())?;
    fields.text(&format!("{path}.{name}"), value, read)
}

fn pixels(
    fields: &mut Fields<'_>,
    path: &str,
    object: &Map<String, Value>,
    name: &str,
) -> Option<u32> {
    let value = object.get(name).unwrap_or(&Value::Null);
    let read = integer(value, 1..=MAX_PIXELS)
        .and_then(|pixels| u32::try_from(pixels).map_err(|error| error.to_string()));
    fields.ok_or_refuse(&format!("{path}.{name}"), read)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_repeated_or_bad_item_is_refused_by_its_path() {
        let row = json!({"roles": ["artist", "artist", 7, "Big Boss"]});
        let mut fields = Fields::new(row.as_object().unwrap());
        assert_eq!(words(&mut fields, "roles", 5, parse_slug), ["artist"]);
        let problems = fields.finish(()).unwrap_err();
        let paths: Vec<&String> = problems.keys().collect();
        assert_eq!(paths, ["roles.1", "roles.2", "roles.3"]);
    }

    #[test]
    fn each_bad_part_of_pictures_and_credits_is_named() {
        let row = json!({
            "screenshots": [
                {"url": "https://a.example/1.png", "width": 640, "height": 480, "alt": "A hill"},
                {"url": "http://a.example/2.png", "width": 0, "hight": 480},
            ],
            "credits": [{"handle": null, "name": "A. N. Other", "role": "Goat"}, {"handle": "nobody", "name": ""}],
        });
        let mut fields = Fields::new(row.as_object().unwrap());
        assert_eq!(screenshots(&mut fields, "screenshots", &[], "").len(), 1);
        assert_eq!(credits(&mut fields, "credits", &[], &ReferenceData::default())[0].role, "Goat");
        let problems = fields.finish(()).unwrap_err();
        let paths: Vec<&String> = problems.keys().collect();
        assert_eq!(
            paths,
            [
                "credits.1.handle",
                "credits.1.name",
                "screenshots.1.hight",
                "screenshots.1.height",
                "screenshots.1.url",
                "screenshots.1.width",
            ]
            .iter()
            .copied()
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect::<Vec<_>>()
        );
    }

    #[test]
    fn the_handle_of_a_hidden_page_stays_in_the_credits() {
        let credit = |handle: Option<&str>, name: &str| Credit {
            handle: handle.map(ToOwned::to_owned),
            name: name.to_owned(),
            role: "Code".to_owned(),
            rest: Map::new(),
        };
        let current = [credit(Some("gone"), "Ada"), credit(Some("bob"), "Bob")];
        let reference = ReferenceData {
            creators: [("bob".to_owned(), uuid::Uuid::nil())].into(),
            hidden_creators: ["gone".to_owned()].into(),
            ..ReferenceData::default()
        };
        let read = |list: Value| {
            let row = json!({ "credits": list });
            let mut fields = Fields::new(row.as_object().unwrap());
            let read = credits(&mut fields, "credits", &current, &reference);
            fields.finish(read)
        };
        let sent = |handle: Option<&str>, name: &str| json!({"handle": handle, "name": name, "role": "Code"});
        // A credit may be sent back as a read returns it or as it is stored.
        for first in [sent(None, "Ada"), sent(Some("gone"), "Ada")] {
            assert_eq!(read(json!([first, sent(Some("bob"), "Bob")])).unwrap(), current);
        }
        // Bob's page is public, so that a credit without a handle no longer names it.
        assert_eq!(read(json!([sent(None, "Bob")])).unwrap(), [credit(None, "Bob")]);
        assert_eq!(read(json!([sent(None, "Eve")])).unwrap(), [credit(None, "Eve")]);
        assert!(read(json!([sent(Some("eve"), "Eve")])).is_err());
    }

    #[test]
    fn keys_of_a_later_version_stay_with_their_item() {
        let credits = |list: Value| serde_json::from_value::<Vec<Credit>>(list).unwrap();
        let stored = json!([
            {"handle": null, "name": "Ada", "role": "Code", "share": 5},
            {"handle": null, "name": "Ada", "role": "Music", "share": 6},
            {"handle": null, "name": "Bob", "role": "Art", "share": 7},
        ]);
        let stored = credits(stored);
        assert_eq!(serde_json::to_value(&stored).unwrap()[2]["share"], 7);
        let mut sent = credits(json!([
            {"handle": null, "name": "Bob", "role": "Lead art"},
            {"handle": null, "name": "Ada", "role": "Music"},
            {"handle": null, "name": "Eve", "role": "Code"},
            {"handle": null, "name": "Ada", "role": "Sound"},
            {"handle": null, "name": "Ada", "role": "Text"},
        ]));
        keep_rest_of_credits(&mut sent, &stored);
        let shares: Vec<_> = sent.iter().map(|it| it.rest.get("share").cloned()).collect();
        assert_eq!(shares, [Some(json!(7)), Some(json!(6)), None, Some(json!(5)), None]);
    }

    #[test]
    fn uploaded_screenshots_can_be_reordered_and_described() {
        let shot = |digit: &str, alt: &str| Screenshot {
            url: format!("/pictures/{}.jpg", digit.repeat(64)),
            width: 640,
            height: 480,
            alt: alt.to_owned(),
            rest: Map::new(),
        };
        let current = [shot("1", "A hill"), shot("2", "")];
        let read = |list: Value| {
            let row = json!({ "screenshots": list });
            let mut fields = Fields::new(row.as_object().unwrap());
            let read = screenshots(&mut fields, "screenshots", &current, "");
            fields.finish(read)
        };
        let [one, two] = [&current[0].url, &current[1].url];
        let public = format!("https://mchezo.example{two}");
        let reordered =
            json!([{"url": public, "alt": "A river"}, {"url": one, "width": 640, "height": 480}]);
        assert_eq!(read(reordered).unwrap(), [shot("2", "A river"), shot("1", "")]);
        // One that the game does not have, or not any more.
        let three = shot("3", "");
        let added = json!([{"url": three.url, "width": 640, "height": 480}]);
        assert_eq!(read(added).unwrap(), [three]);
        let refused = json!([{"url": one, "width": 1}, {"url": one}]);
        let problems = read(refused).unwrap_err();
        let paths: Vec<&String> = problems.keys().collect();
        assert_eq!(paths, ["screenshots.0.width", "screenshots.1.url"]);
    }
}
