//! The end of a write: numbering its changes, and the commit.

use sqlx::{AssertSqlSafe, PgConnection, Row as _};
use uuid::Uuid;

use super::producer::Head;
use super::{NewChange, Position};
use crate::pg;

/// SQLSTATE of a row whose `seq` could not be told, see [`ending`].
pub(super) const NO_HEAD: &str = "23502";

/// The end of a transaction in one message: the head raised, the rows numbered from it, the commit. Without changes the head is only
/// read: what they would have changed was changed by someone before.
///
/// The head must be the very table that was met when the connection was opened; else no row gets a number and the message fails
/// before its commit.
pub(super) fn ending(
    schema: pg::Schema,
    head: &Head,
    changes: &[(Uuid, &NewChange)],
    now: time::OffsetDateTime,
) -> String {
    if changes.is_empty() {
        return format!("select seq, epoch from {schema}.feed_head; commit");
    }
    let rows: Vec<String> = changes
        .iter()
        .zip(1..)
        .map(|((request, change), place)| row(place, *request, change))
        .collect();
    format!(
        "with head as (
             update {schema}.feed_head set seq = seq + {count} returning seq - {count} as base, epoch, tableoid
         )
         insert into {schema}.feed
             (seq, at, request, entity, id, revision, event, announced, happening, state)
         select case when head.tableoid = {table} then head.base + row.place end, {now}, row.request, row.entity, row.id,
             row.revision, row.event, row.announced, row.happening, row.state
         from (values {rows}) as row (place, request, entity, id, revision, event, announced, happening, state)
         left join head on true
         returning seq, (select epoch from head);
         commit",
        count = changes.len(),
        table = head.table.0,
        now = timestamp(now),
        rows = rows.join(", "),
    )
}

fn row(place: usize, request: Uuid, change: &NewChange) -> String {
    format!(
        "({place}, {}, {}, {}, {}::bigint, {}, {}, {}, {})",
        uuid(request),
        text(change.entity),
        text(&change.id),
        change.revision,
        text(change.event),
        change.announced,
        change.happening,
        bytes(&change.state),
    )
}

/// Sends the end of a transaction; returns how far the feed has come with it.
#[expect(
    clippy::disallowed_methods,
    reason = "the schema is a parameter; tested against PostgreSQL"
)]
pub(super) async fn commit(
    connection: &mut PgConnection,
    ending: String,
) -> Result<Option<Position>, sqlx::Error> {
    let rows = sqlx::raw_sql(AssertSqlSafe(ending))
        .fetch_all(connection)
        .await?;
    let mut last: Option<Position> = None;
    for row in rows {
        let (seq, epoch) = (row.try_get(0)?, row.try_get(1)?);
        if last.is_none_or(|last| last.seq < seq) {
            last = Some(Position { epoch, seq });
        }
    }
    Ok(last)
}

// Values as literals, for a message that travels together with its `commit` cannot carry bound arguments. Everything that could hold
// a quote travels in hexadecimal.

fn text(value: &str) -> String {
    format!("convert_from('\\x{}', 'UTF8')", hex::encode(value))
}

fn bytes(value: &[u8]) -> String {
    format!("'\\x{}'::bytea", hex::encode(value))
}

fn uuid(value: Uuid) -> String {
    format!("'{value}'::uuid")
}

fn timestamp(value: time::OffsetDateTime) -> String {
    let microseconds = value.unix_timestamp_nanos() / 1_000;
    format!("'epoch'::timestamptz + {microseconds} * interval '1 microsecond'")
}
