//! The records of picture files.

pub mod uploads;
pub mod uses;

use sqlx::{PgConnection, PgPool};
use time::{Duration, OffsetDateTime};

use crate::domain::pictures::{FileName, PictureSizes};

/// How long a claim of the sweep is valid: longer than the setting `pictures_deadline` may be. An older claim belongs to a sweep that was
/// interrupted.
pub const CLAIM_TIMEOUT: Duration = Duration::MINUTE;

/// Whether the files of a picture may be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Registration {
    Registered,
    /// The sweep is deleting one of them.
    BeingDeleted,
    /// Staff have purged the picture.
    Purged,
}

/// Registers the files of a picture before they are stored. `source` is the SHA-256 of the upload in hexadecimal.
pub async fn register(
    pool: &PgPool,
    picture: &PictureSizes,
    source: &str,
    now: OffsetDateTime,
) -> Result<Registration, sqlx::Error> {
    let (mut hashes, mut widths, mut heights, mut sizes) = (vec![], vec![], vec![], vec![]);
    let mut files = [&picture.large, &picture.small];
    // Sorted, so that two uploads of the same picture do not deadlock. The two sizes of a small picture may be the same file.
    files.sort_by(|a, b| a.name.cmp(&b.name));
    for file in files {
        hashes.push(file.name.hash().to_owned());
        widths.push(i32::try_from(file.width).unwrap_or(i32::MAX));
        heights.push(i32::try_from(file.height).unwrap_or(i32::MAX));
        sizes.push(i64::try_from(file.bytes.len()).unwrap_or(i64::MAX));
    }
    let mut transaction = pool.begin().await?;
    let rows = sqlx::query!(
        r#"insert into listings.picture (hash, width, height, size, made_at, source)
           select distinct on (hash) hash, width, height, size, $5, $7
           from unnest($1::text[], $2::integer[], $3::integer[], $4::bigint[]) as row (hash, width, height, size)
           order by hash
           on conflict (hash) do update set made_at = excluded.made_at, source = excluded.source,
               removing_since = case when picture.removing_since > $6 then picture.removing_since end
           returning removing_since is not null as "removing!",
               purged_at is not null or exists (
                   select from listings.picture as other where other.source = $7 and other.purged_at is not null
               ) as "purged!""#,
        &hashes,
        &widths,
        &heights,
        &sizes,
        now,
        now - CLAIM_TIMEOUT,
        source
    )
    .fetch_all(&mut *transaction)
    .await?;
    if rows.iter().any(|row| row.purged) {
        return Ok(Registration::Purged);
    }
    if rows.iter().any(|row| row.removing) {
        return Ok(Registration::BeingDeleted);
    }
    transaction.commit().await?;
    Ok(Registration::Registered)
}

/// Marks files as used by a listing, permanently. Returns whether all of them still exist.
pub async fn mark_used(
    connection: &mut PgConnection,
    names: &[FileName],
) -> Result<bool, sqlx::Error> {
    // A removal or a new order of pictures names no file.
    if names.is_empty() {
        return Ok(true);
    }
    let hashes: Vec<String> = names.iter().map(|name| name.hash().to_owned()).collect();
    let present = sqlx::query_scalar!(
        "select hash from listings.picture where hash = any($1) and removing_since is null and purged_at is null
         order by hash for no key update",
        &hashes
    )
    .fetch_all(&mut *connection)
    .await?;
    sqlx::query!(
        "update listings.picture set used = true
         where hash = any($1) and removing_since is null and purged_at is null and not used",
        &hashes
    )
    .execute(connection)
    .await?;
    Ok(hashes.iter().all(|hash| present.contains(hash)))
}

/// An unused file that the sweep has claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnusedFile {
    pub name: FileName,
    since: OffsetDateTime,
}

/// Claims an unused file that was last uploaded before `before`, for a sweep that began at `began`.
///
/// A file that this sweep has claimed is not claimed again. The statement is a transaction of its own: from now on, an upload of the same file is told to retry.
pub async fn claim_unused(
    pool: &PgPool,
    before: OffsetDateTime,
    began: OffsetDateTime,
    now: OffsetDateTime,
) -> Result<Option<UnusedFile>, sqlx::Error> {
    let claimed = sqlx::query!(
        r#"update listings.picture set removing_since = $2 where hash = (
               select hash from listings.picture
               where not used and purged_at is null and made_at < $1
                   and (removing_since is null or removing_since <= $3)
               order by made_at limit 1 for update skip locked
           )
           returning hash, removing_since as "since!""#,
        before,
        now,
        began - CLAIM_TIMEOUT
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

/// Deletes the record of a claimed file. A record that another sweep has claimed since stays.
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

/// A file that was made from an upload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendition {
    pub name: FileName,
    pub is_purged: bool,
    /// Whether a public listing has it, or had it.
    pub is_published: bool,
}

/// All files that were made from the upload of this file; empty for an unknown file.
pub async fn renditions(pool: &PgPool, name: &FileName) -> Result<Vec<Rendition>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"select hash, purged_at is not null as "is_purged!", published from listings.picture
           where hash = $1 or source = (select source from listings.picture where hash = $1) order by hash"#,
        name.hash()
    )
    .fetch_all(pool)
    .await?;
    let rows = rows.into_iter().filter_map(|row| {
        Some(Rendition {
            name: FileName::from_hash(&row.hash)?,
            is_purged: row.is_purged,
            is_published: row.published,
        })
    });
    Ok(rows.collect())
}

/// The file of the same picture that has this width; `None` if there is none, or it is the named file itself.
pub async fn rendition_of_width(
    pool: &PgPool,
    name: &FileName,
    width: i32,
) -> Result<Option<FileName>, sqlx::Error> {
    // A cover and a screenshot may come from one upload: another rendition is the same picture if it has the same shape, up to rounding.
    let hash = sqlx::query_scalar!(
        "select other.hash from listings.picture as named join listings.picture as other using (source)
         where named.hash = $1 and other.hash <> $1 and other.purged_at is null and abs(other.width - $2) <= 1
             and abs(other.height::bigint * named.width - named.height::bigint * other.width) <= named.width
         order by abs(other.width - $2), other.hash limit 1",
        name.hash(),
        width
    )
    .fetch_optional(pool)
    .await?;
    Ok(hash.and_then(|hash| FileName::from_hash(&hash)))
}

/// Marks files as purged; returns the number of those that were not. Waits for a transaction in which a listing gets one of them.
pub async fn mark_purged(
    connection: &mut PgConnection,
    names: &[FileName],
    now: OffsetDateTime,
) -> Result<u64, sqlx::Error> {
    let hashes: Vec<String> = names.iter().map(|name| name.hash().to_owned()).collect();
    let purged = sqlx::query!(
        "update listings.picture set purged_at = $2 where hash = any($1) and purged_at is null",
        &hashes,
        now
    )
    .execute(connection)
    .await?;
    Ok(purged.rows_affected())
}

/// The files that were purged after `after`.
pub async fn purged_after(
    pool: &PgPool,
    after: OffsetDateTime,
) -> Result<Vec<FileName>, sqlx::Error> {
    let hashes = sqlx::query_scalar!(
        "select hash from listings.picture where purged_at > $1 order by purged_at",
        after
    )
    .fetch_all(pool)
    .await?;
    let names = hashes.iter().filter_map(|hash| FileName::from_hash(hash));
    Ok(names.collect())
}
