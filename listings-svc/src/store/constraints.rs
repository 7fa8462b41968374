//! What a violated constraint says to whoever sent the row, where only the database can know.
//!
//! That is what others have written meanwhile, and when a listing was created of which a file says only when it changed. Every other limit is the domain's, which says more and says it first. The schema has those as well, so that a fault of ours writes
//! nothing that breaks them.

use crate::domain::fields::Problems;

/// Constraint, field, reason.
const REASONS: &[(&str, &str, &str)] = &[
    ("page_handle_taken", "handle", NAME_TAKEN),
    ("game_slug_taken", "slug", NAME_TAKEN),
    ("event_slug_taken", "slug", NAME_TAKEN),
    ("city_country", "country_code", NO_COUNTRY),
    ("page_country", "country_code", NO_COUNTRY),
    ("event_country", "country_code", NO_COUNTRY),
    ("game_page", "creator", "There is no such creator."),
    ("page_times", "updated_at", BEFORE_CREATED),
    ("game_times", "updated_at", BEFORE_CREATED),
    ("event_times", "updated_at", BEFORE_CREATED),
];

const NAME_TAKEN: &str = "It was taken just now by somebody else.";
const BEFORE_CREATED: &str = "It cannot lie before created_at, which is now unless the row has it.";
const NO_COUNTRY: &str = "There is no such country.";

/// Whether an error says that the slug or handle of a new listing was taken by somebody else.
pub fn is_name_taken(error: &sqlx::Error) -> bool {
    let name = error
        .as_database_error()
        .and_then(sqlx::error::DatabaseError::constraint);
    matches!(
        name,
        Some("page_handle_taken" | "game_slug_taken" | "event_slug_taken")
    )
}

/// The field and reason that an error stands for; `None` when the error is not about a value.
pub fn field_errors(error: &sqlx::Error) -> Option<Problems> {
    let error = error.as_database_error()?;
    if let Some(name) = error.constraint()
        && let Some((_, field, reason)) = REASONS.iter().find(|(in_table, _, _)| *in_table == name)
    {
        return Some([((*field).to_owned(), (*reason).to_owned())].into());
    }
    // Classes 22 (a value that its type cannot hold) and 23 (a constraint): the domain has let through what it should not have.
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
    async fn what_only_the_database_knows_has_its_sentence(pool: PgPool) {
        // `page_world` cannot be violated: it is a primary key with one more column, for `game_page` to refer to.
        let in_database = sqlx::query_scalar!(
            r#"select conname::text as "name!" from pg_constraint
               where conrelid::regclass::text in
                   ('listings.genre', 'listings.country', 'listings.city', 'listings.page', 'listings.game', 'listings.event')
               and (contype in ('f', 'u') and conname <> 'page_world' or conname like '%\_times')"#
        )
        .fetch_all(&pool)
        .await
        .unwrap();
        let mut in_database: Vec<&str> = in_database.iter().map(String::as_str).collect();
        let mut in_table: Vec<&str> = REASONS.iter().map(|(name, ..)| *name).collect();
        in_database.sort_unstable();
        in_table.sort_unstable();
        assert_eq!(in_table, in_database);
    }
}
