//! What is known of the files of pictures.

use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;

use crate::domain::picture::{Name, Pair};

/// Writes down that the files of a picture are about to be stored, or are sent once more.
pub async fn know(pool: &PgPool, pair: &Pair, now: OffsetDateTime) -> Result<(), sqlx::Error> {
    let (mut hashes, mut widths, mut heights, mut sizes) = (vec![], vec![], vec![], vec![]);
    let mut both = [&pair.large, &pair.small];
    // In one order, so that two who send the same do not stand in each other's way; a small picture may be both.
    both.sort_by(|a, b| a.name.cmp(&b.name));
    for made in both {
        hashes.push(made.name.hash().to_owned());
        widths.push(i32::try_from(made.width).unwrap_or(i32::MAX));
        heights.push(i32::try_from(made.height).unwrap_or(i32::MAX));
        sizes.push(i64::try_from(made.bytes.len()).unwrap_or(i64::MAX));
    }
    sqlx::query!(
        "insert into listings.picture (hash, width, height, size, made_at)
         select distinct on (hash) hash, width, height, size, $5
         from unnest($1::text[], $2::integer[], $3::integer[], $4::bigint[]) as row (hash, width, height, size)
         order by hash
         on conflict (hash) do update set made_at = excluded.made_at",
        &hashes,
        &widths,
        &heights,
        &sizes,
        now
    )
    .execute(pool)
    .await?;
    Ok(())
}

/// Marks files as named by a listing, for good. Says whether all of them are still there; `None`: somebody else has one of them locked.
pub async fn mark_used(
    connection: &mut PgConnection,
    names: &[Name],
) -> Result<Option<bool>, sqlx::Error> {
    let hashes: Vec<String> = names.iter().map(|name| name.hash().to_owned()).collect();
    let held = sqlx::query_scalar!(
        "select hash from listings.picture where hash = any($1)
         order by hash for no key update skip locked",
        &hashes
    )
    .fetch_all(&mut *connection)
    .await?;
    let present = sqlx::query_scalar!(
        "select hash from listings.picture where hash = any($1)",
        &hashes
    )
    .fetch_all(&mut *connection)
    .await?;
    if held.len() < present.len() {
        return Ok(None);
    }
    sqlx::query!(
        "update listings.picture set used = true where hash = any($1) and not used",
        &hashes
    )
    .execute(connection)
    .await?;
    Ok(Some(hashes.iter().all(|hash| present.contains(hash))))
}

/// Forgets up to `limit` files that no listing names and that were last sent before `before`. Whoever sends one of them again meanwhile
/// waits until this transaction has ended, and then stores it anew.
pub async fn forget_unused(
    connection: &mut PgConnection,
    before: OffsetDateTime,
    limit: i64,
) -> Result<Vec<Name>, sqlx::Error> {
    let hashes = sqlx::query_scalar!(
        "delete from listings.picture where hash in (
             select hash from listings.picture where not used and made_at < $1
             order by made_at limit $2 for update skip locked
         )
         returning hash",
        before,
        limit
    )
    .fetch_all(connection)
    .await?;
    Ok(hashes
        .iter()
        .filter_map(|hash| Name::from_hash(hash))
        .collect())
}
