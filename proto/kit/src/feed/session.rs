//! The writer's own connection to PostgreSQL, kept from one transaction to the next.

use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection as _, PgConnection};
use tokio::time::timeout;

use super::commit::prepare;
use super::head::Head;
use crate::pg::Schema;

/// How long PostgreSQL may leave an item, the commit or a new connection without an answer; then the connection is given up.
const SILENCE: Duration = Duration::from_secs(3);

/// A connection, and the head as it was last seen there.
pub(super) struct Session {
    pub(super) connection: PgConnection,
    pub(super) head: Head,
}

/// Opens sessions, and keeps one while no transaction needs it.
pub(super) struct Sessions {
    options: PgConnectOptions,
    schema: Schema,
    idle: Option<Session>,
}

impl Sessions {
    /// Sessions with the database of `options`, in which the feed is in `schema`.
    pub(super) fn new(options: PgConnectOptions, schema: Schema) -> Self {
        Self {
            options,
            schema,
            idle: None,
        }
    }

    pub(super) fn schema(&self) -> Schema {
        self.schema
    }

    /// The session that is kept, or a new one.
    pub(super) async fn acquire(&mut self) -> Result<Session, sqlx::Error> {
        match self.idle.take() {
            Some(session) => Ok(session),
            None => self.open().await,
        }
    }

    /// Keeps a session. One whose connection may be broken is dropped instead.
    pub(super) fn release(&mut self, session: Session) {
        self.idle = Some(session);
    }

    async fn open(&self) -> Result<Session, sqlx::Error> {
        let settings = [
            // A process that freezes with rows locked is cut off, not waited for.
            ("idle_in_transaction_session_timeout", "3s"),
            // PostgreSQL gives a statement up before we give the connection up: the transaction can go on.
            ("statement_timeout", "2s"),
            // Most rows are locked without waiting. What waits all the same, such as an insert for a slug that another replica is
            // just inserting, is tried again.
            ("lock_timeout", "100ms"),
            // The same few statements come again and again, on names and ids: to plan each for its values costs more than it gains.
            ("plan_cache_mode", "force_generic_plan"),
        ];
        let options = self.options.clone().options(settings);
        in_time(async {
            let mut connection = PgConnection::connect_with(&options).await?;
            let head = Head::of(&mut connection, self.schema).await?;
            prepare(&mut connection, self.schema).await?;
            Ok(Session { connection, head })
        })
        .await
    }
}

/// A PostgreSQL that neither answers nor refuses is away.
pub(super) async fn in_time<T>(
    work: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, sqlx::Error> {
    match timeout(SILENCE, work).await {
        Ok(done) => done,
        Err(_) => Err(sqlx::Error::PoolTimedOut),
    }
}
