//! At 04:00 UTC makes every endpoint with due deliveries due (§6.2), also where its row of the queue is wrong.

use kit::daily::Daily;
use kit::wakeup::Wakeup;
use kit::{Clock, Lifecycle};
use sqlx::PgPool;
use time::Time;

use crate::SCHEMA;
use crate::store::queue;

/// Starts the job.
pub fn spawn(
    lifecycle: &Lifecycle,
    pool: &PgPool,
    clock: &Clock,
    wakeup: &Wakeup,
    hour: u8,
) -> anyhow::Result<()> {
    let at = Time::from_hms(hour, 0, 0)?;
    let daily = Daily::new(pool.clone(), SCHEMA, "sweep", at, clock.clone());
    let (pool, clock, wakeup) = (pool.clone(), clock.clone(), wakeup.clone());
    daily.spawn(lifecycle, move |_due| {
        let (pool, clock, wakeup) = (pool.clone(), clock.clone(), wakeup.clone());
        async move {
            let endpoints = queue::sweep(&pool, kit::pg::now(&pool, &clock).await?).await?;
            tracing::info!(endpoints, "made endpoints with due deliveries due");
            wakeup.wake();
            Ok(())
        }
    });
    Ok(())
}
