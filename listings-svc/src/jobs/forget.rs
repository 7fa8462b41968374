//! Forgets the answers to calls with an `Idempotency-Key` once they are old enough (§10.4).

use std::time::Duration;

use kit::lease::Lease;
use kit::{Clock, Fault, Lifecycle};
use sqlx::PgPool;

use crate::SCHEMA;
use crate::store::idempotency;

/// How often it is looked for them. One that is too old is not given any more, whether it was forgotten or not.
const PERIOD: Duration = Duration::from_hours(1);
/// How many go in one statement.
const PORTION: i64 = 1_000;

/// Forgets again and again, in one replica at a time.
pub fn spawn(lifecycle: &Lifecycle, pool: &PgPool, clock: &Clock) {
    let lease = Lease::new(pool.clone(), SCHEMA, "forget answers", clock.clone());
    let (pool, clock) = (pool.clone(), clock.clone());
    lease.spawn(lifecycle, move || {
        let (pool, clock) = (pool.clone(), clock.clone());
        async move {
            loop {
                if let Err(fault) = forget(&pool, &clock).await {
                    tracing::warn!(%fault, "old answers are kept");
                }
                clock.sleep(PERIOD).await;
            }
        }
    });
}

/// Forgets what is old enough; how many answers that were.
pub async fn forget(pool: &PgPool, clock: &Clock) -> Result<u64, Fault> {
    let mut answers = 0;
    loop {
        let portion = idempotency::forget(pool, clock.now(), PORTION).await?;
        answers += portion;
        if portion < PORTION.unsigned_abs() {
            return Ok(answers);
        }
    }
}
