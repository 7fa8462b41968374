//! Loads the reference data.

use std::collections::{BTreeSet, HashMap};

use sqlx::types::Json;
use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

use super::unwrap_json;
use crate::domain::entity::Entity;
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

/// The keys of all genres or countries.
pub async fn keys(
    executor: impl PgExecutor<'_>,
    entity: Entity,
) -> Result<BTreeSet<String>, sqlx::Error> {
    let keys = sqlx::query_scalar!(
        "select key from listings.gazetteer where kind = $1",
        entity.as_str()
    );
    Ok(keys.fetch_all(executor).await?.into_iter().collect())
}

pub async fn cities(executor: impl PgExecutor<'_>) -> Result<Vec<City>, sqlx::Error> {
    let cities = sqlx::query_scalar!(
        r#"select content as "city!: Json<City>" from listings.gazetteer where kind = 'city'"#
    );
    Ok(unwrap_json(cities.fetch_all(executor).await?))
}

/// Keys and names of all genres or countries, by name.
pub async fn names(
    executor: impl PgExecutor<'_>,
    entity: Entity,
) -> Result<Vec<(String, String)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"select key, content ->> 'name' as "name!" from listings.gazetteer where kind = $1 order by 2, key"#,
        entity.as_str()
    )
    .fetch_all(executor)
    .await?;
    Ok(rows.into_iter().map(|row| (row.key, row.name)).collect())
}

/// Pages with these handles that games may belong to.
pub async fn creators(
    executor: impl PgExecutor<'_>,
    mode: Mode,
    handles: &[String],
) -> Result<HashMap<String, Uuid>, sqlx::Error> {
    let rows = sqlx::query!(
        "select name, id from listings.listing
         where entity = 'page' and mode = $1 and name = any($2) and state in ('pending', 'published')",
        mode.as_str(),
        handles
    )
    .fetch_all(executor)
    .await?;
    Ok(rows.into_iter().map(|row| (row.name, row.id)).collect())
}
