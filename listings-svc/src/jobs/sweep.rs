//! Removes files of pictures that no listing ever named: their upload was broken off, or refused.

use std::time::Duration;

use kit::periodic::Periodic;
use kit::{Clock, Fault, Lifecycle};
use sqlx::PgPool;

use crate::SCHEMA;
use crate::pictures::Store;
use crate::store::pictures;

/// How often it is looked for them.
const PERIOD: Duration = Duration::from_hours(1);
/// How old they are before they go.
const AGE: Duration = Duration::from_hours(24);

/// Sweeps again and again, in one replica at a time.
pub fn spawn(lifecycle: &Lifecycle, pool: &PgPool, store: &Store, clock: &Clock) {
    let job = Periodic::new(
        pool.clone(),
        SCHEMA,
        "sweep of pictures",
        PERIOD,
        clock.clone(),
    );
    let (pool, store, clock) = (pool.clone(), store.clone(), clock.clone());
    job.spawn(lifecycle, move |_now| {
        let (pool, store, clock) = (pool.clone(), store.clone(), clock.clone());
        async move { Ok(sweep(&pool, &store, &clock).await?) }
    });
}

/// Removes what is there to be removed; how many files that were.
pub async fn sweep(pool: &PgPool, store: &Store, clock: &Clock) -> Result<u64, Fault> {
    let mut files = 0;
    // No row is locked while the store is asked: it may take its time. If it fails, the row stays, and a later sweep removes the file.
    while let Some(unused) = pictures::claim_unused(pool, clock.now() - AGE, clock.now()).await? {
        store.remove(&unused.name).await?;
        pictures::forget(pool, &unused).await?;
        files += 1;
    }
    Ok(files)
}
