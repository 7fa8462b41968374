//! The table of pages.

use std::collections::HashMap;

use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use super::listing_table;
use crate::domain::listing::Listing;
use crate::domain::page::Page;

/// Selects pages by a clause.
macro_rules! select_pages {
    ([$($clause:literal)+], $($argument:expr),+ $(,)?) => {
        sqlx::query!(
            r#"select to_json(page) as "page!: Json<Listing<Page>>" from listings.page "# $(+ $clause)+,
            $($argument),+
        )
        .map(|row| row.page.0)
    };
}

listing_table!(
    Page,
    select_pages,
    "page",
    "handle",
    "name, kind, roles, tagline, bio, avatar_url, country_code, city, city_slug, verified, links, source"
);

/// The page with this id.
pub async fn find(
    connection: &mut PgConnection,
    id: Uuid,
) -> Result<Option<Listing<Page>>, sqlx::Error> {
    select_pages!(["where id = $1"], id)
        .fetch_optional(connection)
        .await
}

/// Locks pages against a change of their state; returns whether each is public, by id.
pub async fn share_states(
    connection: &mut PgConnection,
    pages: &[Uuid],
) -> Result<HashMap<Uuid, bool>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"select id, state = 'published' as "is_public!" from listings.page where id = any($1) order by id for share"#,
        pages
    )
    .fetch_all(connection)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| (row.id, row.is_public))
        .collect())
}
