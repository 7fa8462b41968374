//! Measures how long deliveries that are due have waited for a replica: a slow endpoint does not count.

use std::time::Duration;

use kit::jobs::Leader;
use sqlx::PgPool;

use crate::store::queue;

const PERIOD: Duration = Duration::from_secs(5);

/// Adds the job to those of the leader.
pub(crate) fn spawn(leader: &Leader, pool: &PgPool) {
    let pool = pool.clone();
    leader.spawn_periodic("oldest due delivery", PERIOD, move |now| {
        let pool = pool.clone();
        async move {
            let oldest = queue::oldest_due(&pool, now).await?;
            let age = oldest.map_or(0.0, |due| (now - due).as_seconds_f64());
            metrics::gauge!("webhook_oldest_due_seconds").set(age);
            Ok(0)
        }
    });
}
