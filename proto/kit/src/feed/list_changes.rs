//! Lists the changes of one entity type, for callers that read a few of them from time to time. To follow the feed would send them all others
//! as well.

use contracts::common::v1 as proto;
use sqlx::{PgConnection, Row as _};
use uuid::Uuid;

use super::Position;
use super::cursor::Cursor;
use super::resume::begin;
use super::rows::change;
use crate::pg::Schema;

/// The changes of an entity type, and the position up to which there is no other.
#[derive(Debug)]
pub(super) struct ListedChanges {
    pub(super) changes: Vec<proto::Change>,
    pub(super) position: Position,
}

/// Lists up to `limit` changes of `entity` after a position; without one, those from now on.
///
/// A position of an earlier epoch counts up to the change at which the histories part: what was written after it is new to the caller.
pub(super) async fn list_changes(
    connection: &mut PgConnection,
    schema: Schema,
    entity: &str,
    after: Option<Position>,
    limit: usize,
) -> Result<ListedChanges, sqlx::Error> {
    let cursor = after.map(|position| Cursor {
        position,
        last_row: None,
        effects_until: None,
    });
    let begun = begin(connection, schema, cursor).await?;
    let epoch = begun.head.epoch;
    let after = begun.after.unwrap_or(begun.effects_after);
    // The head and the changes are of one snapshot, and the order of `seq` is that of commits: no change comes below the head later.
    //
    // There is no index on (entity, seq), for which every write would pay. The position moves on over changes of other entity types too,
    // so that the primary key finds few changes above it. Above an old position, `feed_by_entity` finds those of the entity type.
    let sql = format!("select head.epoch, head.seq as head_seq, feed.* from (select epoch, seq from kit.feed_head limit 1) head
         left join lateral (
             select * from kit.feed where entity = $1 and seq > $2 order by seq limit {limit}
         ) feed on true
         order by feed.seq");
    let rows = schema
        .query(&sql)
        .bind(entity)
        .bind(after)
        // Planned anew each time, because the better index depends on the position, and on the length of the feed.
        .persistent(false)
        .fetch_all(connection)
        .await?;
    let first = rows.first().ok_or(sqlx::Error::RowNotFound)?;
    let current: Uuid = first.try_get("epoch")?;
    if current != epoch {
        // An epoch has begun in between. The next call finds out from where on its changes are new.
        return Ok(ListedChanges {
            changes: Vec::new(),
            position: Position { epoch, seq: after },
        });
    }
    let head: i64 = first.try_get("head_seq")?;
    let mut changes = Vec::with_capacity(rows.len());
    for row in rows {
        if let Some(seq) = row.try_get("seq")? {
            changes.push(change(&row, seq)?);
        }
    }
    let last = changes.last().filter(|_| changes.len() >= limit);
    let seq = last.map_or(head, |last| last.seq);
    Ok(ListedChanges {
        position: Position { epoch, seq },
        changes,
    })
}
