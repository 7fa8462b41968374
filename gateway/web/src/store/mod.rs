//! The tables of schema `web`.

pub mod activity;
pub mod feed_positions;
pub mod links;
pub mod members;
pub mod people;
pub mod sent_forms;
pub mod sent_notices;
pub mod sessions;
pub mod tries;

use std::time::Duration;

use kit::pg::Schema;
use sqlx::PgConnection;

pub const SCHEMA: Schema = Schema("web");

/// Lets a transaction wait this long between two statements. PostgreSQL would otherwise end its session after
/// `database_idle_in_transaction_timeout`, and release its locks.
pub(crate) async fn allow_idle(
    connection: &mut PgConnection,
    wait: Duration,
) -> Result<(), sqlx::Error> {
    let set = sqlx::query_scalar!(
        "select set_config('idle_in_transaction_session_timeout', $1, true)",
        wait.as_millis().to_string(),
    );
    set.fetch_one(connection).await?;
    Ok(())
}

/// Whether a statement failed because a row with its key exists.
pub(crate) fn is_taken(error: &sqlx::Error) -> bool {
    error
        .as_database_error()
        .is_some_and(sqlx::error::DatabaseError::is_unique_violation)
}
