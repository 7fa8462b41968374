//! The table `gateway.game`: which games are published, and under which pages, so that their keys work.

use sqlx::PgConnection;
use uuid::Uuid;

use super::column;
use crate::domain::key::{GameState, Mode};

/// A game as it is on the listings feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Game {
    pub id: String,
    /// The slug, which keys refer to.
    pub slug: String,
    /// `test` or `live`.
    pub mode: &'static str,
    pub published: bool,
    /// The id of its page.
    pub page: String,
}

/// Inserts or updates games, which must be distinct. A game that differs from its row gets a new change number.
pub async fn upsert(
    connection: &mut PgConnection,
    games: &[Game],
    generation: Uuid,
) -> Result<(), sqlx::Error> {
    let ids: Vec<String> = games.iter().map(|game| game.id.clone()).collect();
    let slugs: Vec<String> = games.iter().map(|game| game.slug.clone()).collect();
    let modes: Vec<String> = games.iter().map(|game| game.mode.to_owned()).collect();
    let published: Vec<bool> = games.iter().map(|game| game.published).collect();
    let pages: Vec<String> = games.iter().map(|game| game.page.clone()).collect();
    sqlx::query!(
        "insert into gateway.game as held (id, slug, mode, published, page, generation, change)
         select id, slug, mode, published, page, $6, nextval('gateway.game_change')
         from unnest($1::text[], $2::text[], $3::text[], $4::boolean[], $5::text[]) as told (id, slug, mode, published, page)
         on conflict (id) do update set slug = excluded.slug, mode = excluded.mode, published = excluded.published,
             page = excluded.page, generation = excluded.generation,
             change = case when (held.slug, held.mode, held.published, held.page) is distinct from
                 (excluded.slug, excluded.mode, excluded.published, excluded.page) then excluded.change else held.change end
         where (held.slug, held.mode, held.published, held.page, held.generation) is distinct from
             (excluded.slug, excluded.mode, excluded.published, excluded.page, excluded.generation)",
        &ids,
        &slugs,
        &modes,
        &published,
        &pages,
        generation,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Ends a rebuild under `generation`: games that the rebuild did not have are no longer published. Their rows stay, so that replicas
/// see the change.
pub async fn sweep(connection: &mut PgConnection, generation: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update gateway.game set published = false, generation = $1, change = nextval('gateway.game_change')
         where generation <> $1",
        generation,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Whether keys with this mode that the account has for the game may work; without a game they may.
pub async fn state(
    connection: &mut PgConnection,
    slug: Option<&str>,
    mode: Mode,
    account: Uuid,
) -> Result<GameState, sqlx::Error> {
    let state = sqlx::query_scalar!(
        r#"select gateway.game_state($1, $2, $3) as "state!""#,
        slug,
        mode.as_str(),
        account,
    )
    .fetch_one(connection)
    .await?;
    Ok(column::parse(account, "game_state", &state)?)
}

/// The highest change number of games and pages.
pub async fn latest_change(connection: &mut PgConnection) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select greatest(
               0, (select max(change) from gateway.game), (select max(change) from gateway.page)
           ) as "change!""#
    )
    .fetch_one(connection)
    .await
}

/// Slugs of the games that have a change number after `after`, up to `to`, or whose pages have one.
pub async fn changed(
    connection: &mut PgConnection,
    after: i64,
    to: i64,
) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select slug as "slug!" from gateway.game where change > $1 and change <= $2
           union
           select game.slug from gateway.page join gateway.game on game.page = page.id
           where page.change > $1 and page.change <= $2"#,
        after,
        to,
    )
    .fetch_all(connection)
    .await
}
