//! What a violated constraint says to whoever sent the row: the one place where a constraint's name becomes a field and a reason.
//!
//! The domain checks the same limits first and says more, so that most of these speak only when two writes cross each other.

use crate::domain::fields::Problems;

/// Constraint, field, reason.
const REASONS: &[(&str, &str, &str)] = &[
    (
        "genre_key_shape",
        "key",
        "It is written in small letters, digits and hyphens.",
    ),
    ("genre_name_length", "name", "It has 1 to 120 characters."),
    ("country_code_shape", "code", "It is two capital letters."),
    ("country_name_length", "name", "It has 1 to 120 characters."),
    (
        "city_slug_shape",
        "city_slug",
        "It is written in small letters, digits and hyphens.",
    ),
    ("city_name_length", "name", "It has 1 to 120 characters."),
    ("city_country", "country_code", "There is no such country."),
    (
        "city_population_range",
        "population",
        "It is above 0, or null.",
    ),
    (
        "page_handle_taken",
        "handle",
        "It was taken just now by somebody else.",
    ),
    (
        "page_handle_shape",
        "handle",
        "It is written in small letters, digits and hyphens.",
    ),
    ("page_name_length", "name", "It has 1 to 120 characters."),
    ("page_kind", "kind", "It is studio or person."),
    ("page_roles_distinct", "roles", "A role is named once."),
    (
        "page_tagline_length",
        "tagline",
        "It has 160 characters at most.",
    ),
    (
        "page_bio_length",
        "bio",
        "It has 10,000 characters at most.",
    ),
    ("page_avatar_https", "avatar_url", "It is an https address."),
    ("page_country", "country_code", "There is no such country."),
    ("page_city_length", "city", "It has 120 characters at most."),
    ("page_city_slug", "city_slug", "It goes with a city."),
    ("page_links_object", "links", "It is an object."),
    (
        "page_times",
        "updated_at",
        "It cannot lie before created_at.",
    ),
    (
        "game_slug_taken",
        "slug",
        "It was taken just now by somebody else.",
    ),
    (
        "game_slug_shape",
        "slug",
        "It is written in small letters, digits and hyphens.",
    ),
    ("game_title_length", "title", "It has 1 to 120 characters."),
    (
        "game_tagline_length",
        "tagline",
        "It has 160 characters at most.",
    ),
    (
        "game_description_length",
        "description",
        "It has 10,000 characters at most.",
    ),
    ("game_cover_https", "cover_url", "It is an https address."),
    ("game_screenshots_list", "screenshots", "It is a list."),
    ("game_genres_count", "genres", "Up to three, none twice."),
    (
        "game_platforms_known",
        "platforms",
        "One of them is not known, or named twice.",
    ),
    (
        "game_stage",
        "stage",
        "It is in_development, early_access or released.",
    ),
    (
        "game_release_year_range",
        "release_year",
        "It lies between 1950 and five years from now.",
    ),
    (
        "game_trailer_https",
        "trailer_url",
        "It is an https address.",
    ),
    ("game_links_object", "links", "It is an object."),
    ("game_credits_list", "credits", "It is a list."),
    ("game_page", "creator", "There is no such creator."),
    (
        "game_times",
        "updated_at",
        "It cannot lie before created_at.",
    ),
    (
        "event_slug_taken",
        "slug",
        "It was taken just now by somebody else.",
    ),
    (
        "event_slug_shape",
        "slug",
        "It is written in small letters, digits and hyphens.",
    ),
    ("event_title_length", "title", "It has 1 to 120 characters."),
    (
        "event_kind",
        "kind",
        "It is jam, meetup, tournament, showcase or conference.",
    ),
    ("event_days", "ends_at", "It cannot end before it starts."),
    ("event_country", "country_code", "There is no such country."),
    ("event_city_length", "city", "It has 1 to 120 characters."),
    ("event_website_https", "website", "It is an https address."),
    (
        "event_description_length",
        "description",
        "It has 10,000 characters at most.",
    ),
    (
        "event_times",
        "updated_at",
        "It cannot lie before created_at.",
    ),
];

/// Whether an error says that the slug or handle of a new listing was taken by somebody else.
pub fn is_taken(error: &sqlx::Error) -> bool {
    let name = error
        .as_database_error()
        .and_then(sqlx::error::DatabaseError::constraint);
    matches!(
        name,
        Some("page_handle_taken" | "game_slug_taken" | "event_slug_taken")
    )
}

/// The field and reason that an error stands for; `None` when the error is not about a value.
pub fn problem(error: &sqlx::Error) -> Option<Problems> {
    let error = error.as_database_error()?;
    if let Some(name) = error.constraint()
        && let Some((_, field, reason)) = REASONS.iter().find(|(known, _, _)| *known == name)
    {
        return Some([((*field).to_owned(), (*reason).to_owned())].into());
    }
    // Classes 22 (a value that its type cannot hold) and 23 (a constraint without a sentence of its own).
    let code = error.code()?;
    (code.starts_with("22") || code.starts_with("23")).then(|| {
        tracing::warn!(%error, "a row is refused by the database for no reason that the domain knows");
        [("row".to_owned(), "The database does not take this row.".to_owned())].into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlx::PgPool;

    #[sqlx::test]
    async fn every_constraint_of_the_schema_has_its_sentence(pool: PgPool) {
        let named = sqlx::query_scalar!(
            r#"select conname::text as "name!" from pg_constraint
               where conrelid::regclass::text in
                   ('listings.genre', 'listings.country', 'listings.city', 'listings.page', 'listings.game', 'listings.event')
               and contype in ('c', 'f', 'u')"#
        )
        .fetch_all(&pool)
        .await
        .unwrap();
        // Only our own code writes these.
        let internal = [
            "page_mode",
            "page_state",
            "page_world",
            "page_waiting",
            "game_waiting",
            "event_waiting",
            "game_mode",
            "game_state",
            "page_waiting",
            "game_waiting",
            "event_waiting",
            "event_mode",
            "event_state",
        ];
        for name in &named {
            let known = REASONS.iter().any(|(known, _, _)| known == name);
            assert!(
                known || internal.contains(&name.as_str()),
                "{name} has no sentence"
            );
        }
        for (name, _, _) in REASONS {
            assert!(
                named.iter().any(|n| n == name),
                "{name} is not a constraint"
            );
        }
    }
}
