//! What is known of the files of pictures.

use sqlx::{PgConnection, PgPool};
use time::{Duration, OffsetDateTime};

use crate::domain::picture::{FileName, PictureSizes};

/// For how long a claim of the sweep holds: longer than the store is waited for. A sweep that has not removed a file by then broke off.
const CLAIM_TIMEOUT: Duration = Duration::MINUTE;

/// Writes down that the files of a picture are about to be stored, or are sent again. False when the sweep is removing one of them just
/// now: then nothing is written, and nothing is to be stored.
pub async fn register(
    pool: &PgPool,
    picture: &PictureSizes,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let (mut hashes, mut widths, mut heights, mut sizes) = (vec![], vec![], vec![], vec![]);
    let mut files = [&picture.large, &picture.small];
    // In one order, so that two who send the same do not stand in each other's way; a small picture may be both.
    files.sort_by(|a, b| a.name.cmp(&b.name));
    for file in files {
        hashes.push(file.name.hash().to_owned());
        widths.push(i32::try_from(file.width).unwrap_or(i32::MAX));
        heights.push(i32::try_from(file.height).unwrap_or(i32::MAX));
        sizes.push(i64::try_from(file.bytes.len()).unwrap_or(i64::MAX));
    }
    let mut transaction = pool.begin().await?;
    let removing = sqlx::query_scalar!(
        r#"insert into listings.picture (hash, width, height, size, made_at)
           select distinct on (hash) hash, width, height, size, $5
           from unnest($1::text[], $2::integer[], $3::integer[], $4::bigint[]) as row (hash, width, height, size)
           order by hash
           on conflict (hash) do update set made_at = excluded.made_at,
               removing_since = case when picture.removing_since > $6 then picture.removing_since end
           returning removing_since is not null as "removing!""#,
        &hashes,
        &widths,
        &heights,
        &sizes,
        now,
        now - CLAIM_TIMEOUT
    )
    .fetch_all(&mut *transaction)
    .await?;
    if removing.contains(&true) {
        return Ok(false);
    }
    transaction.commit().await?;
    Ok(true)
}

/// Marks files as named by a listing, for good. Says whether all of them are still there; `None`: somebody else has one of them locked.
pub async fn mark_used(
    connection: &mut PgConnection,
    names: &[FileName],
) -> Result<Option<bool>, sqlx::Error> {
    let hashes: Vec<String> = names.iter().map(|name| name.hash().to_owned()).collect();
    let locked = sqlx::query_scalar!(
        "select hash from listings.picture where hash = any($1) and removing_since is null
         order by hash for no key update skip locked",
        &hashes
    )
    .fetch_all(&mut *connection)
    .await?;
    let present = sqlx::query_scalar!(
        "select hash from listings.picture where hash = any($1) and removing_since is null",
        &hashes
    )
    .fetch_all(&mut *connection)
    .await?;
    if locked.len() < present.len() {
        return Ok(None);
    }
    sqlx::query!(
        "update listings.picture set used = true where hash = any($1) and removing_since is null and not used",
        &hashes
    )
    .execute(connection)
    .await?;
    Ok(Some(hashes.iter().all(|hash| present.contains(hash))))
}

/// A file that no listing names, claimed by the sweep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnusedFile {
    /// Which file.
    pub name: FileName,
    since: OffsetDateTime,
}

/// Claims a file that no listing names and that was last sent before `before`. The statement is a transaction of its own: whoever sends
/// the file again from now on is told to come back later.
pub async fn claim_unused(
    pool: &PgPool,
    before: OffsetDateTime,
    now: OffsetDateTime,
) -> Result<Option<UnusedFile>, sqlx::Error> {
    let claimed = sqlx::query!(
        r#"update listings.picture set removing_since = $2 where hash = (
               select hash from listings.picture
               where not used and made_at < $1 and (removing_since is null or removing_since <= $3)
               order by made_at limit 1 for update skip locked
           )
           returning hash, removing_since as "since!""#,
        before,
        now,
        now - CLAIM_TIMEOUT
    )
    .fetch_optional(pool)
    .await?;
    Ok(claimed.and_then(|row| {
        Some(UnusedFile {
            name: FileName::from_hash(&row.hash)?,
            since: row.since,
        })
    }))
}

/// Forgets a claimed file, which is removed. A row that was claimed by somebody else since stays.
pub async fn delete(pool: &PgPool, unused: &UnusedFile) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "delete from listings.picture where hash = $1 and removing_since = $2",
        unused.name.hash(),
        unused.since
    )
    .execute(pool)
    .await?;
    Ok(())
}
