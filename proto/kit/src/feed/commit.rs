//! The end of a write: numbering its changes, and the commit.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sqlx::{AssertSqlSafe, PgConnection, Row as _};
use uuid::Uuid;

use super::head::Head;
use super::{NewChange, Position};
use crate::pg;

/// SQLSTATE of a row whose `seq` could not be told, see [`ending`].
pub(super) const NO_HEAD: &str = "23502";

/// Prepares [`ending`] on a connection: PostgreSQL reads and plans the insert once, not with every batch.
///
/// $1 the table of the head, $2 when, $3 all states, one after the other; then an array a column, the last two where each state begins
/// and how long it is.
#[expect(
    clippy::disallowed_methods,
    reason = "the schema is a parameter; tested against PostgreSQL"
)]
pub(super) async fn prepare(
    connection: &mut PgConnection,
    schema: pg::Schema,
) -> Result<(), sqlx::Error> {
    let prepare = format!(
        "prepare feed_append (
             oid, timestamptz, bytea, uuid[], bytea[], bytea[], bigint[], bytea[], boolean[], boolean[], integer[], integer[]
         ) as
         with head as (
             update {schema}.feed_head set seq = seq + cardinality($4)
             returning seq - cardinality($4) as base, epoch, tableoid
         )
         insert into {schema}.feed
             (seq, at, request, entity, id, revision, event, announced, happening, state)
         select case when head.tableoid = $1 then head.base + row.place end, $2, row.request,
             convert_from(row.entity, 'UTF8'), convert_from(row.id, 'UTF8'), row.revision, convert_from(row.event, 'UTF8'),
             row.announced, row.happening, substring($3 from row.start for row.length)
         from unnest($4, $5, $6, $7, $8, $9, $10, $11, $12) with ordinality as row
             (request, entity, id, revision, event, announced, happening, start, length, place)
         left join head on true
         returning seq, (select epoch from head)"
    );
    sqlx::raw_sql(AssertSqlSafe(prepare))
        .execute(connection)
        .await?;
    Ok(())
}

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
    let column = |cell: fn(&(Uuid, &NewChange)) -> String| array(changes.iter().map(cell));
    let mut states: Vec<u8> = Vec::new();
    let mut starts = Vec::with_capacity(changes.len());
    for (_, change) in changes {
        starts.push((states.len() + 1).to_string());
        states.extend_from_slice(&change.state);
    }
    format!(
        // The head is waited for, if it takes as long as a statement may: other replicas hold it while they commit.
        "set local lock_timeout = 0;
         execute feed_append (
             {table}, {now}, decode('{states}', 'base64'), {request}, {entity}, {id}, {revision}, {event}, {announced}, {happening},
             {start}, {length}
         );
         commit",
        table = head.table.0,
        now = timestamp(now),
        states = STANDARD.encode(states),
        request = column(|(request, _)| request.to_string()),
        entity = column(|(_, change)| bytes(change.entity.as_bytes())),
        id = column(|(_, change)| bytes(change.id.as_bytes())),
        revision = column(|(_, change)| change.revision.to_string()),
        event = column(|(_, change)| bytes(change.event.as_bytes())),
        announced = column(|(_, change)| change.announced.to_string()),
        happening = column(|(_, change)| change.happening.to_string()),
        start = array(starts.into_iter()),
        length = column(|(_, change)| change.state.len().to_string()),
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

// Values as literals, for a message that travels together with its `commit` cannot carry bound arguments: one array a column, which
// PostgreSQL reads far quicker than as many rows of expressions, and the states, which are long, one after the other. What could hold a
// quote travels in hexadecimal or base64.

fn array(cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.collect();
    format!("'{{{}}}'", cells.join(","))
}

fn bytes(value: &[u8]) -> String {
    format!("\"\\\\x{}\"", hex::encode(value))
}

fn timestamp(value: time::OffsetDateTime) -> String {
    let microseconds = value.unix_timestamp_nanos() / 1_000;
    format!("'epoch'::timestamptz + {microseconds} * interval '1 microsecond'")
}
