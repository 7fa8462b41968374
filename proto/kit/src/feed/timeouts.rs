//! How long a writer waits for PostgreSQL.

use std::time::Duration;

use sqlx::postgres::PgPool;

use crate::pg;

/// How long a writer waits for PostgreSQL.
#[derive(Debug, Clone, Copy)]
pub struct WriteTimeouts {
    /// How long a write is retried while its rows are locked elsewhere or PostgreSQL cannot be reached.
    pub write: Duration,
    /// How long PostgreSQL may take for an item, the commit or a new connection. Then the connection is closed.
    pub step: Duration,
    /// How long PostgreSQL is asked for the outcome of a commit that it has not answered.
    pub outcome: Duration,
}

impl WriteTimeouts {
    /// A write has the deadline of the pool. A step is shorter, so that a write can be retried after a step that was not answered.
    pub(super) fn of(pool: &PgPool) -> Self {
        let deadline = pg::deadline(pool);
        Self {
            write: deadline,
            step: deadline * 3 / 5,
            outcome: deadline,
        }
    }
}
