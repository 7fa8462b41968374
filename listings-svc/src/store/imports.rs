//! What imports need besides the tables of the rows: the lock of a kind, and what the last import stated of a listing.
//!
//! The table of the locks is `import_gate`.

use std::collections::HashMap;

use serde_json::{Map, Value};
use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use crate::domain::entity::Entity;
use crate::domain::mode::Mode;

/// Updates the planner statistics of a table after an import. Autovacuum does so about once a minute, and until then queries are planned
/// for an almost empty table.
pub async fn analyze(pool: &PgPool, entity: Entity) -> Result<(), sqlx::Error> {
    let table = if entity.is_listing() {
        entity.as_str()
    } else {
        "gazetteer"
    };
    sqlx::query!("select listings.analyze_table($1)", table)
        .execute(pool)
        .await?;
    Ok(())
}

/// Locks a kind for the rest of the transaction: one import writes rows of a kind at a time. False when another import has the lock.
pub async fn lock_kind(
    connection: &mut PgConnection,
    entity: Entity,
    mode: Mode,
) -> Result<bool, sqlx::Error> {
    let locked = sqlx::query_scalar!(
        "select mode from listings.import_gate where entity = $1 and mode = $2 for update skip locked",
        entity.as_str(),
        mode.as_str()
    )
    .fetch_optional(connection)
    .await?;
    Ok(locked.is_some())
}

/// Raises the version of a kind, by which replicas notice that it has changed.
pub async fn raise_version(
    connection: &mut PgConnection,
    entity: Entity,
    mode: Mode,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update listings.import_gate set version = version + 1 where entity = $1 and mode = $2",
        entity.as_str(),
        mode.as_str()
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// What the last import stated of listings, by id. Listings that no import has named are left out.
pub async fn last_stated(
    connection: &mut PgConnection,
    entity: Entity,
    listings: &[Uuid],
) -> Result<HashMap<Uuid, Map<String, Value>>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"select id, content as "content: Json<Map<String, Value>>" from listings.imported_content
           where entity = $1 and id = any($2)"#,
        entity.as_str(),
        listings
    )
    .fetch_all(connection)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| (row.id, row.content.0))
        .collect())
}

/// Stores what an import states of listings.
pub async fn set_stated(
    connection: &mut PgConnection,
    entity: Entity,
    listings: &[Uuid],
    contents: &[Value],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into listings.imported_content (entity, id, content)
         select $1, id, content from unnest($2::uuid[], $3::jsonb[]) as row (id, content)
         on conflict (entity, id) do update set content = excluded.content",
        entity.as_str(),
        listings,
        contents
    )
    .execute(connection)
    .await?;
    Ok(())
}
