//! The end of a transaction: numbers its changes and commits.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sqlx::{AssertSqlSafe, PgConnection, Row as _};
use time::OffsetDateTime;
use uuid::Uuid;

use super::head::Head;
use super::{NewChange, Position};
use crate::pg::{self, statement};

/// SQLSTATE of an insert without a `seq` (`not_null_violation`), see [`ending`].
pub(super) const NO_HEAD: &str = "23502";

/// Prepares the insert of [`ending`] on a connection, so that PostgreSQL parses and plans it once.
///
/// Parameters: $1 the table of the head, $2 the time, $3 all states concatenated; then one array per column. The last two arrays are the
/// start and the length of each state.
pub(super) async fn prepare(
    connection: &mut PgConnection,
    schema: pg::Schema,
) -> Result<(), sqlx::Error> {
    let prepare = "prepare feed_append (
             oid, timestamptz, bytea, uuid[], bytea[], bytea[], bigint[], bytea[], boolean[], boolean[], integer[], integer[]
         ) as
         with head as (
             update kit.feed_head set seq = seq + cardinality($4),
                 at = greatest(at, $2 - interval '1 microsecond') + cardinality($4) * interval '1 microsecond'
             returning seq - cardinality($4) as base, at - cardinality($4) * interval '1 microsecond' as after, epoch, tableoid
         )
         insert into kit.feed
             (seq, at, request, entity, id, revision, event, announced, happening, state)
         select case when head.tableoid = $1 then head.base + row.place end,
             head.after + row.place * interval '1 microsecond', row.request,
             convert_from(row.entity, 'UTF8'), convert_from(row.id, 'UTF8'), row.revision, convert_from(row.event, 'UTF8'),
             row.announced, row.happening, substring($3 from row.start for row.length)
         from unnest($4, $5, $6, $7, $8, $9, $10, $11, $12) with ordinality as row
             (request, entity, id, revision, event, announced, happening, start, length, place)
         left join head on true
         returning seq, (select epoch from head)";
    schema.raw_sql(prepare).execute(connection).await?;
    Ok(())
}

/// A change to insert.
#[derive(Debug, Clone, Copy)]
pub(super) struct NewRow<'a> {
    /// Identifies its write.
    pub(super) request: Uuid,
    pub(super) change: &'a NewChange,
}

/// The last message of a transaction: raises the head, numbers the rows from it and commits. Without changes it only reads the head,
/// because the result may rely on changes of another process.
///
/// The head must be the table that existed when the connection was opened. Otherwise no row gets a `seq`, and the message fails before
/// its commit.
pub(super) fn ending(
    schema: pg::Schema,
    head: &Head,
    changes: &[NewRow<'_>],
    now: OffsetDateTime,
) -> String {
    if changes.is_empty() {
        return format!("select seq, epoch from {schema}.feed_head; commit");
    }
    let column = |cell: fn(&NewRow<'_>) -> String| array(changes.iter().map(cell));
    let mut states: Vec<u8> = Vec::new();
    let mut starts = Vec::with_capacity(changes.len());
    for row in changes {
        starts.push((states.len() + 1).to_string());
        states.extend_from_slice(&row.change.state);
    }
    format!(
        // The update of the head may wait up to statement_timeout: other replicas lock the head while they commit.
        "set local lock_timeout = 0;
         execute feed_append (
             {table}, {now}, decode('{states}', 'base64'), {request}, {entity}, {id}, {revision}, {event}, {announced}, {happening},
             {start}, {length}
         );
         commit",
        table = head.table.0,
        now = timestamp(now),
        states = STANDARD.encode(states),
        request = column(|row| row.request.to_string()),
        entity = column(|row| bytes(row.change.entity.as_bytes())),
        id = column(|row| bytes(row.change.id.as_bytes())),
        revision = column(|row| row.change.revision.to_string()),
        event = column(|row| bytes(row.change.event.as_bytes())),
        announced = column(|row| row.change.announced.to_string()),
        happening = column(|row| row.change.happening.to_string()),
        start = array(starts.into_iter()),
        length = column(|row| row.change.state.len().to_string()),
    )
}

/// Sends the last message of a transaction; returns the position of the feed after it.
pub(super) async fn commit(
    connection: &mut PgConnection,
    ending: String,
) -> Result<Option<Position>, sqlx::Error> {
    let rows = statement::raw_sql(AssertSqlSafe(ending))
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

// A message with several statements cannot carry bound parameters, so the values are literals. PostgreSQL parses one array per column
// much faster than many rows of expressions; the states are long and are concatenated. Values that may contain a quote are written in
// hexadecimal or base64.

fn array(cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.collect();
    format!("'{{{}}}'", cells.join(","))
}

fn bytes(value: &[u8]) -> String {
    format!("\"\\\\x{}\"", hex::encode(value))
}

fn timestamp(value: OffsetDateTime) -> String {
    let microseconds = value.unix_timestamp_nanos() / 1_000;
    format!("'epoch'::timestamptz + {microseconds} * interval '1 microsecond'")
}
