//! Deletes old notes of visitors, and the senders of notes.

use std::time::Duration;

use kit::periodic::Periodic;
use kit::{Clock, Lifecycle};
use sqlx::PgPool;

use crate::SCHEMA;
use crate::store::tickets;

const INTERVAL: Duration = Duration::from_hours(1);
/// How long a closed note and a sender are kept.
pub const MAX_AGE: time::Duration = time::Duration::days(90);

/// Runs the job periodically, in one replica at a time.
pub fn spawn(lifecycle: &Lifecycle, pool: &PgPool, clock: &Clock) {
    let name = "old notes";
    let job = Periodic::new(pool.clone(), SCHEMA, name, INTERVAL, clock.clone());
    let pool = pool.clone();
    job.spawn(lifecycle, move |now| {
        let pool = pool.clone();
        async move { Ok(tickets::compact(&pool, now - MAX_AGE).await?) }
    });
}
