//! `economy.game`.

use std::collections::HashMap;

use serde::Serialize;
use sqlx::types::Json;
use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

use super::searchable;

/// A game as the economy stores it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Row {
    pub id: Uuid,
    pub mode: &'static str,
    pub slug: String,
    pub title: String,
    pub published: bool,
    /// `None` for a hidden game whose page could not be read.
    pub page_id: Option<Uuid>,
}

/// Inserts or updates games in one statement, which marks their rows with `generation`. The last of several rows with
/// one id wins.
pub async fn upsert(
    connection: &mut PgConnection,
    generation: Uuid,
    rows: Vec<Row>,
) -> Result<(), sqlx::Error> {
    // One statement cannot write a row twice.
    let newest: HashMap<Uuid, Row> = rows.into_iter().map(|row| (row.id, row)).collect();
    let rows: Vec<Row> = newest.into_values().collect();
    // `existing` is the row before this statement: a change is counted only when something that rates and figures show has changed.
    sqlx::query!(
        "with sent as (
             select id, mode, slug, title, published, page_id from jsonb_populate_recordset(null::economy.game, $2)
         ), counted as (
             update economy.game_and_swap_changes set changes = changes + 1
             where exists (
                 select 1 from sent join economy.currency on currency.game_id = sent.id left join economy.game as existing on existing.id = sent.id
                 where (existing.slug, existing.title, existing.published) is distinct from (sent.slug, sent.title, sent.published)
             )
         )
         insert into economy.game as existing (generation, id, mode, slug, title, published, page_id)
         select $1, id, mode, slug, title, published, page_id from sent
         on conflict (id) do update set generation = excluded.generation, mode = excluded.mode, slug = excluded.slug,
             title = excluded.title, published = excluded.published, page_id = excluded.page_id
         where (existing.generation, existing.mode, existing.slug, existing.title, existing.published, existing.page_id) is distinct from
             (excluded.generation, excluded.mode, excluded.slug, excluded.title, excluded.published, excluded.page_id)",
        generation,
        Json(&rows) as _,
    )
    .execute(connection)
    .await?;
    Ok(())
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Game {
    pub id: Uuid,
    pub slug: String,
    pub has_currency: bool,
}

/// The live game with this slug. With an `owner`, only if this account owns the game's page.
pub async fn find(
    executor: impl PgExecutor<'_>,
    slug: &str,
    owner: Option<Uuid>,
) -> Result<Option<Game>, sqlx::Error> {
    sqlx::query_as!(
        Game,
        r#"select id, slug, exists (select from economy.currency where game_id = game.id) as "has_currency!"
           from economy.game
           where mode = 'live' and slug = $1
               and ($2::uuid is null or exists (select from economy.page where page.id = page_id and $2 = any (owners)))"#,
        searchable(slug),
        owner
    )
    .fetch_optional(executor)
    .await
}

/// Finds the live game with this slug, and locks its currency.
pub async fn lock(connection: &mut PgConnection, slug: &str) -> Result<Option<Game>, sqlx::Error> {
    sqlx::query_as!(
        Game,
        r#"select id, slug, exists (
               select from economy.currency where game_id = game.id for no key update
           ) as "has_currency!"
           from economy.game where mode = 'live' and slug = $1"#,
        searchable(slug)
    )
    .fetch_optional(connection)
    .await
}

/// A game that somebody owns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnedGame {
    pub slug: String,
    pub title: String,
    /// The accounts that own its page; at least one.
    pub owners: Vec<Uuid>,
}

/// The game with this id; `None` if nobody owns it.
pub async fn owned(
    connection: &mut PgConnection,
    id: Uuid,
) -> Result<Option<OwnedGame>, sqlx::Error> {
    sqlx::query_as!(
        OwnedGame,
        "select slug, title, owners from economy.game join economy.page on page.id = game.page_id
         where game.id = $1 and owners <> '{}'",
        id
    )
    .fetch_optional(connection)
    .await
}

/// A game with a listed currency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedGame {
    pub id: Uuid,
    /// The name of the currency.
    pub currency: String,
}

/// The game with this slug, if its currency is listed: the game is live, published and has a counted report.
pub async fn find_listed(
    executor: impl PgExecutor<'_>,
    slug: &str,
) -> Result<Option<ListedGame>, sqlx::Error> {
    sqlx::query_as!(
        ListedGame,
        "select id, currency.name as currency from economy.game join economy.currency on currency.game_id = id
         where mode = 'live' and slug = $1 and published
             and exists (select from economy.report where game_id = game.id and counted)",
        searchable(slug)
    )
    .fetch_optional(executor)
    .await
}

/// Removes the games of older generations.
pub async fn sweep(connection: &mut PgConnection, generation: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "with gone as (delete from economy.game where generation <> $1 returning id)
         update economy.game_and_swap_changes set changes = changes + 1
         where exists (select 1 from gone join economy.currency on game_id = id)",
        generation
    )
    .execute(connection)
    .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlx::PgPool;

    fn row(id: u128, title: &str) -> Row {
        Row {
            id: Uuid::from_u128(id),
            mode: "live",
            slug: format!("game-{id}"),
            title: title.to_owned(),
            published: true,
            page_id: None,
        }
    }

    #[testing::database_test(crate::MIGRATOR)]
    async fn the_last_state_counts_and_a_sweep_leaves_one_generation(pool: PgPool) {
        let mut connection = pool.acquire().await.unwrap();
        let (old, new) = (Uuid::from_u128(1), Uuid::from_u128(2));
        upsert(&mut connection, old, vec![row(1, "a"), row(2, "b")]).await.unwrap();
        upsert(&mut connection, new, vec![row(2, "c"), row(2, "d")]).await.unwrap();
        sweep(&mut connection, new).await.unwrap();
        let left = sqlx::query!("select id, title, generation from economy.game")
            .fetch_all(&pool)
            .await
            .unwrap();
        assert_eq!(left.len(), 1);
        assert_eq!(
            (left[0].id, left[0].title.as_str(), left[0].generation),
            (Uuid::from_u128(2), "d", new)
        );
    }
}
