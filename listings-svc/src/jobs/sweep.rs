//! Deletes picture files that no listing ever named: their upload was interrupted or refused.

use std::time::Duration;

use kit::periodic::Periodic;
use kit::{Clock, Fault, Lifecycle};
use sqlx::PgPool;

use crate::SCHEMA;
use crate::pictures::FileStore;
use crate::store::pictures;

const INTERVAL: Duration = Duration::from_hours(1);
/// Age at which an unused file is deleted.
const MIN_AGE: Duration = Duration::from_hours(24);

/// Runs the sweep periodically, in one replica at a time.
pub fn spawn(lifecycle: &Lifecycle, pool: &PgPool, files: &FileStore, clock: &Clock) {
    let job = Periodic::new(
        pool.clone(),
        SCHEMA,
        "sweep of pictures",
        INTERVAL,
        clock.clone(),
    );
    let (pool, files, clock) = (pool.clone(), files.clone(), clock.clone());
    job.spawn(lifecycle, move |_now| {
        let (pool, files, clock) = (pool.clone(), files.clone(), clock.clone());
        async move { Ok(sweep(&pool, &files, &clock).await?) }
    });
}

/// Deletes the unused files, and returns their number.
pub async fn sweep(pool: &PgPool, files: &FileStore, clock: &Clock) -> Result<u64, Fault> {
    let mut removed = 0;
    // No row is locked during a request to the file store, which may be slow. When the request fails, the row stays and a later sweep
    // deletes the file.
    while let Some(unused) =
        pictures::claim_unused(pool, clock.now() - MIN_AGE, clock.now()).await?
    {
        files.remove(&unused.name).await?;
        pictures::delete(pool, &unused).await?;
        removed += 1;
    }
    Ok(removed)
}
