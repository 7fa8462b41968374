//! `web.sent_notice`: which mails about an event were sent, so that none is sent twice.

use std::collections::HashSet;

use sqlx::{PgExecutor, PgPool};
use time::OffsetDateTime;

/// Those of the notices that were sent.
pub async fn sent(pool: &PgPool, notices: &[String]) -> Result<HashSet<String>, sqlx::Error> {
    let sent =
        sqlx::query_scalar!("select notice from web.sent_notice where notice = any ($1)", notices,);
    Ok(sent.fetch_all(pool).await?.into_iter().collect())
}

/// Records notices; returns those that were not sent before. A record is kept until the event cannot come again.
pub async fn insert(
    executor: impl PgExecutor<'_>,
    notices: &[String],
    until: OffsetDateTime,
) -> Result<Vec<String>, sqlx::Error> {
    let query = sqlx::query_scalar!(
        "insert into web.sent_notice (notice, until) select unnest($1::text[]), $2 on conflict do nothing returning notice",
        notices,
        until
    );
    query.fetch_all(executor).await
}

/// Removes records of events that cannot come again; returns their number.
pub async fn remove_ended(pool: &PgPool, now: OffsetDateTime) -> Result<u64, sqlx::Error> {
    let removed = sqlx::query!("delete from web.sent_notice where until < $1", now);
    Ok(removed.execute(pool).await?.rows_affected())
}
