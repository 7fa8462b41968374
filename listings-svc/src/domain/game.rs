//! Games (§2.2, §4.3).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::array_fields::{Credit, Screenshot};
use super::links::Links;
use super::slug;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Game {
    /// Never changes.
    pub slug: String,
    pub title: String,
    /// Empty when there is none.
    pub tagline: String,
    /// Empty when there is none.
    pub description: String,
    pub cover_url: Option<String>,
    pub screenshots: Vec<Screenshot>,
    pub genres: Vec<String>,
    pub platforms: Vec<String>,
    /// `in_development`, `early_access` or `released`.
    pub stage: String,
    /// Year of the first release, or the planned year.
    pub release_year: i32,
    pub trailer_url: Option<String>,
    pub links: Links,
    pub credits: Vec<Credit>,
    /// Chosen by staff; featured games come first in lists.
    pub featured: bool,
    /// The page that the game belongs to.
    pub page_id: Uuid,
    /// Where the data was collected.
    pub source: String,
}

/// The handle of `creator`, which is a handle, or the object that a read returns.
pub fn creator(fields: &Map<String, Value>) -> Option<&str> {
    let creator = fields.get("creator")?;
    let handle = creator.get("handle").unwrap_or(creator).as_str();
    handle.map(str::trim)
}

/// The handles of pages that fields of a game name, as far as they may be handles. Read before the fields are validated.
pub fn handles(fields: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let credits = fields.get("credits").and_then(Value::as_array).into_iter().flatten();
    let credited = credits.filter_map(|credit| credit.get("handle")?.as_str());
    let handles = creator(fields).into_iter().chain(credited);
    // What is not a slug is the handle of no page, and PostgreSQL does not accept NUL.
    handles.filter(|handle| slug::is_valid(handle))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn handles_are_found_before_fields_are_read() {
        let row = json!({"creator": "a", "credits": [{"handle": "b"}, {"handle": null}, {"handle": "no\0ne"}, 7]});
        let found: Vec<&str> = handles(row.as_object().unwrap()).collect();
        assert_eq!(found, ["a", "b"]);
        let read = json!({"creator": {"handle": "a", "name": "A"}});
        assert_eq!(creator(read.as_object().unwrap()), Some("a"));
    }
}
