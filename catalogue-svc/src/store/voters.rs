//! `catalogue.voter` and `catalogue.network_day`.

use sqlx::{PgConnection, PgPool};
use time::{Date, OffsetDateTime};
use uuid::Uuid;

use crate::domain::vote::Voter;

/// A voter whose row is locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LockedVoter {
    /// Whether the votes are void.
    pub is_void: bool,
    /// Whether the network of a cookie is stored.
    pub has_network: bool,
}

/// Locks a voter, so that votes of the voter are cast and voided one after the other.
pub async fn lock(
    connection: &mut PgConnection,
    id: Uuid,
) -> Result<Option<LockedVoter>, sqlx::Error> {
    sqlx::query_as!(
        LockedVoter,
        r#"select voided_at is not null as "is_void!", network is not null as "has_network!"
           from catalogue.voter where id = $1 for update"#,
        id
    )
    .fetch_optional(connection)
    .await
}

/// Adds a new voter. Returns false if another transaction has just added the voter.
pub async fn insert(
    connection: &mut PgConnection,
    voter: &Voter,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let inserted = sqlx::query!(
        "insert into catalogue.voter (id, network, first_seen_at) values ($1, $2, $3) on conflict do nothing",
        voter.id,
        voter.network,
        now
    )
    .execute(connection)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

/// Stores the network of a cookie that votes again after its network was removed.
pub async fn set_network(
    connection: &mut PgConnection,
    id: Uuid,
    network: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update catalogue.voter set network = $2 where id = $1",
        id,
        network
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Voids the votes of a voter, or lets them count again.
pub async fn set_voided(
    connection: &mut PgConnection,
    id: Uuid,
    voided_at: Option<OffsetDateTime>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update catalogue.voter set voided_at = $2 where id = $1",
        id,
        voided_at
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// The voters who were first seen in a network, the oldest first.
pub async fn of_network(pool: &PgPool, network: &str) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar!(
        "select id from catalogue.voter where network = $1 order by first_seen_at, id",
        network
    )
    .fetch_all(pool)
    .await
}

/// Counts a vote with a cookie. Returns false if `most` votes were cast from its network on this day already. Votes whose transactions still
/// run are not seen: a vote waits for no other.
pub async fn count_network(
    connection: &mut PgConnection,
    network: &str,
    day: Date,
    most: i32,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"with unlocked as (
               select slot from catalogue.network_day where network = $1 and day = $2 limit 1 for update skip locked
           ), raised as (
               update catalogue.network_day as held set votes = held.votes + 1 from unlocked
               where held.network = $1 and held.day = $2 and held.slot = unlocked.slot
               returning held.slot
           ), added as (
               insert into catalogue.network_day (network, day, votes) select $1, $2, 1 where not exists (select from raised)
           )
           select coalesce(sum(votes), 0) < $3 as "is_below!" from catalogue.network_day where network = $1 and day = $2"#,
        network,
        day,
        i64::from(most)
    )
    .fetch_one(connection)
    .await
}

/// Removes the networks of voters who were first seen before this moment and have no stored vote; at most `portion` of them. The voters stay,
/// with the day on which they were first seen.
pub async fn remove_old_networks(
    pool: &PgPool,
    seen_before: OffsetDateTime,
    portion: i64,
) -> Result<u64, sqlx::Error> {
    // A voter who is voting now is locked, and stays.
    let removed = sqlx::query!(
        "update catalogue.voter set network = null where id in (
             select id from catalogue.voter
             where first_seen_at < $1 and network is not null
                 and not exists (select from catalogue.vote where voter_id = voter.id)
             limit $2 for update skip locked
         )",
        seen_before,
        portion
    )
    .execute(pool)
    .await?;
    Ok(removed.rows_affected())
}

/// Removes the counts of votes by network of the days before this one.
pub async fn remove_networks(pool: &PgPool, before: Date) -> Result<u64, sqlx::Error> {
    let removed = sqlx::query!("delete from catalogue.network_day where day < $1", before)
        .execute(pool)
        .await?;
    Ok(removed.rows_affected())
}
