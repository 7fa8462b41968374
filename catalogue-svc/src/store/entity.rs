//! Entities of every kind, as the feed carried them.

use std::collections::BTreeMap;

use bytes::Bytes;
use futures::stream::BoxStream;
use futures::{StreamExt as _, TryStreamExt as _};
use sqlx::PgConnection;
use uuid::Uuid;

/// Kind and id.
pub(super) type Key<'a> = (&'a str, &'a str);

/// An entity as it is stored.
#[derive(Debug, Clone)]
pub struct Row {
    /// As the feed calls it.
    pub kind: String,
    /// Unique within its kind.
    pub id: String,
    /// The change that brought it.
    pub seq: i64,
    /// Its message, encoded.
    pub body: Bytes,
}

/// Every entity whose row is marked with `epoch`, as [`super::Cursor::generation`] is.
pub fn rows(connection: &mut PgConnection, epoch: Uuid) -> BoxStream<'_, Result<Row, sqlx::Error>> {
    sqlx::query!(
        "select kind, id, seq, body from catalogue.entity where epoch = $1",
        epoch
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

/// Writes entities, over what was there.
pub(super) async fn save(
    connection: &mut PgConnection,
    entities: &BTreeMap<Key<'_>, (i64, &[u8])>,
    epoch: Uuid,
) -> Result<(), sqlx::Error> {
    if entities.is_empty() {
        return Ok(());
    }
    let (kinds, ids): (Vec<&str>, Vec<&str>) = entities.keys().copied().unzip();
    let (seqs, bodies): (Vec<i64>, Vec<&[u8]>) = entities.values().copied().unzip();
    sqlx::query!(
        "insert into catalogue.entity (kind, id, seq, epoch, body)
         select new.kind, new.id, new.seq, $1, new.body
         from unnest($2::text[], $3::text[], $4::bigint[], $5::bytea[]) as new (kind, id, seq, body)
         on conflict (kind, id) do update set seq = excluded.seq, epoch = excluded.epoch, body = excluded.body",
        epoch,
        &kinds as &[&str],
        &ids as &[&str],
        &seqs,
        &bodies as &[&[u8]],
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Removes the entities that are not marked with `epoch`.
pub(super) async fn sweep(connection: &mut PgConnection, epoch: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from catalogue.entity where epoch <> $1", epoch)
        .execute(connection)
        .await?;
    Ok(())
}
