//! Startup tasks: the input with which each was last done. Their table is `start_work`.

use sqlx::PgPool;
use time::OffsetDateTime;

/// What a startup task works on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskInput {
    /// Rises whenever a build changes the input. A build with an older version leaves alone what a newer one has done.
    pub version: i32,
    /// The digest of the input.
    pub input: String,
}

/// The input with which the task was last done.
pub async fn last_input(pool: &PgPool, name: &str) -> Result<Option<TaskInput>, sqlx::Error> {
    sqlx::query_as!(
        TaskInput,
        "select version, input from listings.start_work where name = $1",
        name
    )
    .fetch_optional(pool)
    .await
}

/// Records that the task is done, unless a newer version has done it meanwhile.
pub async fn set_done(
    pool: &PgPool,
    name: &str,
    done: &TaskInput,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into listings.start_work as current (name, version, input, at) values ($1, $2, $3, $4)
         on conflict (name) do update set version = excluded.version, input = excluded.input, at = excluded.at
         where current.version <= excluded.version",
        name,
        done.version,
        done.input,
        now
    )
    .execute(pool)
    .await?;
    Ok(())
}
