//! Entities of every kind, as the feed carried them.

use std::collections::BTreeMap;

use bytes::Bytes;
use futures::stream::BoxStream;
use futures::{StreamExt as _, TryStreamExt as _};
use sqlx::PgConnection;
use uuid::Uuid;

/// An entity as it is stored.
#[derive(Debug, Clone)]
pub struct Row {
    /// The entity type on the feed.
    pub kind: String,
    /// Unique within its kind.
    pub id: String,
    /// The change that brought it.
    pub seq: i64,
    /// The encoded message.
    pub body: Bytes,
}

/// Every entity of a generation ([`super::load::Cursor::generation`]).
pub fn rows(
    connection: &mut PgConnection,
    generation: Uuid,
) -> BoxStream<'_, Result<Row, sqlx::Error>> {
    sqlx::query!(
        "select kind, id, seq, body from catalogue.entity where generation = $1",
        generation
    )
    .fetch(connection)
    .map_ok(|row| Row {
        kind: row.kind,
        id: row.id,
        seq: row.seq,
        body: row.body.into(),
    })
    .boxed()
}

/// Inserts or updates entities, and marks their rows with `generation`. The last of several rows of one entity wins.
pub async fn save(
    connection: &mut PgConnection,
    rows: &[Row],
    generation: Uuid,
) -> Result<(), sqlx::Error> {
    // One statement cannot write a row twice.
    let newest: BTreeMap<(&str, &str), &Row> = rows
        .iter()
        .map(|row| ((&*row.kind, &*row.id), row))
        .collect();
    let (kinds, ids): (Vec<&str>, Vec<&str>) = newest.keys().copied().unzip();
    let (seqs, bodies): (Vec<i64>, Vec<&[u8]>) =
        newest.values().map(|row| (row.seq, &*row.body)).unzip();
    sqlx::query!(
        "insert into catalogue.entity as held (kind, id, seq, generation, body)
         select new.kind, new.id, new.seq, $1, new.body
         from unnest($2::text[], $3::text[], $4::bigint[], $5::bytea[]) as new (kind, id, seq, body)
         on conflict (kind, id) do update set seq = excluded.seq, generation = excluded.generation, body = excluded.body
         where held.generation <> excluded.generation or held.seq <= excluded.seq",
        generation,
        &kinds as &[&str],
        &ids as &[&str],
        &seqs,
        &bodies as &[&[u8]],
    )
    .execute(connection)
    .await?;
    Ok(())
}
