//! `economy.tip`, and its two entries of the ledger.

use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use super::reversal::{Reversal, reversal_of_row};
use crate::domain::tip::Tip;

/// Books a tip: debits the player's account, which is external and may be negative, and credits the maker's.
pub async fn insert(
    connection: &mut PgConnection,
    id: Uuid,
    game: Uuid,
    tip: &Tip,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "with tip as (
             insert into economy.tip (id, game_id, player, amount, note, at) values ($1, $2, $3, $4, $5, $6)
         )
         insert into economy.entry (transfer_kind, transfer_id, game_id, account_kind, holder, amount, at)
         values ('tip', $1::uuid::text, $2, 'player', $3, -$4::bigint, $6), ('tip', $1::uuid::text, $2, 'maker', '', $4, $6)",
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
    pub tip: Tip,
    pub reversal: Option<Reversal>,
}

/// The tips of a game, or of all games, the newest first, after the one with this time and id.
pub async fn list(
    pool: &PgPool,
    game: Option<Uuid>,
    after: Option<(OffsetDateTime, Uuid)>,
    limit: i64,
) -> Result<Vec<Row>, sqlx::Error> {
    let (after, after_id) = after.unzip();
    let rows = sqlx::query!(
        "select tip.id, game.slug, at, player, amount, note, reversed_at, reversed_by, reversal_reason
         from economy.tip join economy.game on game.id = tip.game_id
         where ($1::uuid is null or game_id = $1) and ($2::timestamptz is null or (at, tip.id) < ($2, $3::uuid))
         order by at desc, tip.id desc limit $4",
        game,
        after,
        after_id,
        limit
    )
    .fetch_all(pool)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| Row {
            id: row.id,
            slug: row.slug,
            at: row.at,
            tip: Tip {
                player: row.player,
                amount: row.amount.unsigned_abs(),
                note: row.note,
            },
            reversal: reversal_of_row!(row),
        })
        .collect())
}

pub async fn exists(connection: &mut PgConnection, id: Uuid) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select exists (select 1 from economy.tip where id = $1) as "exists!""#,
        id
    )
    .fetch_one(connection)
    .await
}

/// Reverses a tip by counter-entries; returns false if it was reversed before.
pub async fn reverse(
    connection: &mut PgConnection,
    id: Uuid,
    reversal: &Reversal,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"with reversed as (
               update economy.tip set reversed_at = $2, reversed_by = $3, reversal_reason = $4
               where id = $1 and reversed_at is null returning id::text, game_id, player, amount
           ), entries as (
               insert into economy.entry (transfer_kind, transfer_id, game_id, account_kind, holder, amount, at)
               select 'tip reversal', id, game_id, 'player', player, amount, $2 from reversed
               union all select 'tip reversal', id, game_id, 'maker', '', -amount, $2 from reversed
           )
           select exists (select 1 from reversed) as "reversed!""#,
        id,
        reversal.at,
        reversal.by,
        reversal.reason
    )
    .fetch_one(connection)
    .await
}
