//! Loads the reference data.

use std::collections::{BTreeSet, HashMap};

use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

use crate::domain::gazetteer::City;
use crate::domain::mode::Mode;

/// Grows with each change of genres, countries and cities.
pub async fn version(connection: &mut PgConnection) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select coalesce(sum(version), 0)::bigint as "version!" from listings.import_gate
           where entity in ('genre', 'country', 'city')"#
    )
    .fetch_one(connection)
    .await
}

pub async fn genres(executor: impl PgExecutor<'_>) -> Result<BTreeSet<String>, sqlx::Error> {
    let keys = sqlx::query_scalar!("select key from listings.genre")
        .fetch_all(executor)
        .await?;
    Ok(keys.into_iter().collect())
}

pub async fn countries(executor: impl PgExecutor<'_>) -> Result<BTreeSet<String>, sqlx::Error> {
    let codes = sqlx::query_scalar!("select code from listings.country")
        .fetch_all(executor)
        .await?;
    Ok(codes.into_iter().collect())
}

pub async fn cities(executor: impl PgExecutor<'_>) -> Result<Vec<City>, sqlx::Error> {
    sqlx::query_as!(
        City,
        "select slug, name, country_code, population, source from listings.city"
    )
    .fetch_all(executor)
    .await
}

/// Keys and names of all genres, by name.
pub async fn genre_names(
    executor: impl PgExecutor<'_>,
) -> Result<Vec<(String, String)>, sqlx::Error> {
    let rows = sqlx::query!("select key, name from listings.genre order by name, key")
        .fetch_all(executor)
        .await?;
    Ok(rows.into_iter().map(|row| (row.key, row.name)).collect())
}

/// Codes and names of all countries, by name.
pub async fn country_names(
    executor: impl PgExecutor<'_>,
) -> Result<Vec<(String, String)>, sqlx::Error> {
    let rows = sqlx::query!("select code, name from listings.country order by name, code")
        .fetch_all(executor)
        .await?;
    Ok(rows.into_iter().map(|row| (row.code, row.name)).collect())
}

/// Pages with these handles that games may belong to.
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
