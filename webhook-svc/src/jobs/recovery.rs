//! Sends failed deliveries again that an owner has asked for (*Recover*, §6.3): makes them due, a batch of each endpoint in turn.

use std::time::Duration;

use kit::Clock;
use kit::leader::Leader;
use kit::pg::with_timeout;
use kit::wakeup::Wakeup;
use sqlx::PgPool;

use crate::store::recoveries;

/// How often the job looks for requests.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// PostgreSQL may vanish without closing the connection.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Adds the job to those of the leader. Each delivery gets `max_attempts`.
pub fn spawn(leader: &Leader, pool: &PgPool, clock: &Clock, wakeup: &Wakeup, max_attempts: i32) {
    let (pool, clock, wakeup) = (pool.clone(), clock.clone(), wakeup.clone());
    leader.spawn("recovery", move || {
        let (pool, clock, wakeup) = (pool.clone(), clock.clone(), wakeup.clone());
        async move {
            loop {
                let endpoints = with_timeout(TIMEOUT, recoveries::endpoints(&pool)).await;
                let endpoints = endpoints.unwrap_or_else(|error| {
                    tracing::warn!(%error, "cannot read the requests to send failed deliveries again; trying again");
                    Vec::new()
                });
                let mut has_progress = false;
                for endpoint in endpoints {
                    let batch = async {
                        let now = kit::pg::now(&pool, &clock).await?;
                        recoveries::insert_waiting_batch(&pool, endpoint, max_attempts, now).await
                    };
                    match with_timeout(TIMEOUT, batch).await {
                        Ok(()) => {
                            has_progress = true;
                            wakeup.wake();
                        }
                        Err(error) => {
                            tracing::warn!(%endpoint, %error, "cannot send failed deliveries again; trying again");
                        }
                    }
                }
                if !has_progress {
                    tokio::time::sleep(POLL_INTERVAL).await;
                }
            }
        }
    });
}
