//! Lists the changes of one entity type, for callers that read a few of them from time to time. To follow the feed would send them all others
//! as well.

use contracts::common::v1 as proto;
use sqlx::{PgConnection, Row as _};
use time::OffsetDateTime;

use super::head::Head;
use super::rows::change;
use crate::pg::Schema;

/// The changes of an entity type, and the time up to which there is no other.
#[derive(Debug)]
pub(super) struct ListedChanges {
    pub(super) changes: Vec<proto::Change>,
    pub(super) until: OffsetDateTime,
}

/// Lists up to `limit` changes of `entity` after a time; without one, those from now on.
///
/// A time is a position in every epoch: the times of changes are in the order of `seq`, and what is written after a restore is later than
/// what the restore has lost.
pub(super) async fn list_changes(
    connection: &mut PgConnection,
    schema: Schema,
    entity: &str,
    after: Option<OffsetDateTime>,
    limit: usize,
) -> Result<ListedChanges, sqlx::Error> {
    let Some(after) = after else {
        return Ok(ListedChanges {
            changes: Vec::new(),
            until: Head::read(connection, schema).await?.at,
        });
    };
    // Backward from the head: the primary key finds few rows above the one that is looked for.
    let found =
        "select coalesce((select seq from kit.feed where at <= $1 order by seq desc limit 1), 0)";
    let seq: i64 = schema.query_scalar(found).bind(after).fetch_one(&mut *connection).await?;
    // The head and the changes are of one snapshot, and the order of `seq` is that of commits: no change comes below the head later.
    //
    // There is no index on (entity, seq), for which every write would pay. The position moves on over changes of other entity types too,
    // so that the primary key finds few changes above it. Above an old position, `feed_by_entity` finds those of the entity type.
    let sql = format!("select head.at as head_at, feed.* from (select at from kit.feed_head limit 1) head
         left join lateral (
             select * from kit.feed where entity = $1 and seq > $2 and at > $3 order by seq limit {limit}
         ) feed on true
         order by feed.seq");
    let rows = schema
        .query(&sql)
        .bind(entity)
        .bind(seq)
        .bind(after)
        // Planned anew each time, because the better index depends on the position, and on the length of the feed.
        .persistent(false)
        .fetch_all(connection)
        .await?;
    let first = rows.first().ok_or(sqlx::Error::RowNotFound)?;
    let head_at: OffsetDateTime = first.try_get("head_at")?;
    let (mut changes, mut last_at) = (Vec::with_capacity(rows.len()), head_at);
    for row in rows {
        if let Some(seq) = row.try_get("seq")? {
            changes.push(change(&row, seq)?);
            last_at = row.try_get("at")?;
        }
    }
    let is_full = changes.len() >= limit;
    let until = if is_full { last_at } else { head_at };
    Ok(ListedChanges {
        // Not back: the head of a restored feed is older.
        until: until.max(after),
        changes,
    })
}
