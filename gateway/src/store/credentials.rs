//! The tables `gateway.key` and `gateway.account_token` together: what authenticates callers.

use futures::TryStreamExt as _;
use futures::future::ready;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::secret::Hash;

/// Hashes of the keys and tokens with these ids, and of all those of these accounts.
pub async fn hashes(
    connection: &mut PgConnection,
    ids: &[Uuid],
    accounts: &[Uuid],
) -> Result<Vec<Hash>, sqlx::Error> {
    let rows = sqlx::query_scalar!(
        r#"select hash as "hash!" from gateway.key where id = any ($1) or account_id = any ($2)
         union all
         select hash from gateway.account_token where id = any ($1) or account_id = any ($2)"#,
        ids,
        accounts,
    )
    .fetch_all(connection)
    .await?;
    Ok(rows.into_iter().filter_map(hash).collect())
}

/// Passes the hashes of all keys and tokens to `known`.
pub async fn for_each_hash(
    connection: &mut PgConnection,
    mut known: impl FnMut(Hash),
) -> Result<(), sqlx::Error> {
    sqlx::query_scalar!(
        r#"select hash as "hash!" from gateway.key
         union all
         select hash from gateway.account_token"#
    )
    .fetch(connection)
    .try_for_each(|bytes| {
        if let Some(hash) = hash(bytes) {
            known(hash);
        }
        ready(Ok(()))
    })
    .await
}

/// The schema checks the length of hashes.
pub(super) fn hash(bytes: Vec<u8>) -> Option<Hash> {
    bytes.try_into().ok().map(Hash)
}

pub async fn update_last_used(
    connection: &mut PgConnection,
    ids: &[Uuid],
    times: &[OffsetDateTime],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "with used as (
             select * from unnest($1::uuid[], $2::timestamptz[]) as used (id, at)
         ),
         keys as (
             update gateway.key set last_used_at = greatest(key.last_used_at, used.at)
             from used where key.id = used.id
         )
         update gateway.account_token set last_used_at = greatest(account_token.last_used_at, used.at)
         from used where account_token.id = used.id",
        ids,
        times,
    )
    .execute(connection)
    .await?;
    Ok(())
}
