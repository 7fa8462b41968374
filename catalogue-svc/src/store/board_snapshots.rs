//! `catalogue.snapshot` and `catalogue.snapshot_board`: the boards as they stood at 04:00 UTC.

use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::rankings::{BoardKind, Window};
use crate::domain::ranks::{PreviousRanks, Ranks};

/// The order of a board at a moment, if it is stored.
pub async fn board(
    executor: impl PgExecutor<'_>,
    taken_for: OffsetDateTime,
    kind: BoardKind,
    window: Window,
) -> Result<Option<Vec<Uuid>>, sqlx::Error> {
    sqlx::query_scalar!(
        "select listings from catalogue.snapshot_board where taken_for = $1 and kind = $2 and board = $3",
        taken_for,
        kind.as_str(),
        window.as_str()
    )
    .fetch_optional(executor)
    .await
}

/// Stores the order of a board, unless it was stored before. Returns the one that is stored.
pub async fn save_board(
    executor: impl PgExecutor<'_>,
    taken_for: OffsetDateTime,
    kind: BoardKind,
    window: Window,
    listings: &[Uuid],
) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar!(
        "insert into catalogue.snapshot_board as held (taken_for, kind, board, listings) values ($1, $2, $3, $4)
         on conflict (taken_for, kind, board) do update set listings = held.listings
         returning listings",
        taken_for,
        kind.as_str(),
        window.as_str(),
        listings
    )
    .fetch_one(executor)
    .await
}

/// Marks the snapshot of a moment as taken. Returns false if it was marked before.
pub async fn announce(
    connection: &mut PgConnection,
    taken_for: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let announced = sqlx::query!(
        "insert into catalogue.snapshot (taken_for) values ($1) on conflict do nothing",
        taken_for
    )
    .execute(connection)
    .await?;
    Ok(announced.rows_affected() == 1)
}

/// The moment of the newest snapshot before this one.
pub async fn before(
    executor: impl PgExecutor<'_>,
    taken_for: OffsetDateTime,
) -> Result<Option<OffsetDateTime>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select max(taken_for) as "taken_for" from catalogue.snapshot where taken_for < $1"#,
        taken_for
    )
    .fetch_one(executor)
    .await
}

/// The moment of the latest snapshot.
pub async fn latest(executor: impl PgExecutor<'_>) -> Result<Option<OffsetDateTime>, sqlx::Error> {
    sqlx::query_scalar!(r#"select max(taken_for) as "taken_for" from catalogue.snapshot"#)
        .fetch_one(executor)
        .await
}

/// The ranks of the snapshot before the latest.
pub async fn previous(connection: &mut PgConnection) -> Result<PreviousRanks, sqlx::Error> {
    let rows = sqlx::query!(
        "select kind, board, listings from catalogue.snapshot_board
         where taken_for = (select taken_for from catalogue.snapshot order by taken_for desc limit 1 offset 1)"
    )
    .fetch_all(connection)
    .await?;
    let mut previous = PreviousRanks::default();
    for row in rows {
        if let (Some(kind), Some(window)) = (BoardKind::parse(&row.kind), Window::parse(&row.board))
        {
            previous.insert(kind, window, Ranks::new(&row.listings));
        }
    }
    Ok(previous)
}

/// Removes all snapshots but the latest two, from which ranks and previous ranks come.
pub async fn remove_old(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "with kept as (select taken_for from catalogue.snapshot order by taken_for desc limit 1 offset 1),
             boards as (delete from catalogue.snapshot_board where taken_for < (select taken_for from kept))
         delete from catalogue.snapshot where taken_for < (select taken_for from kept)"
    )
    .execute(connection)
    .await?;
    Ok(())
}
