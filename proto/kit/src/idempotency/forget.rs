//! Forgets stored answers once they are old enough (§10.4).

use std::time::Duration;

use sqlx::PgPool;

use super::store;
use crate::clock::Clock;
use crate::fault::Fault;
use crate::lease::Lease;
use crate::lifecycle::Lifecycle;
use crate::pg::Schema;

/// How often old answers are looked for. An answer that is too old is not given any more, whether it was forgotten or not.
const PERIOD: Duration = Duration::from_hours(1);
/// Rows of one statement.
const PORTION: i64 = 1_000;

/// Forgets again and again, in one replica at a time.
pub fn spawn_forget(lifecycle: &Lifecycle, pool: &PgPool, schema: Schema, clock: &Clock) {
    let lease = Lease::new(pool.clone(), schema, "forget answers", clock.clone());
    let (pool, clock) = (pool.clone(), clock.clone());
    lease.spawn(lifecycle, move || {
        let (pool, clock) = (pool.clone(), clock.clone());
        async move {
            loop {
                if let Err(fault) = forget(&pool, schema, &clock).await {
                    tracing::warn!(%fault, "old answers are kept");
                }
                clock.sleep(PERIOD).await;
            }
        }
    });
}

/// Forgets what is old enough; how many answers that were.
///
/// # Errors
/// PostgreSQL's.
pub async fn forget(pool: &PgPool, schema: Schema, clock: &Clock) -> Result<u64, Fault> {
    let mut answers = 0;
    loop {
        let portion = store::forget(pool, schema, clock.now(), PORTION).await?;
        answers += portion;
        if portion < PORTION.unsigned_abs() {
            return Ok(answers);
        }
    }
}
