//! What rows may refer to, loaded.

use std::collections::{BTreeSet, HashMap};

use sqlx::{PgExecutor, PgPool};
use uuid::Uuid;

use crate::domain::city::City;
use crate::domain::mode::Mode;

/// Keys of all genres.
pub async fn genres(pool: &PgPool) -> Result<BTreeSet<String>, sqlx::Error> {
    let keys = sqlx::query_scalar!("select key from listings.genre")
        .fetch_all(pool)
        .await?;
    Ok(keys.into_iter().collect())
}

/// Codes of all countries.
pub async fn countries(pool: &PgPool) -> Result<BTreeSet<String>, sqlx::Error> {
    let codes = sqlx::query_scalar!("select code from listings.country")
        .fetch_all(pool)
        .await?;
    Ok(codes.into_iter().collect())
}

/// All cities.
pub async fn cities(pool: &PgPool) -> Result<Vec<City>, sqlx::Error> {
    sqlx::query_as!(
        City,
        "select slug, name, country_code, population, source from listings.city"
    )
    .fetch_all(pool)
    .await
}

/// Pages of these handles that games may stand under.
pub async fn creators(
    executor: impl PgExecutor<'_>,
    mode: Mode,
    handles: &[String],
) -> Result<HashMap<String, Uuid>, sqlx::Error> {
    let rows = sqlx::query!(
        "select handle, id from listings.page
         where mode = $1 and handle = any($2) and state in ('pending', 'published')",
        mode.as_str(),
        handles
    )
    .fetch_all(executor)
    .await?;
    Ok(rows.into_iter().map(|row| (row.handle, row.id)).collect())
}
