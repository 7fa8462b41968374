//! `web.sent_form`: the forms that were sent, so that each takes effect once.

use sqlx::{PgExecutor, PgPool};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

/// How long a form is remembered.
const RETENTION: Duration = Duration::DAY;

/// Records a form of a person; false if it was sent before. A second transaction with the same form waits for the end of the first one.
pub async fn insert(
    executor: impl PgExecutor<'_>,
    person: Uuid,
    form: Uuid,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let inserted = sqlx::query!(
        "insert into web.sent_form (person_id, form_id, sent_at) values ($1, $2, $3) on conflict do nothing",
        person,
        form,
        now,
    );
    Ok(inserted.execute(executor).await?.rows_affected() == 1)
}

/// Removes forms older than [`RETENTION`]; returns their number.
pub async fn remove_old(pool: &PgPool, now: OffsetDateTime) -> Result<u64, sqlx::Error> {
    let removed = sqlx::query!(
        "delete from web.sent_form where sent_at < $1",
        now - RETENTION
    );
    Ok(removed.execute(pool).await?.rows_affected())
}
