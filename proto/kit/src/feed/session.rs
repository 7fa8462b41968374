//! The writer's own connection to PostgreSQL, which it reuses for each transaction.

use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection as _, PgConnection};

use super::commit::prepare;
use super::head::Head;
use super::timeouts::WriteTimeouts;
use crate::pg::{self, Schema};

/// A connection, and the head as it last read it.
pub(super) struct Session {
    pub(super) connection: PgConnection,
    pub(super) head: Head,
}

/// Opens sessions, and keeps an idle one between transactions.
pub(super) struct Sessions {
    options: PgConnectOptions,
    schema: Schema,
    pub(super) timeouts: WriteTimeouts,
    idle: Option<Session>,
}

impl Sessions {
    pub(super) fn new(options: PgConnectOptions, schema: Schema, timeouts: WriteTimeouts) -> Self {
        Self {
            options,
            schema,
            timeouts,
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
        let milliseconds = |time: Duration| time.as_millis().to_string();
        let step = self.timeouts.step;
        let (idle, statement) = (milliseconds(step), milliseconds(step * 2 / 3));
        let session = pg::session([
            // PostgreSQL ends the session of a process that freezes with rows locked.
            ("idle_in_transaction_session_timeout", &*idle),
            // Shorter than `step`: PostgreSQL cancels the statement before we close the connection, and the transaction can go on.
            ("statement_timeout", &*statement),
            // Most rows are locked without waiting. Some statements still wait, such as an insert of a slug that another replica is
            // inserting; they are retried.
            ("lock_timeout", "100ms"),
            // The same few statements run again and again, by name or id: a plan for each set of values costs more than it gains.
            ("plan_cache_mode", "force_generic_plan"),
        ]);
        self.in_time(async {
            let mut connection = PgConnection::connect_with(&self.options).await?;
            pg::set(&mut connection, session).await?;
            let head = Head::of(&mut connection, self.schema).await?;
            prepare(&mut connection, self.schema).await?;
            Ok(Session { connection, head })
        })
        .await
    }

    /// Fails when `work` takes longer than a step may, as if the connection were lost.
    pub(super) async fn in_time<T, E: From<sqlx::Error>>(
        &self,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        pg::with_timeout(self.timeouts.step, work).await
    }
}
