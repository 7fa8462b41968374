//! Links: keys of a fixed set, each with an https address (§2.2, §2.4).

use std::collections::BTreeMap;

use contracts::public::{CREATOR_LINKS, GAME_LINKS};
use serde_json::Value;

use super::address;
use super::field_reader::{Fields, type_name};

/// Link keys of a game.
pub const GAME: &[&str] = &GAME_LINKS;

/// Link keys of a page.
pub const PAGE: &[&str] = &CREATOR_LINKS;

/// Other names of the key `other` in collected data.
const OTHER: &[&str] = &["otherWebsite", "profile"];

/// Link key to address.
pub type Links = BTreeMap<String, String>;

/// Reads `links`. A null link is a missing link.
pub fn read(fields: &mut Fields<'_>, known: &[&str]) -> Links {
    let mut links = Links::new();
    let object = match fields.value("links") {
        None => return links,
        Some(Value::Object(object)) => object,
        Some(value) => {
            fields.refuse("links", format!("This must be an object, not {}.", type_name(value)));
            return links;
        }
    };
    let names = known.iter().map(|name| (*name, *name));
    let others = OTHER.iter().map(|name| (*name, "other"));
    let accepted: Vec<(&str, &str)> =
        names.chain(others.filter(|(_, other)| known.contains(other))).collect();
    for (key, name) in &accepted {
        let Some(value) = object.get(*key).filter(|value| !value.is_null()) else {
            continue;
        };
        let path = format!("links.{key}");
        if let Some(address) = fields.text(&path, value, address::read) {
            add(fields, &mut links, &path, name, address);
        }
    }
    let set = object.iter().filter(|(_, value)| !value.is_null());
    let unknown =
        set.map(|(key, _)| key).filter(|key| !accepted.iter().any(|(accepted, _)| accepted == key));
    fields.refuse_unknown("links.", unknown, known);
    links
}

/// Adds a link that came from another field. Adding the same address twice is not an error.
pub fn add(fields: &mut Fields<'_>, links: &mut Links, path: &str, name: &str, address: String) {
    match links.get(name) {
        Some(other) if *other != address => fields.refuse(
            path,
            format!(
                "The link `{name}` is given twice, with different addresses: give one of them."
            ),
        ),
        _ => {
            links.insert(name.to_owned(), address);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn links_with_collected_names_are_stored_as_other() {
        let row = json!({"links": {"profile": "https://a.example", "itch": "https://b.example", "steam": null}});
        let mut fields = Fields::new(row.as_object().unwrap());
        let links = read(&mut fields, PAGE);
        assert_eq!(links["other"], "https://a.example");
        assert_eq!(links.len(), 2);
        assert_eq!(fields.finish(()), Ok(()));
    }

    #[test]
    fn unknown_keys_and_bad_addresses_are_refused_by_their_path() {
        let row = json!({"links": {"Steam": "https://a.example", "profile": "https://b.example", "itch": "ftp://x"}});
        let mut fields = Fields::new(row.as_object().unwrap());
        assert!(read(&mut fields, GAME).is_empty());
        let problems = fields.finish(()).unwrap_err();
        let paths: Vec<&String> = problems.keys().collect();
        assert_eq!(paths, ["links.Steam", "links.itch", "links.profile"]);
        assert!(problems["links.Steam"].contains("`steam`"));
    }
}
