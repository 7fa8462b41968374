//! `webhook.secret_key`: the encryption keys that each running replica has.

use sqlx::{Connection as _, PgConnection};
use time::OffsetDateTime;
use uuid::Uuid;

/// Stores that a replica has these keys at `now`. Returns those of them that every replica has which was seen since `since`.
pub async fn report(
    connection: &mut PgConnection,
    replica: Uuid,
    fingerprints: &[Vec<u8>],
    now: OffsetDateTime,
    since: OffsetDateTime,
) -> Result<Vec<Vec<u8>>, sqlx::Error> {
    let mut transaction = connection.begin().await?;
    sqlx::query!("delete from webhook.secret_key where seen_at < $1", since)
        .execute(&mut *transaction)
        .await?;
    sqlx::query!(
        "insert into webhook.secret_key (replica, fingerprint, seen_at)
         select $1, fingerprint, $3 from unnest($2::bytea[]) as own (fingerprint)
         on conflict (replica, fingerprint) do update set seen_at = excluded.seen_at",
        replica,
        fingerprints,
        now,
    )
    .execute(&mut *transaction)
    .await?;
    let common = sqlx::query_scalar!(
        "select fingerprint from webhook.secret_key group by fingerprint
         having count(*) = (select count(distinct replica) from webhook.secret_key)"
    );
    let common = common.fetch_all(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(common)
}
