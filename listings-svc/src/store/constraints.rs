//! Maps violated constraints to field errors, for what only the database can know.
//!
//! That is what others have written meanwhile. The domain checks every other limit first, with a better message; the schema repeats these
//! limits, so that our own errors cannot store invalid data.

use crate::domain::field_reader::Problems;

/// Constraint, field, reason.
const REASONS: &[(&str, &str, &str)] = &[
    ("page_handle_taken", "handle", NAME_TAKEN),
    ("game_slug_taken", "slug", NAME_TAKEN),
    ("event_slug_taken", "slug", NAME_TAKEN),
    ("game_page", "creator", "There is no such creator."),
];

const NAME_TAKEN: &str = "Another listing has just taken it: choose another.";

/// The field and the reason of an error; `None` when the error is not about a value.
pub fn field_errors(error: &sqlx::Error) -> Option<Problems> {
    let error = error.as_database_error()?;
    if let Some(name) = error.constraint()
        && let Some((_, field, reason)) = REASONS.iter().find(|(in_table, _, _)| *in_table == name)
    {
        return Some([((*field).to_owned(), (*reason).to_owned())].into());
    }
    // Classes 22 (data exception) and 23 (integrity constraint violation): the domain should have refused the value.
    let code = error.code()?;
    (code.starts_with("22") || code.starts_with("23")).then(|| {
        tracing::warn!(%error, "the database refused a row that the domain accepted");
        [(
            "row".to_owned(),
            "The database refuses this row; the log of listings-svc has the reason.".to_owned(),
        )]
        .into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlx::PgPool;

    #[testing::database_test(crate::MIGRATOR)]
    async fn every_constraint_that_only_the_database_checks_has_a_message(pool: PgPool) {
        // `page_world` cannot be violated: it is the primary key and one more column, which `game_page` refers to.
        let in_database = sqlx::query_scalar!(
            r#"select conname::text as "name!" from pg_constraint
               where conrelid::regclass::text in
                   ('listings.page', 'listings.game', 'listings.event')
               and contype in ('f', 'u') and conname <> 'page_world'"#
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
