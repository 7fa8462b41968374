//! Deletes pictures that no listing names a day after their upload, and what a purge left.

use std::time::Duration;

use kit::Fault;
use kit::jobs::Leader;
use sqlx::PgPool;
use time::OffsetDateTime;

use crate::domain::pictures::FileName;
use crate::pictures::FileStore;
use crate::store::pictures::{self, uploads};

const INTERVAL: Duration = Duration::from_hours(1);
/// Age at which a picture that no listing names is deleted.
const MIN_AGE: Duration = Duration::from_hours(24);
/// How long the files of a purged picture are deleted again.
const PURGE_AGE: Duration = Duration::from_hours(24 * 7);

/// Adds the sweep to the jobs of the leader.
pub fn spawn(leader: &Leader, pool: &PgPool, files: &FileStore) {
    let (pool, files) = (pool.clone(), files.clone());
    leader.spawn_periodic("sweep of pictures", INTERVAL, move |now| {
        let (pool, files) = (pool.clone(), files.clone());
        async move { Ok(sweep(&pool, &files, now).await?) }
    });
}

/// Deletes the pictures that no listing names, and returns their number. A picture whose files cannot be deleted stops no other, and a later
/// sweep tries again.
pub async fn sweep(pool: &PgPool, files: &FileStore, now: OffsetDateTime) -> Result<u64, Fault> {
    uploads::delete_before(pool, now - MIN_AGE).await?;
    // A purge that was interrupted leaves files, as does an upload during the purge. They are deleted first: an error below ends the sweep.
    for name in pictures::purged_after(pool, now - PURGE_AGE).await? {
        remove_files(files, &name).await;
    }
    let mut deleted = 0;
    for name in pictures::unnamed(pool, now - MIN_AGE).await? {
        deleted += u64::from(delete(pool, files, &name, now - MIN_AGE).await?);
    }
    Ok(deleted)
}

/// Deletes a picture that still no listing names. An upload of the same picture waits, so that its files are stored after these are deleted.
async fn delete(
    pool: &PgPool,
    files: &FileStore,
    name: &FileName,
    before: OffsetDateTime,
) -> Result<bool, Fault> {
    let mut transaction = kit::pg::begin(pool).await?;
    let deleted = pictures::delete_unnamed(&mut transaction, name, before).await?
        && remove_files(files, name).await;
    if deleted {
        transaction.commit().await?;
    } else {
        // A dropped transaction would hold the lock a little longer, and the next sweep leaves out what is locked.
        transaction.rollback().await?;
    }
    Ok(deleted)
}

/// Deletes the files of a picture; returns whether they are gone.
async fn remove_files(files: &FileStore, name: &FileName) -> bool {
    let removed = files.remove_picture(name).await;
    if let Err(error) = &removed {
        tracing::warn!(%error, picture = %name, "cannot delete a picture; the next sweep tries again");
    }
    removed.is_ok()
}
