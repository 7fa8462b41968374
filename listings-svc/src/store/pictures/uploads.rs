//! The uploads of accounts within a day, whatever became of them.

use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

/// Records an upload that begins now, unless the account has begun `most` since a time. Returns whether it is recorded.
///
/// The count is not exact: uploads that begin at once do not see each other. An exact count would make uploads wait for the lock of the
/// account; the limit only bounds the work of a day, and the number of concurrent uploads has a limit of its own.
pub async fn count(
    pool: &PgPool,
    account: Uuid,
    since: OffsetDateTime,
    now: OffsetDateTime,
    most: i64,
) -> Result<bool, sqlx::Error> {
    let counted = sqlx::query!(
        "insert into listings.picture_upload (account_id, began_at)
         select $1, $2
         where (select count(*) from listings.picture_upload where account_id = $1 and began_at > $3) < $4",
        account,
        now,
        since,
        most
    );
    Ok(counted.execute(pool).await?.rows_affected() > 0)
}

/// When the oldest counted upload since a time began.
pub async fn oldest(
    pool: &PgPool,
    account: Uuid,
    since: OffsetDateTime,
) -> Result<Option<OffsetDateTime>, sqlx::Error> {
    sqlx::query_scalar!(
        "select min(began_at) from listings.picture_upload where account_id = $1 and began_at > $2",
        account,
        since
    )
    .fetch_one(pool)
    .await
}

pub async fn delete_before(pool: &PgPool, before: OffsetDateTime) -> Result<u64, sqlx::Error> {
    let deleted = sqlx::query!("delete from listings.picture_upload where began_at < $1", before);
    Ok(deleted.execute(pool).await?.rows_affected())
}
