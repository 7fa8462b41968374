//! The writer's own connection to PostgreSQL, which it reuses for each transaction.

use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection as _, PgConnection};
use tokio::time::timeout;

use super::commit::prepare;
use super::head::Head;
use crate::pg::Schema;

/// How long PostgreSQL may take for an item, the commit or a new connection. Then the connection is closed.
const TIMEOUT: Duration = Duration::from_secs(3);

/// A connection, and the head as it last read it.
pub(super) struct Session {
    pub(super) connection: PgConnection,
    pub(super) head: Head,
}

/// Opens sessions, and keeps an idle one between transactions.
pub(super) struct Sessions {
    options: PgConnectOptions,
    schema: Schema,
    idle: Option<Session>,
}

impl Sessions {
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

    /// The idle session, or a new one.
    pub(super) async fn acquire(&mut self) -> Result<Session, sqlx::Error> {
        match self.idle.take() {
            Some(session) => Ok(session),
            None => self.open().await,
        }
    }

    /// Keeps the session for the next transaction. Drop it instead when its connection may be broken.
    pub(super) fn release(&mut self, session: Session) {
        self.idle = Some(session);
    }

    async fn open(&self) -> Result<Session, sqlx::Error> {
        let settings = [
            // PostgreSQL ends the session of a process that freezes with rows locked.
            ("idle_in_transaction_session_timeout", "3s"),
            // Shorter than TIMEOUT: PostgreSQL cancels the statement before we close the connection, and the transaction can go on.
            ("statement_timeout", "2s"),
            // Most rows are locked without waiting. Some statements still wait, such as an insert of a slug that another replica is
            // inserting; they are retried.
            ("lock_timeout", "100ms"),
            // The same few statements run again and again, by name or id: a plan for each set of values costs more than it gains.
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

/// Fails after [`TIMEOUT`], as if the connection were lost.
pub(super) async fn in_time<T, E: From<sqlx::Error>>(
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    match timeout(TIMEOUT, work).await {
        Ok(done) => done,
        Err(_) => Err(sqlx::Error::PoolTimedOut.into()),
    }
}
