//! What is known of games: which stand, so that their keys work.

use sqlx::PgConnection;
use uuid::Uuid;

/// A game as the listings feed tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Game {
    /// Its id.
    pub id: String,
    /// Its slug, by which keys name it.
    pub slug: String,
    /// `test` or `live`.
    pub mode: &'static str,
    /// Whether the public sees it.
    pub published: bool,
}

/// Takes games in, each at most once. The change number rises for those that differ from what was known.
pub async fn take_in(
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

/// A rebuild under `epoch` is whole: games that it did not tell of are gone. Their rows stay, so that replicas meet the change.
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

/// Whether a published game has this slug.
pub async fn stands(connection: &mut PgConnection, slug: &str) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select exists (select from gateway.game where slug = $1 and published) as "exists!""#,
        slug,
    )
    .fetch_one(connection)
    .await
}

/// The newest change.
pub async fn newest(connection: &mut PgConnection) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(r#"select coalesce(max(change), 0) as "change!" from gateway.game"#)
        .fetch_one(connection)
        .await
}
