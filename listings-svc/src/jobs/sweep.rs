//! Deletes picture files that no listing ever named, because their upload was interrupted or refused, and what a purge left.

use std::time::Duration;

use kit::jobs::Leader;
use kit::{Clock, Fault};
use sqlx::PgPool;

use crate::domain::pictures::FileName;
use crate::pictures::FileStore;
use crate::store::pictures::{self, uploads};

const INTERVAL: Duration = Duration::from_hours(1);
/// Age at which an unused file is deleted.
const MIN_AGE: Duration = Duration::from_hours(24);
/// How long the files of a purged picture are deleted again.
const PURGE_AGE: Duration = Duration::from_hours(24 * 7);

/// Adds the sweep to the jobs of the leader.
pub fn spawn(leader: &Leader, pool: &PgPool, files: &FileStore, clock: &Clock) {
    let (pool, files, clock) = (pool.clone(), files.clone(), clock.clone());
    leader.spawn_periodic("sweep of pictures", INTERVAL, move |_now| {
        let (pool, files, clock) = (pool.clone(), files.clone(), clock.clone());
        async move { Ok(sweep(&pool, &files, &clock).await?) }
    });
}

/// Deletes the unused files, and returns their number. A file that cannot be deleted stops no other; a later sweep tries it again.
pub async fn sweep(pool: &PgPool, files: &FileStore, clock: &Clock) -> Result<u64, Fault> {
    let mut removed = 0;
    let began = kit::pg::now(pool, clock).await?;
    uploads::delete_before(pool, began - MIN_AGE).await?;
    // No row is locked during a request to the file store, which may be slow.
    while let Some(unused) = pictures::claim_unused(
        pool,
        began - MIN_AGE,
        began,
        kit::pg::now(pool, clock).await?,
    )
    .await?
    {
        if remove(files, &unused.name).await {
            pictures::delete(pool, &unused).await?;
            removed += 1;
        }
    }
    // A purge that was interrupted leaves a file, as does an upload during the purge.
    for name in pictures::purged_after(pool, began - PURGE_AGE).await? {
        remove(files, &name).await;
    }
    Ok(removed)
}

/// Deletes a file; returns whether it is gone.
async fn remove(files: &FileStore, name: &FileName) -> bool {
    let removed = files.remove(name).await;
    if let Err(error) = &removed {
        tracing::warn!(%error, picture = %name, "cannot delete a picture file; the next sweep tries again");
    }
    removed.is_ok()
}
