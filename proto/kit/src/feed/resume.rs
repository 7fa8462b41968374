//! Decides whether a follower goes on from its cursor or rebuilds from the beginning.

use contracts::common::v1 as proto;
use sqlx::{AssertSqlSafe, PgConnection, Row as _};
use time::OffsetDateTime;

use super::cursor::{Cursor, Fingerprint};
use super::head::Head;
use super::lineage::Lineage;
use crate::pg::Schema;

/// The beginning of a stream.
#[derive(Debug, Clone, Copy)]
pub(super) struct Begin {
    pub(super) head: Head,
    /// `None` when the follower must rebuild.
    pub(super) after: Option<i64>,
}

/// Compares the cursor of a follower with the feed. `is_registered` is false when compaction has expired the follower, and true for a
/// follower that never registers.
///
/// The follower goes on when it has applied only history of this feed (of this epoch, or of an ancestor up to the fork; the last row is
/// compared), and when compaction cannot have deleted rows that it has not seen.
pub(super) async fn begin(
    connection: &mut PgConnection,
    schema: Schema,
    cursor: Option<Cursor>,
    is_registered: bool,
) -> Result<Begin, sqlx::Error> {
    let head = Head::of(connection, schema).await?;
    let rebuild = Begin { head, after: None };
    let Some(Cursor { position, last_row }) = cursor else {
        return Ok(rebuild);
    };
    let lineage = Lineage::load(connection, schema).await?;
    let Some(shared) = lineage.last_shared(&head, position.epoch) else {
        return Ok(rebuild);
    };
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
        let head = head.fork(connection, schema).await?;
        return Ok(Begin { head, after: None });
    }
    if differs || !is_registered {
        return Ok(rebuild);
    }
    let after = Some(position.seq);
    Ok(Begin { head, after })
}

/// The fingerprint of the row `seq`, if the row exists.
#[expect(
    clippy::disallowed_methods,
    reason = "the schema is a parameter; tested against PostgreSQL"
)]
async fn row(
    connection: &mut PgConnection,
    schema: Schema,
    seq: i64,
) -> Result<Option<Fingerprint>, sqlx::Error> {
    let sql = format!("select entity, id, revision, event, at from {schema}.feed where seq = $1");
    let row = sqlx::query(AssertSqlSafe(sql))
        .bind(seq)
        .fetch_optional(connection)
        .await?;
    row.map(|row| {
        let at: OffsetDateTime = row.try_get("at")?;
        Ok(Fingerprint::of(&proto::Change {
            seq,
            entity: row.try_get("entity")?,
            id: row.try_get("id")?,
            revision: row.try_get("revision")?,
            event: row.try_get("event")?,
            at: Some(crate::timestamp::encode(at)),
            ..proto::Change::default()
        }))
    })
    .transpose()
}
