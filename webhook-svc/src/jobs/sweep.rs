//! At 04:00 UTC makes every endpoint with due deliveries due (§6.2), also where its row of the queue is wrong.

use kit::Clock;
use kit::jobs::Leader;
use kit::wakeup::Wakeup;
use sqlx::PgPool;
use time::Time;

use crate::store::queue;

/// Adds the job to those of the leader.
pub fn spawn(
    leader: &Leader,
    pool: &PgPool,
    clock: &Clock,
    wakeup: &Wakeup,
    hour: u8,
) -> anyhow::Result<()> {
    let at = Time::from_hms(hour, 0, 0)?;
    let (pool, clock, wakeup) = (pool.clone(), clock.clone(), wakeup.clone());
    leader.spawn_daily("sweep", at, move |_due| {
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
