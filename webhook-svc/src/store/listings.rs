//! `webhook.listing`.

use std::collections::HashMap;

use serde::Serialize;
use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

/// What this service stores of a listing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Row {
    pub kind: &'static str,
    pub id: Uuid,
    pub mode: &'static str,
    pub slug: String,
    pub name: String,
    pub published: bool,
    pub revision: i64,
}

/// Inserts or updates listings in one statement. The last of several rows with one id wins. Marks the rows
/// with `generation` (`kit::feed`).
pub async fn upsert(
    connection: &mut PgConnection,
    generation: Uuid,
    rows: Vec<Row>,
) -> Result<(), sqlx::Error> {
    // One statement cannot touch a row twice.
    let newest: HashMap<(&str, Uuid), Row> = rows
        .into_iter()
        .map(|row| ((row.kind, row.id), row))
        .collect();
    let rows: Vec<Row> = newest.into_values().collect();
    sqlx::query!(
        "insert into webhook.listing (generation, kind, id, mode, slug, name, published, revision)
         select $1, kind, id, mode, slug, name, published, revision
         from jsonb_populate_recordset(null::webhook.listing, $2)
         on conflict (kind, id) do update set generation = excluded.generation, mode = excluded.mode, slug = excluded.slug,
             name = excluded.name, published = excluded.published, revision = excluded.revision",
        generation,
        Json(&rows) as _,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Whether these listings are published. Those without a row are left out.
pub async fn published(
    pool: &PgPool,
    listings: &[(String, Uuid)],
) -> Result<HashMap<(String, Uuid), bool>, sqlx::Error> {
    let (kinds, ids): (Vec<String>, Vec<Uuid>) = listings.iter().cloned().unzip();
    let published = sqlx::query!(
        "select kind, id, published from webhook.listing
         join unnest($1::text[], $2::uuid[]) as asked (kind, id) using (kind, id)",
        &kinds,
        &ids
    );
    let published = published.fetch_all(pool).await?.into_iter();
    Ok(published
        .map(|row| ((row.kind, row.id), row.published))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SCHEMA;

    fn row(kind: &'static str, name: &str) -> Row {
        Row {
            kind,
            id: Uuid::from_u128(7),
            mode: "live",
            slug: "slug".to_owned(),
            name: name.to_owned(),
            published: true,
            revision: 1,
        }
    }

    #[testing::database_test(crate::MIGRATOR)]
    async fn the_last_state_counts_and_a_sweep_leaves_one_generation(pool: PgPool) {
        let mut connection = pool.acquire().await.unwrap();
        let (old, new) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let rows = vec![row("game", "a"), row("page", "b"), row("game", "c")];
        upsert(&mut connection, old, rows).await.unwrap();
        upsert(&mut connection, new, vec![row("game", "d")])
            .await
            .unwrap();
        let named = async || {
            sqlx::query_scalar!("select name from webhook.listing order by name")
                .fetch_all(&pool)
                .await
                .unwrap()
        };
        assert_eq!(named().await, ["b", "d"]);
        kit::feed::sweep(SCHEMA, &mut connection, &["listing"], new)
            .await
            .unwrap();
        assert_eq!(named().await, ["d"]);
    }
}
