//! `webhook.listing`.

use std::collections::{HashMap, HashSet};

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
    pub url: String,
    pub published: bool,
    pub revision: i64,
    /// The page of a game.
    pub page_id: Option<Uuid>,
    /// The accounts that own a page.
    pub owners: Vec<Uuid>,
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
        "insert into webhook.listing (generation, kind, id, mode, slug, name, url, published, revision, page_id, owners)
         select $1, kind, id, mode, slug, name, url, published, revision, page_id, owners
         from jsonb_populate_recordset(null::webhook.listing, $2)
         on conflict (kind, id) do update set generation = excluded.generation, mode = excluded.mode, slug = excluded.slug,
             name = excluded.name, url = excluded.url, published = excluded.published, revision = excluded.revision,
             page_id = excluded.page_id, owners = excluded.owners",
        generation,
        Json(&rows) as _,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// What a message says of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Game {
    pub id: Uuid,
    pub mode: String,
    pub slug: String,
    pub name: String,
    pub url: String,
}

/// The games with these ids.
pub async fn games(
    connection: &mut PgConnection,
    ids: &[Uuid],
) -> Result<HashMap<Uuid, Game>, sqlx::Error> {
    let games = sqlx::query_as!(
        Game,
        "select id, mode, slug, name, url from webhook.listing where kind = 'game' and id = any($1)",
        ids
    )
    .fetch_all(connection)
    .await?;
    Ok(games.into_iter().map(|game| (game.id, game)).collect())
}

/// Those of these listings that are published.
pub async fn published(
    pool: &PgPool,
    listings: &[(String, Uuid)],
) -> Result<HashSet<(String, Uuid)>, sqlx::Error> {
    let (kinds, ids): (Vec<String>, Vec<Uuid>) = listings.iter().cloned().unzip();
    let published = sqlx::query!(
        "select kind, id from webhook.listing join unnest($1::text[], $2::uuid[]) as asked (kind, id) using (kind, id)
         where published",
        &kinds,
        &ids
    );
    let published = published.fetch_all(pool).await?.into_iter();
    Ok(published.map(|row| (row.kind, row.id)).collect())
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
            url: "https://mchezo.example/slug".to_owned(),
            published: true,
            revision: 1,
            page_id: Some(Uuid::from_u128(8)),
            owners: vec![Uuid::from_u128(9), Uuid::from_u128(10)],
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
        let owners = sqlx::query_scalar!("select owners from webhook.listing where kind = 'page'");
        let owners = owners.fetch_one(&pool).await.unwrap();
        assert_eq!(owners, [9, 10].map(Uuid::from_u128));
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
