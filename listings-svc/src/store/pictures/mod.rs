//! The records of uploaded pictures, and the listings that name them.

pub mod uploads;

use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::entity::Entity;
use crate::domain::listing_name::ListingName;
use crate::domain::pictures::FileName;

/// Who reads a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    Public,
    /// A member of this account.
    Member(Uuid),
    Staff,
}

/// Registers a picture before its files are stored. Returns whether they may be: staff have not purged the picture.
pub async fn register(
    pool: &PgPool,
    name: &FileName,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    // Waits for a sweep that is deleting the same picture.
    let registered = sqlx::query!(
        "insert into listings.picture (hash, uploaded_at) values ($1, $2)
         on conflict (hash) do update set uploaded_at = excluded.uploaded_at where picture.purged_at is null",
        name.hash(),
        now
    );
    Ok(registered.execute(pool).await?.rows_affected() > 0)
}

/// Stores which pictures these listings name: pairs of an id and a hash, in two lists.
///
/// The pictures that a listing gets are locked against the sweep and a purge. Returns those of them
/// that do not exist. A picture that the stored content names elsewhere stays: in a field that only
/// a later version knows.
pub async fn set_named(
    connection: &mut PgConnection,
    listings: &[Uuid],
    (ids, hashes): (&[Uuid], &[String]),
) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"with named as (select * from unnest($2::uuid[], $3::text[]) as named (listing_id, hash)),
         removed as (
             delete from listings.listing_picture using listings.listing
             where listing.id = listing_id and listing_id = any($1)
                 and position('/pictures/' || hash in listing.content::text) = 0
         ),
         added as (
             select listing_id, hash from named
             except
             select listing_id, hash from listings.listing_picture where listing_id = any($1)
         ),
         found as (
             select hash from listings.picture where hash in (select hash from added) and purged_at is null for share
         ),
         saved as (
             insert into listings.listing_picture (listing_id, hash)
             select listing_id, hash from added where hash in (select hash from found)
         )
         select distinct hash as "hash!" from added where hash not in (select hash from found)"#,
        listings,
        ids,
        hashes
    )
    .fetch_all(connection)
    .await
}

/// Those of these pictures that exist. They are locked against the sweep and a purge.
pub async fn lock_existing(
    connection: &mut PgConnection,
    hashes: &[String],
) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar!(
        "select hash from listings.picture where hash = any($1) and purged_at is null order by hash for share",
        hashes
    )
    .fetch_all(connection)
    .await
}

/// Whether a reader may see a picture.
///
/// The public sees the pictures that a visible listing names, the members of an account the pictures of its listings too, and staff all
/// pictures. Nobody sees a picture that staff have purged.
pub async fn may_see(pool: &PgPool, reader: Reader, name: &FileName) -> Result<bool, sqlx::Error> {
    let account = match reader {
        Reader::Member(account) => Some(account),
        Reader::Public | Reader::Staff => None,
    };
    sqlx::query_scalar!(
        r#"select exists (select from listings.picture where hash = $1 and purged_at is null) and ($2 or exists (
               select from listings.listing_picture join listings.listing on listing.id = listing_id
               where hash = $1 and (
                   state = 'published' and not hidden_by_page
                   or coalesce(page_id, listing.id) in (select page_id from listings.page_owner where account_id = $3)
               )
           )) as "may_see!""#,
        name.hash(),
        reader == Reader::Staff,
        account
    )
    .fetch_one(pool)
    .await
}

/// The listings that name a picture, in any state.
pub async fn listings(pool: &PgPool, name: &FileName) -> Result<Vec<ListingName>, sqlx::Error> {
    let rows = sqlx::query!(
        "select entity, mode, name from listings.listing_picture join listings.listing on listing.id = listing_id where hash = $1",
        name.hash()
    )
    .fetch_all(pool)
    .await?.into_iter().filter_map(|row| {
        Some(ListingName {
            entity: row.entity.parse::<Entity>().ok()?,
            mode: row.mode.parse().ok()?,
            key: row.name,
        })
    });
    Ok(rows.collect())
}

/// The pictures that no listing names, among those last uploaded before `before`.
pub async fn unnamed(pool: &PgPool, before: OffsetDateTime) -> Result<Vec<FileName>, sqlx::Error> {
    let hashes = sqlx::query_scalar!(
        "select hash from listings.picture
         where uploaded_at < $1 and purged_at is null
             and not exists (select from listings.listing_picture where listing_picture.hash = picture.hash)",
        before
    )
    .fetch_all(pool)
    .await?;
    Ok(file_names(&hashes))
}

/// Deletes the record of a picture that was last uploaded before `before` and that no listing names. Returns whether it has.
///
/// The row then stays locked until the transaction ends. A picture that another transaction has locked is left out.
pub async fn delete_unnamed(
    connection: &mut PgConnection,
    name: &FileName,
    before: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let locked = sqlx::query_scalar!(
        "select hash from listings.picture
         where hash = $1 and uploaded_at < $2 and purged_at is null for update skip locked",
        name.hash(),
        before
    );
    if locked.fetch_optional(&mut *connection).await?.is_none() {
        return Ok(false);
    }
    // The transaction stays idle while the file store deletes.
    sqlx::query!("set local idle_in_transaction_session_timeout = '2min'")
        .execute(&mut *connection)
        .await?;
    // Asks again under the lock: a listing may name the picture since.
    let deleted = sqlx::query!(
        "delete from listings.picture where hash = $1 and not exists (select from listings.listing_picture where hash = $1)",
        name.hash()
    );
    Ok(deleted.execute(connection).await?.rows_affected() > 0)
}

/// Marks a picture as purged. Returns whether it was not; `None` for an unknown picture. Waits for a transaction in which a listing gets it.
pub async fn mark_purged(
    connection: &mut PgConnection,
    name: &FileName,
    now: OffsetDateTime,
) -> Result<Option<bool>, sqlx::Error> {
    let found = sqlx::query_scalar!(
        r#"select purged_at is not null as "is_purged!" from listings.picture where hash = $1 for update"#,
        name.hash()
    );
    let Some(is_purged) = found.fetch_optional(&mut *connection).await? else {
        return Ok(None);
    };
    if !is_purged {
        let purged = sqlx::query!(
            "update listings.picture set purged_at = $2 where hash = $1",
            name.hash(),
            now
        );
        purged.execute(connection).await?;
    }
    Ok(Some(!is_purged))
}

/// The pictures that were purged after `after`.
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
    Ok(file_names(&hashes))
}

fn file_names(hashes: &[String]) -> Vec<FileName> {
    let names = hashes.iter().filter_map(|hash| FileName::from_hash(hash));
    names.collect()
}
