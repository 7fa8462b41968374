//! `economy.tip`, and its two entries of the ledger.

use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

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
