//! `catalogue.voter` and `catalogue.network_day`.

use sqlx::{PgConnection, PgPool};
use time::{Date, OffsetDateTime};
use uuid::Uuid;

use crate::domain::vote::Voter;

/// Votes with cookies from a network on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NetworkVotes {
    /// All of them.
    pub votes: i64,
    /// Those of one bucket.
    pub votes_of_bucket: i64,
}

/// Locks a voter, so that votes of the voter are cast and voided one after the other. Returns whether the votes are void.
pub async fn lock(connection: &mut PgConnection, id: Uuid) -> Result<Option<bool>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select voided_at is not null as "is_void!" from catalogue.voter where id = $1 for update"#,
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

/// Voids the votes of a voter, or lets them count again.
pub async fn set_voided(
    connection: &mut PgConnection,
    id: Uuid,
    voided_at: Option<OffsetDateTime>,
) -> Result<(), sqlx::Error> {
    sqlx::query!("update catalogue.voter set voided_at = $2 where id = $1", id, voided_at)
        .execute(connection)
        .await?;
    Ok(())
}

/// The voters who were first seen in a network, those that `is_void` changes first, and the oldest of them first.
///
/// A call that is repeated after an interruption goes on where that one ended.
pub async fn of_network(
    pool: &PgPool,
    network: &str,
    is_void: bool,
) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar!(
        "select id from catalogue.voter where network = $1 order by (voided_at is not null) = $2, first_seen_at, id",
        network,
        is_void
    )
    .fetch_all(pool)
    .await
}

/// Counts a vote with a cookie of a bucket. Returns the votes from its network on this day before it.
///
/// Votes of the same bucket wait for each other; those of other buckets that are not committed yet are not seen.
pub async fn count_network(
    connection: &mut PgConnection,
    network: &str,
    day: Date,
    bucket: i16,
) -> Result<NetworkVotes, sqlx::Error> {
    sqlx::query!(
        "insert into catalogue.network_day as held (network, day, bucket, votes) values ($1, $2, $3, 1)
         on conflict (network, day, bucket) do update set votes = held.votes + 1",
        network,
        day,
        bucket
    )
    .execute(&mut *connection)
    .await?;
    // A statement of its own: it sees what was committed while the first one waited.
    sqlx::query_as!(
        NetworkVotes,
        r#"select sum(votes) - 1 as "votes!", sum(votes) filter (where bucket = $3) - 1 as "votes_of_bucket!"
           from catalogue.network_day where network = $1 and day = $2"#,
        network,
        day,
        bucket
    )
    .fetch_one(connection)
    .await
}

/// The votes with the cookies of a bucket of a network on a day.
pub async fn bucket_votes(
    pool: &PgPool,
    network: &str,
    day: Date,
    bucket: i16,
) -> Result<i64, sqlx::Error> {
    let votes = sqlx::query_scalar!(
        "select votes from catalogue.network_day where network = $1 and day = $2 and bucket = $3",
        network,
        day,
        bucket
    )
    .fetch_optional(pool)
    .await?;
    Ok(votes.unwrap_or_default().into())
}

/// Removes voters who were first seen before this moment, have no stored vote and are not void; at most `portion` of them.
pub async fn remove_without_votes(
    pool: &PgPool,
    seen_before: OffsetDateTime,
    portion: i64,
) -> Result<u64, sqlx::Error> {
    let mut transaction = kit::pg::begin(pool).await?;
    // A voter who is voting now is locked, and stays.
    let locked = sqlx::query_scalar!(
        "select id from catalogue.voter
         where first_seen_at < $1 and voided_at is null and not exists (select from catalogue.vote where voter_id = voter.id)
         limit $2 for update skip locked",
        seen_before,
        portion
    )
    .fetch_all(&mut *transaction)
    .await?;
    // A second statement sees the vote of a voter who voted while the first one ran.
    let removed = sqlx::query!(
        "delete from catalogue.voter where id = any ($1) and not exists (select from catalogue.vote where voter_id = voter.id)",
        &locked
    )
    .execute(&mut *transaction)
    .await?;
    transaction.commit().await?;
    Ok(removed.rows_affected())
}

/// Removes the counts of votes by network of the days before this one.
pub async fn remove_networks(pool: &PgPool, before: Date) -> Result<u64, sqlx::Error> {
    let removed = sqlx::query!("delete from catalogue.network_day where day < $1", before)
        .execute(pool)
        .await?;
    Ok(removed.rows_affected())
}
