//! Publishes changes in a transaction of the service, for a service that publishes few.

use sqlx::PgConnection;
use time::OffsetDateTime;

use super::NewChange;
use super::head::Head;
use crate::ids;
use crate::pg::Schema;

/// Publishes changes with the transaction that is open on `connection`. The caller commits at once: until then, the head is locked for all
/// replicas, so that the order of `seq` is the order of commit.
///
/// # Errors
/// PostgreSQL's.
pub async fn append(
    connection: &mut PgConnection,
    schema: Schema,
    changes: &[NewChange],
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    if changes.is_empty() {
        return Ok(());
    }
    // After a restore, numbers are given out again. They belong to a new epoch.
    Head::of(connection, schema).await?;
    let sql = "with head as (
             update kit.feed_head set seq = seq + 1, at = greatest(at + interval '1 microsecond', $1) returning seq, at
         )
         insert into kit.feed (seq, at, request, entity, id, revision, event, announced, happening, state)
         select seq, at, $2, $3, $4, $5, $6, $7, $8, $9 from head";
    for change in changes {
        schema
            .query(sql)
            .bind(now)
            .bind(ids::row_id())
            .bind(change.entity)
            .bind(change.id.as_str())
            .bind(change.revision)
            .bind(change.event)
            .bind(change.announced)
            .bind(change.happening)
            .bind(change.state.as_slice())
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}
