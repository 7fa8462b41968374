//! What became of a transaction whose commit was sent and not answered.

use std::time::Duration;

use sqlx::AssertSqlSafe;
use tokio::time::timeout;
use uuid::Uuid;

use super::Position;
use super::session::{Session, Sessions, in_time};
use crate::pg::Schema;

/// How long it is looked for.
const DEADLINE: Duration = Duration::from_secs(5);
/// Pause before PostgreSQL is asked again.
const PAUSE: Duration = Duration::from_millis(10);

/// SQLSTATE of a transaction number that was not given out yet.
const FUTURE: &str = "22023";

/// A transaction without an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnknownCommit<'a> {
    /// Its number, as `pg_current_xact_id` gives it.
    pub(super) transaction: &'a str,
    /// The write that has its last row on the feed, if it has any.
    pub(super) witness: Option<Uuid>,
    /// Where the feed stood before it.
    pub(super) after: i64,
}

/// What became of it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Fate {
    /// It took place, and the feed stands here.
    Committed(Position),
    /// It did not, and will not.
    Aborted,
    /// Nobody knows, and it may still take place.
    Unknown,
}

/// Asks until the transaction has ended. While its backend goes on, its rows cannot be seen and it may still commit: to apply its items
/// again would be to make them twice.
pub(super) async fn look_up(sessions: &mut Sessions, lost: UnknownCommit<'_>) -> Fate {
    let asking = async {
        loop {
            match ask(sessions, lost).await {
                Ok(Some(fate)) => return fate,
                Ok(None) => {}
                Err(error) => {
                    tracing::warn!(%error, "what became of a commit cannot be looked up yet");
                }
            }
            tokio::time::sleep(PAUSE).await;
        }
    };
    timeout(DEADLINE, asking).await.unwrap_or(Fate::Unknown)
}

/// What became of it; `None` while its backend is still at it.
async fn ask(
    sessions: &mut Sessions,
    lost: UnknownCommit<'_>,
) -> Result<Option<Fate>, sqlx::Error> {
    let mut session = sessions.acquire().await?;
    let fate = in_time(fate(&mut session, sessions.schema(), lost)).await?;
    sessions.release(session);
    Ok(fate)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the schema is a parameter; tested against PostgreSQL"
)]
async fn fate(
    session: &mut Session,
    schema: Schema,
    lost: UnknownCommit<'_>,
) -> Result<Option<Fate>, sqlx::Error> {
    let status = sqlx::query_scalar("select pg_xact_status($1::text::xid8)")
        .bind(lost.transaction)
        .fetch_one(&mut session.connection)
        .await;
    let status: Option<String> = match status {
        // The number is still to come: a restore or a failover has lost the transaction.
        Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some(FUTURE) => None,
        status => status?,
    };
    match status.as_deref() {
        Some("in progress") => {
            // Whether it ends in time or is ended makes no difference to us, but its locks do.
            let end = "select pg_terminate_backend(pid) from pg_stat_activity
                       where backend_xid = xid($1::text::xid8) and pid <> pg_backend_pid()";
            sqlx::query(end)
                .bind(lost.transaction)
                .execute(&mut session.connection)
                .await?;
            Ok(None)
        }
        Some("committed") => {
            let find = match lost.witness {
                // Its number may be that of another transaction after a failover, so its row is looked for as well.
                Some(_) => {
                    format!("select max(seq) from {schema}.feed where seq > $1 and request = $2")
                }
                None => format!(
                    "select seq from {schema}.feed_head where $1::bigint is not null and $2::uuid is null"
                ),
            };
            let seq: Option<i64> = sqlx::query_scalar(AssertSqlSafe(find))
                .bind(lost.after)
                .bind(lost.witness)
                .fetch_one(&mut session.connection)
                .await?;
            let epoch = session.head.epoch;
            let position = seq.map(|seq| Position { epoch, seq });
            Ok(Some(position.map_or(Fate::Aborted, Fate::Committed)))
        }
        _ => Ok(Some(Fate::Aborted)),
    }
}
