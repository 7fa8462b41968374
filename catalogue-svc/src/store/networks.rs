//! `catalogue.network_day` and `catalogue.void_network`: votes by where they come from.

use kit::network::Network;
use sqlx::{PgConnection, PgPool};
use time::{Date, OffsetDateTime};

/// Votes that count in a network on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NetworkVotes {
    /// All of them.
    pub votes: i64,
    /// Those of one bucket.
    pub votes_of_bucket: i64,
}

/// Locks the site of a network, so that no vote that counts in it is cast while staff void or
/// restore the network.
pub async fn lock(connection: &mut PgConnection, network: Network) -> Result<(), sqlx::Error> {
    kit::pg::lock_key(connection, &key(network)).await
}

/// Locks the site of a network against [`lock`], and not against other votes. Returns whether votes
/// of the network are void.
pub async fn lock_shared(
    connection: &mut PgConnection,
    network: Network,
) -> Result<bool, sqlx::Error> {
    kit::pg::lock_key_shared(connection, &key(network)).await?;
    // A statement of its own: it sees a void that was committed while the first one waited.
    sqlx::query_scalar!(
        r#"select exists (select from catalogue.void_network where network in ($1, $2)) as "is_void!""#,
        network.to_string(),
        network.site().to_string()
    )
    .fetch_one(connection)
    .await
}

fn key(network: Network) -> String {
    format!("votes of {}", network.site())
}

/// Voids the votes of a network, or lets them count again. Returns false if they were void, or
/// counted, before.
pub async fn set_voided(
    connection: &mut PgConnection,
    network: Network,
    voided_at: Option<OffsetDateTime>,
) -> Result<bool, sqlx::Error> {
    let network = network.to_string();
    let statement = match voided_at {
        Some(at) => sqlx::query!(
            "insert into catalogue.void_network (network, voided_at) values ($1, $2) on conflict do nothing",
            network,
            at
        ),
        None => sqlx::query!("delete from catalogue.void_network where network = $1", network),
    };
    Ok(statement.execute(connection).await?.rows_affected() == 1)
}

/// Counts a vote of a bucket. Returns the votes in the network on this day before it.
///
/// Votes of the same bucket wait for each other; those of other buckets that are not committed yet
/// are not seen.
pub async fn count(
    connection: &mut PgConnection,
    network: Network,
    day: Date,
    bucket: i16,
) -> Result<NetworkVotes, sqlx::Error> {
    let network = network.to_string();
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

/// The votes of a bucket of a network on a day.
pub async fn bucket_votes(
    pool: &PgPool,
    network: Network,
    day: Date,
    bucket: i16,
) -> Result<i64, sqlx::Error> {
    let votes = sqlx::query_scalar!(
        "select votes from catalogue.network_day where network = $1 and day = $2 and bucket = $3",
        network.to_string(),
        day,
        bucket
    )
    .fetch_optional(pool)
    .await?;
    Ok(votes.unwrap_or_default().into())
}

/// Removes the counts of the days before this one.
pub async fn remove_days(pool: &PgPool, before: Date) -> Result<u64, sqlx::Error> {
    let removed = sqlx::query!("delete from catalogue.network_day where day < $1", before)
        .execute(pool)
        .await?;
    Ok(removed.rows_affected())
}
