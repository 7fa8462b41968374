//! Deletes old notes of visitors, and the senders of notes.

use std::time::Duration;

use kit::leader::Leader;
use sqlx::PgPool;

use crate::store::tickets;

const INTERVAL: Duration = Duration::from_hours(1);
/// How long a closed note and a sender are kept.
pub const MAX_AGE: time::Duration = time::Duration::days(90);

/// Adds the job to those of the leader.
pub fn spawn(leader: &Leader, pool: &PgPool) {
    let pool = pool.clone();
    leader.spawn_periodic("old notes", INTERVAL, move |now| {
        let pool = pool.clone();
        async move { Ok(tickets::compact(&pool, now - MAX_AGE).await?) }
    });
}
