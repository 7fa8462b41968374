//! The table `gateway.game`: which games are published, so that their keys work.

use sqlx::PgConnection;
use uuid::Uuid;

/// A game as it is on the listings feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Game {
    pub id: String,
    /// The slug, which keys refer to.
    pub slug: String,
    /// `test` or `live`.
    pub mode: &'static str,
    pub published: bool,
}

/// Inserts or updates games, which must be distinct. A game that differs from its row gets a new change number.
pub async fn upsert(
    connection: &mut PgConnection,
    games: &[Game],
    epoch: Uuid,
) -> Result<(), sqlx::Error> {
    let ids: Vec<String> = games.iter().map(|game| game.id.clone()).collect();
    let slugs: Vec<String> = games.iter().map(|game| game.slug.clone()).collect();
    let modes: Vec<String> = games.iter().map(|game| game.mode.to_owned()).collect();
    let published: Vec<bool> = games.iter().map(|game| game.published).collect();
    sqlx::query!(
        "insert into gateway.game as held (id, slug, mode, published, epoch, change)
         select id, slug, mode, published, $5, nextval('gateway.game_change')
         from unnest($1::text[], $2::text[], $3::text[], $4::boolean[]) as told (id, slug, mode, published)
         on conflict (id) do update set slug = excluded.slug, mode = excluded.mode, published = excluded.published,
             epoch = excluded.epoch,
             change = case when (held.slug, held.mode, held.published) is distinct from
                 (excluded.slug, excluded.mode, excluded.published) then excluded.change else held.change end
         where (held.slug, held.mode, held.published, held.epoch) is distinct from
             (excluded.slug, excluded.mode, excluded.published, excluded.epoch)",
        &ids,
        &slugs,
        &modes,
        &published,
        epoch,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Ends a rebuild under `epoch`: games that the rebuild did not have are no longer published. Their rows stay, so that replicas
/// see the change.
pub async fn sweep(connection: &mut PgConnection, epoch: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update gateway.game set published = false, epoch = $1, change = nextval('gateway.game_change')
         where epoch <> $1",
        epoch,
    )
    .execute(connection)
    .await?;
    Ok(())
}

pub async fn is_published(connection: &mut PgConnection, slug: &str) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select exists (select from gateway.game where slug = $1 and published) as "exists!""#,
        slug,
    )
    .fetch_one(connection)
    .await
}

/// The highest change number.
pub async fn latest_change(connection: &mut PgConnection) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(r#"select coalesce(max(change), 0) as "change!" from gateway.game"#)
        .fetch_one(connection)
        .await
}
