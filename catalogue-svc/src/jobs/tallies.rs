//! Adds votes up, as they come, for replicas that start.

use std::time::Duration;

use kit::feed::Producer;
use kit::lease::Lease;
use kit::{Clock, Lifecycle};
use sqlx::PgPool;

use crate::SCHEMA;
use crate::store::tallies;

/// Between two times at least: votes that come together are added up together. What is not added up yet, a replica that starts reads from
/// the feed.
const PAUSE: Duration = Duration::from_secs(1);
/// At most.
const PERIOD: Duration = Duration::from_secs(10);

/// Starts the job.
pub(crate) fn spawn(lifecycle: &Lifecycle, pool: &PgPool, clock: &Clock, producer: &Producer) {
    let lease = Lease::new(pool.clone(), SCHEMA, "tallies", clock.clone());
    let (pool, producer) = (pool.clone(), producer.clone());
    lease.spawn(lifecycle, move || {
        let (pool, mut news) = (pool.clone(), producer.news());
        async move {
            loop {
                news.mark_unchanged();
                if let Err(error) = tallies::fold(&pool).await {
                    tracing::warn!(error = format!("{error:#}"), "votes are not added up");
                }
                tokio::time::sleep(PAUSE).await;
                tokio::select! {
                    changed = news.changed() => changed?,
                    () = tokio::time::sleep(PERIOD) => {}
                }
            }
        }
    });
}
