//! Games (§2.2, §4.3).

use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::array_fields::{Credit, Screenshot};
use super::content::Content;
use super::entity::Entity;
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

impl Content for Game {
    const ENTITY: Entity = Entity::Game;

    fn key(&self) -> &str {
        &self.slug
    }

    fn page_id(&self) -> Option<Uuid> {
        Some(self.page_id)
    }
}

/// The handles that an import row, a body or an edit of staff names, as far as they may be handles. Read before the fields are validated.
pub fn handles(row: &serde_json::Map<String, Value>) -> impl Iterator<Item = &str> {
    let creator = row
        .get("creator")
        .map(|creator| creator.get("handle").unwrap_or(creator));
    let credits = row
        .get("credits")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|credit| credit.get("handle"));
    // What is not a slug is the handle of no page, and PostgreSQL does not accept NUL.
    let handles = creator.into_iter().chain(credits).filter_map(Value::as_str);
    handles.filter(|handle| slug::is_valid(handle))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::field_reader::Problems;
    use crate::domain::listing::RowContent;
    use crate::domain::read_import_row;
    use crate::domain::reference_data::ReferenceData;
    use serde_json::json;

    fn reference() -> ReferenceData {
        ReferenceData {
            year: 2026,
            creators: [("maliyo".to_owned(), Uuid::max())].into(),
            ..ReferenceData::default()
        }
    }

    fn game(row: &Value) -> Result<Game, Problems> {
        read_import_row::<RowContent<Game>>(row.as_object().unwrap(), &reference())
            .map(|row| row.content)
    }

    #[test]
    fn a_short_row_gets_the_empty_values() {
        let row = json!({"slug": "a", "title": "A", "release_year": 2020, "creator": {"handle": "maliyo", "name": "M"}});
        let game = game(&row).unwrap();
        assert_eq!(game.stage, "in_development");
        assert_eq!(
            (game.tagline.as_str(), game.genres.len(), game.cover_url),
            ("", 0, None)
        );
    }

    #[test]
    fn a_game_needs_a_year_within_reach() {
        for (year, good) in [
            (json!(null), false),
            (json!(1949), false),
            (json!(1950), true),
            (json!(2031), true),
            (json!(2032), false),
            (json!("2020"), false),
        ] {
            let row = json!({"slug": "a", "title": "A", "release_year": year, "creator": "maliyo"});
            let problems = game(&row).err().unwrap_or_default();
            assert_eq!(!problems.contains_key("release_year"), good, "{year}");
        }
    }

    #[test]
    fn every_bad_field_has_its_reason() {
        let row = json!({
            "slug": "A B", "title": "", "genres": ["puzzel", "runner", "racing", "strategy"], "platforms": ["ios", "ios", "psp"],
            "stage": "done", "creator": "nobody", "country": "NG", "trailer_url": "http://x.example",
        });
        let problems = game(&row).unwrap_err();
        let paths: Vec<&str> = problems.keys().map(String::as_str).collect();
        assert_eq!(
            paths,
            [
                "country",
                "creator",
                "genres.0",
                "genres.3",
                "platforms.1",
                "platforms.2",
                "release_year",
                "slug",
                "stage",
                "title",
                "trailer_url"
            ]
        );
        assert!(problems.values().all(|reason| reason.ends_with('.')));
    }

    #[test]
    fn handles_are_found_before_a_row_is_read() {
        let row = json!({"creator": "a", "credits": [{"handle": "b"}, {"handle": null}, {"handle": "no\0ne"}, 7]});
        let found: Vec<&str> = handles(row.as_object().unwrap()).collect();
        assert_eq!(found, ["a", "b"]);
    }
}
