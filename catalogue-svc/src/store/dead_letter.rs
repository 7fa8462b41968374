//! Changes that could not be converted. They are stored until a later state of the entity arrives or a newer version converts them.

use std::collections::BTreeMap;

use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::entity::Key;
use crate::index::entity::Entity;

/// A change that could not be converted.
pub(super) struct DeadLetter<'a> {
    pub(super) seq: i64,
    pub(super) body: &'a [u8],
    pub(super) reason: String,
}

/// Keeps changes in place of older ones of the same entities.
pub(super) async fn save(
    connection: &mut PgConnection,
    letters: &BTreeMap<Key<'_>, DeadLetter<'_>>,
    epoch: Uuid,
) -> Result<(), sqlx::Error> {
    for ((kind, id), letter) in letters {
        tracing::error!(
            kind,
            id,
            seq = letter.seq,
            reason = letter.reason,
            "a change cannot be converted and is kept in catalogue.dead_letter; a version that can will take it up when it starts"
        );
        sqlx::query!(
            "insert into catalogue.dead_letter (kind, id, seq, epoch, body, reason)
             values ($1, $2, $3, $4, $5, $6)
             on conflict (kind, id) do update set seq = excluded.seq, epoch = excluded.epoch, body = excluded.body,
                 reason = excluded.reason, at = excluded.at",
            kind,
            id,
            letter.seq,
            epoch,
            letter.body,
            letter.reason,
        )
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

/// Removes the changes of these entities, and says how many there were: a later one was converted.
pub(super) async fn remove<'a>(
    connection: &mut PgConnection,
    keys: impl Iterator<Item = Key<'a>>,
) -> Result<u64, sqlx::Error> {
    let (kinds, ids): (Vec<&str>, Vec<&str>) = keys.unzip();
    let removed = sqlx::query!(
        "delete from catalogue.dead_letter letter
         using unnest($1::text[], $2::text[]) as converted (kind, id)
         where (letter.kind, letter.id) = (converted.kind, converted.id)",
        &kinds as &[&str],
        &ids as &[&str],
    )
    .execute(connection)
    .await?;
    Ok(removed.rows_affected())
}

/// Removes the changes that are not marked with `epoch`.
pub(super) async fn sweep(connection: &mut PgConnection, epoch: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from catalogue.dead_letter where epoch <> $1", epoch)
        .execute(connection)
        .await?;
    Ok(())
}

/// Sets the metric of how many there are.
pub(super) async fn count(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    let query = sqlx::query_scalar!(r#"select count(*) as "count!" from catalogue.dead_letter"#);
    let count = query.fetch_one(connection).await?;
    metrics::gauge!("catalogue_dead_letters")
        .set(f64::from(u32::try_from(count).unwrap_or(u32::MAX)));
    Ok(())
}

/// Takes up the changes that this version can convert. Each start does so.
///
/// Another replica may follow the feed meanwhile: it waits for the rows that are locked here, and what it has written is newer.
pub async fn retry(pool: &PgPool) -> anyhow::Result<()> {
    let mut transaction = pool.begin().await?;
    let Some(cursor) = super::cursor(&mut transaction).await? else {
        return Ok(());
    };
    let letters = sqlx::query!(
        "select kind, id, seq, epoch, body from catalogue.dead_letter where epoch = $1 order by kind, id for update",
        cursor.generation
    )
    .fetch_all(&mut *transaction)
    .await?;
    for letter in letters {
        if let Err(error) = Entity::read(&letter.kind, &letter.id, letter.seq, &letter.body) {
            let (kind, id, seq) = (letter.kind, letter.id, letter.seq);
            tracing::warn!(kind, id, seq, %error, "a change still cannot be converted");
            continue;
        }
        sqlx::query!(
            "insert into catalogue.entity as held (kind, id, seq, epoch, body) values ($1, $2, $3, $4, $5)
             on conflict (kind, id) do update set seq = excluded.seq, epoch = excluded.epoch, body = excluded.body
             where held.epoch <> excluded.epoch or held.seq < excluded.seq",
            letter.kind,
            letter.id,
            letter.seq,
            letter.epoch,
            letter.body,
        )
        .execute(&mut *transaction)
        .await?;
        let key = (&*letter.kind, &*letter.id);
        remove(&mut transaction, std::iter::once(key)).await?;
        tracing::info!(
            kind = letter.kind,
            id = letter.id,
            seq = letter.seq,
            "a change that could not be converted is taken up"
        );
    }
    count(&mut transaction).await?;
    transaction.commit().await?;
    Ok(())
}
