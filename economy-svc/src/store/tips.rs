//! `economy.tip`.

use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::tip::Tip;

pub async fn insert(
    connection: &mut PgConnection,
    id: Uuid,
    game: Uuid,
    tip: &Tip,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into economy.tip (id, game_id, player, amount, note, at) values ($1, $2, $3, $4, $5, $6)",
        id,
        game,
        tip.player,
        tip.amount.cast_signed(),
        tip.note,
        now
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// A booked tip.
#[derive(Debug, Clone)]
pub struct Row {
    pub id: Uuid,
    /// The slug of its game.
    pub slug: String,
    pub at: OffsetDateTime,
    pub player: String,
    pub amount: i64,
    pub note: String,
}

/// The tips of a game, or of all games, the newest first, after the one with this time and id.
pub async fn list(
    pool: &PgPool,
    game: Option<Uuid>,
    after: Option<(OffsetDateTime, Uuid)>,
    limit: i64,
) -> Result<Vec<Row>, sqlx::Error> {
    let (after, after_id) = after.unzip();
    sqlx::query_as!(
        Row,
        "select tip.id, game.slug, at, player, amount, note
         from economy.tip join economy.game on game.id = tip.game_id
         where ($1::uuid is null or game_id = $1) and ($2::timestamptz is null or (at, tip.id) < ($2, $3::uuid))
         order by at desc, tip.id desc limit $4",
        game,
        after,
        after_id,
        limit
    )
    .fetch_all(pool)
    .await
}

/// Removes the players and notes of tips before this moment, of at most `portion` tips.
pub async fn remove_players(
    pool: &PgPool,
    before: OffsetDateTime,
    portion: i64,
) -> Result<u64, sqlx::Error> {
    let removed = sqlx::query!(
        "update economy.tip set player = '', note = '' where id in (
             select id from economy.tip where at < $1 and player <> '' limit $2
         )",
        before,
        portion
    )
    .execute(pool)
    .await?;
    Ok(removed.rows_affected())
}
