//! `web.note_notice`: mails about the corrections of a listing.

use sqlx::{PgExecutor, PgPool};
use time::Date;

/// Records a mail about a listing; false if there was one on this day.
pub async fn insert(
    executor: impl PgExecutor<'_>,
    day: Date,
    kind: &str,
    name: &str,
) -> Result<bool, sqlx::Error> {
    let inserted = sqlx::query!(
        "insert into web.note_notice (day, kind, name) values ($1, $2, $3) on conflict do nothing",
        day,
        kind,
        name,
    );
    Ok(inserted.execute(executor).await?.rows_affected() > 0)
}

/// Removes records of days before this one.
pub async fn remove_before(pool: &PgPool, day: Date) -> Result<u64, sqlx::Error> {
    let removed = sqlx::query!("delete from web.note_notice where day < $1", day);
    Ok(removed.execute(pool).await?.rows_affected())
}
