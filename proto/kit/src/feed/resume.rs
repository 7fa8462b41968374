//! Whether a follower that comes back goes on from its cursor, or starts again from nothing.

use contracts::common::v1 as proto;
use sqlx::{AssertSqlSafe, PgConnection, Row as _};
use time::OffsetDateTime;

use super::cursor::{Cursor, Fingerprint};
use super::head::Head;
use super::lineage::Lineage;
use crate::pg::Schema;

/// Where a stream begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Begin {
    pub(super) head: Head,
    /// `None`: the follower starts again from nothing.
    pub(super) after: Option<i64>,
}

/// Compares the cursor of a follower with the feed. `is_known`: the follower is not registered, or compaction still waits for it.
///
/// It goes on when what it has applied is history of this feed (of this epoch, or of an ancestor up to the fork; the last row is
/// compared), and when compaction cannot have removed rows that it has not seen.
pub(super) async fn begin(
    connection: &mut PgConnection,
    schema: Schema,
    cursor: Option<Cursor>,
    is_known: bool,
) -> Result<Begin, sqlx::Error> {
    let head = Head::of(connection, schema).await?;
    let from_nothing = Begin { head, after: None };
    let Some(Cursor { position, last_row }) = cursor else {
        return Ok(from_nothing);
    };
    let lineage = Lineage::load(connection, schema).await?;
    let Some(shared) = lineage.last_shared(&head, position.epoch) else {
        return Ok(from_nothing);
    };
    let is_gone = "the row that a follower came to last is gone: it starts again from nothing";
    let other = match (last_row, row(connection, schema, position.seq).await?) {
        _ if position.seq > shared => true,
        (Some(followers), Some(ours)) => followers != ours,
        (Some(_), None) if position.seq > 0 => {
            tracing::warn!(%schema, position.seq, "{is_gone}");
            return Ok(from_nothing);
        }
        _ => false,
    };
    if other && position.epoch == head.epoch {
        // Rows were lost that neither server nor timeline tell of, and their numbers are given out again, or will be.
        let head = head.fork(connection, schema).await?;
        return Ok(Begin { head, after: None });
    }
    if other || !is_known {
        return Ok(from_nothing);
    }
    let after = Some(position.seq);
    Ok(Begin { head, after })
}

/// The fingerprint of the row `seq`; `None` when it is not there.
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
