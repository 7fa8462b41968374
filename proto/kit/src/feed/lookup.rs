//! Finds out whether a transaction committed whose connection was lost at the commit.

use std::time::Duration;

use tokio::time::timeout;
use uuid::Uuid;

use super::Position;
use super::session::{Session, Sessions};
use crate::pg::{Schema, statement};

/// Pause between two attempts.
const PAUSE: Duration = Duration::from_millis(10);

/// SQLSTATE of a transaction id that was not given out yet (`invalid_parameter_value`).
const UNUSED_ID: &str = "22023";

/// A transaction whose commit was not answered.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnknownCommit<'a> {
    /// Its id, as `pg_current_xact_id` returns it.
    pub(super) transaction: &'a str,
    /// The request id of its last row on the feed, if it has one.
    pub(super) last_request: Option<Uuid>,
    /// The head of the feed before the transaction.
    pub(super) after: i64,
}

/// The outcome of such a transaction.
#[derive(Debug, Clone, Copy)]
pub(super) enum Fate {
    /// It committed, up to this position.
    Committed(Position),
    /// It did not commit, and will not.
    Aborted,
    /// The outcome is unknown. The transaction may still commit.
    Unknown,
}

/// Asks PostgreSQL until the transaction has ended. While its backend runs, the transaction may still commit, and a retry would apply
/// its items twice.
pub(super) async fn look_up(sessions: &mut Sessions, lost: UnknownCommit<'_>) -> Fate {
    let limit = sessions.timeouts.outcome;
    let asking = async {
        loop {
            match ask(sessions, lost).await {
                Ok(Some(fate)) => return fate,
                Ok(None) => {}
                Err(error) => {
                    tracing::warn!(%error, "cannot look up the outcome of a commit yet; retrying");
                }
            }
            tokio::time::sleep(PAUSE).await;
        }
    };
    timeout(limit, asking).await.unwrap_or(Fate::Unknown)
}

/// The outcome; `None` while the backend of the transaction is still running.
async fn ask(
    sessions: &mut Sessions,
    lost: UnknownCommit<'_>,
) -> Result<Option<Fate>, sqlx::Error> {
    let mut session = sessions.acquire().await?;
    let fate = sessions
        .in_time(fate(&mut session, sessions.schema(), lost))
        .await?;
    sessions.release(session);
    Ok(fate)
}

async fn fate(
    session: &mut Session,
    schema: Schema,
    lost: UnknownCommit<'_>,
) -> Result<Option<Fate>, sqlx::Error> {
    let status = statement::query_scalar("select pg_xact_status($1::text::xid8)")
        .bind(lost.transaction)
        .fetch_one(&mut session.connection)
        .await;
    let status: Option<String> = match status {
        // The id is in the future: a restore or a failover has lost the transaction.
        Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some(UNUSED_ID) => None,
        status => status?,
    };
    match status.as_deref() {
        Some("in progress") => {
            // Both outcomes are fine, but the transaction must end: it holds locks.
            let end = "select pg_terminate_backend(pid) from pg_stat_activity
                       where backend_xid = xid($1::text::xid8) and pid <> pg_backend_pid()";
            statement::query(end)
                .bind(lost.transaction)
                .execute(&mut session.connection)
                .await?;
            Ok(None)
        }
        Some("committed") => {
            let find = match lost.last_request {
                // After a failover another transaction may have the same id, so its row must exist as well.
                Some(_) => "select max(seq) from kit.feed where seq > $1 and request = $2",
                None => {
                    "select seq from kit.feed_head where $1::bigint is not null and $2::uuid is null"
                }
            };
            let seq: Option<i64> = schema
                .query_scalar(find)
                .bind(lost.after)
                .bind(lost.last_request)
                .fetch_one(&mut session.connection)
                .await?;
            let epoch = session.head.epoch;
            let position = seq.map(|seq| Position { epoch, seq });
            Ok(Some(position.map_or(Fate::Aborted, Fate::Committed)))
        }
        _ => Ok(Some(Fate::Aborted)),
    }
}
