//! Decides whether a follower goes on from its cursor or rebuilds from the beginning.
//!
//! A follower sends the fingerprint of the last row that it has applied. If the feed has the same row, all earlier rows are the same as well,
//! because the order of `seq` is the order of commit.

use sqlx::PgConnection;
use time::OffsetDateTime;

use super::cursor::{Cursor, Fingerprint};
use super::head::Head;
use super::lineage::Lineage;
use super::rows::change;
use crate::pg::Schema;

/// The beginning of a stream.
#[derive(Debug, Clone, Copy)]
pub(super) struct Begin {
    pub(super) head: Head,
    /// `None` when the follower must rebuild.
    pub(super) after: Option<i64>,
    /// When the follower rebuilds: the newest change that has had its effects, or is older than the follower.
    pub(super) effects_after: i64,
}

/// Compares the cursor of a follower with the feed.
///
/// The follower goes on when it has applied only history of this feed: of this epoch, or of an ancestor up to the fork. The last row is
/// compared. Compaction deletes it only if the follower was away for a week or longer.
pub(super) async fn begin(
    connection: &mut PgConnection,
    schema: Schema,
    cursor: Option<Cursor>,
) -> Result<Begin, sqlx::Error> {
    let head = Head::of(connection, schema).await?;
    let mut rebuild = Begin {
        head,
        after: None,
        effects_after: head.seq,
    };
    let Some(cursor) = cursor else {
        return Ok(rebuild);
    };
    let Cursor {
        position, last_row, ..
    } = cursor;
    if let Some(until) = cursor.effects_until {
        rebuild.effects_after = newest_until(connection, schema, until).await?;
    }
    let lineage = Lineage::load(connection, schema).await?;
    let Some(shared) = lineage.last_shared(&head, position.epoch) else {
        return Ok(rebuild);
    };
    // No follower of that epoch has seen what was written above the fork.
    rebuild.effects_after = rebuild.effects_after.min(shared);
    let differs = match (last_row, row(connection, schema, position.seq).await?) {
        _ if position.seq > shared => true,
        (Some(followers), Some(ours)) => followers != ours,
        (Some(_), None) if position.seq > 0 => {
            tracing::warn!(%schema, position.seq, "the last row of a follower was deleted: the follower rebuilds");
            return Ok(rebuild);
        }
        _ => false,
    };
    if differs && position.epoch == head.epoch {
        // Rows were lost although server and timeline are the same, and their numbers are given out again.
        rebuild.head = head.fork(connection, schema).await?;
        return Ok(rebuild);
    }
    if differs {
        return Ok(rebuild);
    }
    let after = Some(position.seq);
    Ok(Begin { after, ..rebuild })
}

/// The newest change that was made up to `until`.
///
/// Numbers are given out again after a restore; times are not. A change above this one was made after everything that the follower has
/// seen, even where the lineage does not tell at which change the histories part. A clock that goes back may let a change count as seen;
/// the ids of messages keep one from being sent twice, should it go forward.
async fn newest_until(
    connection: &mut PgConnection,
    schema: Schema,
    until: OffsetDateTime,
) -> Result<i64, sqlx::Error> {
    let sql = "select coalesce(max(seq), 0) from kit.feed where at <= $1";
    schema
        .query_scalar(sql)
        .bind(until)
        .fetch_one(connection)
        .await
}

/// The fingerprint of the row `seq`, if the row exists.
async fn row(
    connection: &mut PgConnection,
    schema: Schema,
    seq: i64,
) -> Result<Option<Fingerprint>, sqlx::Error> {
    // A state may be large, and is not part of the fingerprint.
    let sql = "select entity, id, revision, event, announced, happening, at, ''::bytea as state
         from kit.feed where seq = $1";
    let row = schema
        .query(sql)
        .bind(seq)
        .fetch_optional(connection)
        .await?;
    row.map(|row| Ok(Fingerprint::of(&change(&row, seq)?)))
        .transpose()
}
