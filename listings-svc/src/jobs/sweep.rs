//! Removes files of pictures that no listing ever named: their upload was broken off, or refused.

use std::time::Duration;

use kit::lease::Lease;
use kit::{Clock, Fault, Lifecycle};
use sqlx::PgPool;

use crate::SCHEMA;
use crate::pictures::FileStore;
use crate::store::pictures;

/// How often it is looked for them.
const INTERVAL: Duration = Duration::from_hours(1);
/// How old they are before they go.
const MIN_AGE: Duration = Duration::from_hours(24);

/// Sweeps again and again, in one replica at a time.
pub fn spawn(lifecycle: &Lifecycle, pool: &PgPool, files: &FileStore, clock: &Clock) {
    let lease = Lease::new(pool.clone(), SCHEMA, "sweep of pictures", clock.clone());
    let (pool, files, clock) = (pool.clone(), files.clone(), clock.clone());
    lease.spawn(lifecycle, move || {
        let (pool, files, clock) = (pool.clone(), files.clone(), clock.clone());
        async move {
            loop {
                match sweep(&pool, &files, &clock).await {
                    Ok(0) => {}
                    Ok(files) => tracing::info!(files, "pictures that nobody used are removed"),
                    Err(fault) => tracing::warn!(%fault, "pictures that nobody used are kept"),
                }
                clock.sleep(INTERVAL).await;
            }
        }
    });
}

/// Removes what is there to be removed; how many files that were.
pub async fn sweep(pool: &PgPool, files: &FileStore, clock: &Clock) -> Result<usize, Fault> {
    let mut removed = 0;
    // No row is locked while the store is asked: it may take its time. If it fails, the row stays, and a later sweep removes the file.
    while let Some(unused) =
        pictures::claim_unused(pool, clock.now() - MIN_AGE, clock.now()).await?
    {
        files.remove(&unused.name).await?;
        pictures::delete(pool, &unused).await?;
        removed += 1;
    }
    Ok(removed)
}
