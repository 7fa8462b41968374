//! `catalogue.vote`.

use std::collections::HashSet;

use kit::network::Network;
use sqlx::{PgConnection, PgPool};
use time::{Date, OffsetDateTime, Time};
use uuid::Uuid;

use super::tallies::HourVotes;
use crate::domain::rankings::BoardKind;
use crate::domain::vote::{Pair, Vote};

/// Stores a vote. `false`: the voter has judged the pair today already.
pub async fn insert(
    connection: &mut PgConnection,
    vote: &Vote,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let Pair { low, high } = vote.pair;
    let inserted = sqlx::query!(
        "insert into catalogue.vote (voter_id, day, low, high, low_won, in_network, kind, at, network, site)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict do nothing",
        vote.voter.id,
        vote.day,
        low,
        high,
        vote.winner.map(|winner| winner == low),
        vote.voter.counts_in_network,
        vote.kind.as_str(),
        now,
        vote.voter.network.to_string(),
        vote.voter.network.site().to_string()
    )
    .execute(connection)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

/// The number of votes that a voter has cast since the beginning of an hour, and since that of its day (UTC), including the vote just stored.
pub async fn count_since(
    connection: &mut PgConnection,
    voter: Uuid,
    hour: OffsetDateTime,
) -> Result<(i64, i64), sqlx::Error> {
    let midnight = hour.replace_time(Time::MIDNIGHT);
    // A vote cast after midnight may be on a pair that was drawn before midnight, and then has the day before.
    let counts = sqlx::query!(
        r#"select count(*) filter (where at >= $2 and at < $2 + interval '1 hour') as "hour!", count(*) as "day!" from catalogue.vote
           where voter_id = $1 and day >= $4 and at >= $3 and at < $3 + interval '1 day'"#,
        voter,
        hour,
        midnight,
        midnight.date().previous_day()
    )
    .fetch_one(connection)
    .await?;
    Ok((counts.hour, counts.day))
}

/// The pairs of a kind that a voter has judged on a day.
pub async fn judged(
    pool: &PgPool,
    voter: Uuid,
    kind: BoardKind,
    day: Date,
) -> Result<HashSet<Pair>, sqlx::Error> {
    let pairs = sqlx::query_as!(
        Pair,
        "select low, high from catalogue.vote where voter_id = $1 and day = $2 and kind = $3",
        voter,
        day,
        kind.as_str(),
    )
    .fetch_all(pool)
    .await?;
    Ok(pairs.into_iter().collect())
}

/// The stored votes of a voter, except those that voids of networks cover.
pub async fn of_voter(
    connection: &mut PgConnection,
    voter: Uuid,
) -> Result<Vec<HourVotes>, sqlx::Error> {
    sqlx::query_as!(
        HourVotes,
        r#"select listing_id as "listing_id!", kind as "kind!", hour as "hour!", sum(wins) as "wins!", sum(losses) as "losses!"
           from catalogue.listing_vote as vote
           where voter_id = $1 and not (in_network and exists (
               select from catalogue.void_network as void where void.network in (vote.network, vote.site)
           ))
           group by listing_id, kind, hour"#,
        voter
    )
    .fetch_all(connection)
    .await
}

/// The stored votes that count in a network, except those that voids of voters or of other networks
/// cover.
pub async fn of_network(
    connection: &mut PgConnection,
    network: Network,
) -> Result<Vec<HourVotes>, sqlx::Error> {
    sqlx::query_as!(
        HourVotes,
        r#"select listing_id as "listing_id!", kind as "kind!", hour as "hour!", sum(wins) as "wins!", sum(losses) as "losses!"
           from catalogue.listing_vote as vote join catalogue.voter on voter.id = vote.voter_id and voter.voided_at is null
           where in_network and site = $1 and $2 in (vote.network, vote.site) and not exists (
               select from catalogue.void_network as other where other.network in (vote.network, vote.site) and other.network <> $2
           )
           group by listing_id, kind, hour"#,
        network.site().to_string(),
        network.to_string()
    )
    .fetch_all(connection)
    .await
}

/// Removes votes that were cast before this moment, at most `portion` of them.
pub async fn remove_before(
    pool: &PgPool,
    oldest: OffsetDateTime,
    portion: i64,
) -> Result<u64, sqlx::Error> {
    let removed = sqlx::query!(
        "delete from catalogue.vote where ctid = any (array(select ctid from catalogue.vote where at < $1 limit $2))",
        oldest,
        portion
    )
    .execute(pool)
    .await?;
    Ok(removed.rows_affected())
}
