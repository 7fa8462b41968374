//! `catalogue.vote`.

use std::collections::HashSet;

use sqlx::{PgConnection, PgPool};
use time::{Date, OffsetDateTime, Time};
use uuid::Uuid;

use crate::domain::rankings::{BoardKind, Hour};
use crate::domain::tally::TallyChange;
use crate::domain::vote::{Pair, Vote};

/// Stores a vote. `false`: the voter has judged the pair today already.
pub async fn insert(
    connection: &mut PgConnection,
    vote: &Vote,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let Pair { low, high } = vote.pair;
    let inserted = sqlx::query!(
        "insert into catalogue.vote (voter_id, day, low, high, low_won, kind, at) values ($1, $2, $3, $4, $5, $6, $7)
         on conflict do nothing",
        vote.voter.id,
        vote.day,
        low,
        high,
        vote.winner.map(|winner| winner == low),
        vote.kind.as_str(),
        now
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
        r#"select count(*) filter (where at >= $2) as "hour!", count(*) as "day!" from catalogue.vote
           where voter_id = $1 and day >= $4 and at >= $3"#,
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

/// The changes that the stored votes of a voter have made to tallies, and the number of these votes.
pub async fn tally_changes_by(
    connection: &mut PgConnection,
    voter: Uuid,
) -> Result<(Vec<TallyChange>, u64), sqlx::Error> {
    let rows = sqlx::query!(
        r#"select kind as "kind!", listing_id as "listing_id!", extract(epoch from date_bin('1 hour', at, 'epoch'))::bigint / 3600 as "hour!",
               count(*) filter (where won) as "wins!", count(*) filter (where not won) as "losses!"
           from (
               select kind, low as listing_id, low_won as won, at from catalogue.vote where voter_id = $1 and low_won is not null
               union all
               select kind, high, not low_won, at from catalogue.vote where voter_id = $1 and low_won is not null
           ) as of_voter
           group by 1, 2, 3 order by 3, 2"#,
        voter
    )
    .fetch_all(connection)
    .await?;
    let changes = rows.into_iter().filter_map(|row| {
        Some(TallyChange {
            kind: BoardKind::parse(&row.kind)?,
            listing: row.listing_id,
            hour: Hour(u32::try_from(row.hour).unwrap_or_default()),
            wins: row.wins,
            losses: row.losses,
        })
    });
    let changes: Vec<TallyChange> = changes.collect();
    let votes = changes.iter().map(|change| change.wins).sum::<i64>();
    Ok((changes, u64::try_from(votes).unwrap_or_default()))
}

/// A listing that new voters have voted for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewlyFavoured {
    /// The kind of the listing.
    pub kind: BoardKind,
    /// The id of the listing.
    pub listing: Uuid,
    /// Votes of new voters for the listing.
    pub wins: u64,
    /// New voters who voted for it, at most 20, those with the most such votes first.
    pub voters: Vec<Uuid>,
}

/// Listings that voters first seen since a moment have voted for. Votes that are void do not count.
pub async fn by_new_voters(
    pool: &PgPool,
    since: OffsetDateTime,
) -> Result<Vec<NewlyFavoured>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"select kind, listing_id as "listing_id!", sum(votes)::bigint as "wins!",
               (array_agg(voter_id order by votes desc, voter_id))[:20] as "voters!"
           from (
               select vote.kind, case when low_won then low else high end as listing_id, voter_id, count(*) as votes
               from catalogue.voter join catalogue.vote on vote.voter_id = voter.id
               where voter.first_seen_at > $1 and voter.voided_at is null and low_won is not null
               group by 1, 2, 3
           ) as wins
           group by kind, listing_id"#,
        since
    )
    .fetch_all(pool)
    .await?;
    let favoured = rows.into_iter().filter_map(|row| {
        Some(NewlyFavoured {
            kind: BoardKind::parse(&row.kind)?,
            listing: row.listing_id,
            wins: u64::try_from(row.wins).unwrap_or_default(),
            voters: row.voters,
        })
    });
    Ok(favoured.collect())
}

/// A voter with very many votes in an hour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BusyVoter {
    /// The id of an account or a cookie.
    pub id: Uuid,
    /// The network in which a cookie was first seen; `None` for an account.
    pub network: Option<String>,
    /// When the first vote was cast.
    pub first_seen_at: OffsetDateTime,
    /// The most votes within an hour.
    pub votes: i64,
}

/// Voters with more than `most` votes within one hour since a moment, at most 100, those with the most votes first; without voters whose votes
/// are void.
pub async fn busy_voters(
    pool: &PgPool,
    since: OffsetDateTime,
    most: i64,
) -> Result<Vec<BusyVoter>, sqlx::Error> {
    // Any hour touches two hours of the clock, one of which has at least half of its votes: only voters with such an hour of the clock are
    // counted exactly.
    sqlx::query_as!(
        BusyVoter,
        r#"with suspect as (
               select distinct voter_id from (
                   select voter_id from catalogue.vote where at > $1
                   group by voter_id, date_bin('1 hour', at, 'epoch') having count(*) * 2 > $2
               ) as busy
           ),
           busy as (
               select voter_id, max(votes) as votes from (
                   select voter_id, count(*) over (
                       partition by voter_id order by at range between interval '1 hour' preceding and current row
                   ) as votes
                   from catalogue.vote where voter_id in (select voter_id from suspect) and at > $1
               ) as hours
               group by voter_id having max(votes) > $2
           )
           select voter.id, voter.network, voter.first_seen_at, busy.votes as "votes!"
           from busy join catalogue.voter on voter.id = busy.voter_id
           where voter.voided_at is null
           order by busy.votes desc, voter.id limit 100"#,
        since,
        most
    )
    .fetch_all(pool)
    .await
}

/// Removes votes that were cast before this moment, at most `portion` of them. Void ones are counted, since a restore cannot bring them back.
///
/// It waits for voids and restores of these voters that are under way: a void that has subtracted a vote from the tallies would otherwise
/// not know that the vote is gone. A row that was locked is read as its last transaction left it.
pub async fn remove_before(
    pool: &PgPool,
    oldest: OffsetDateTime,
    portion: i64,
) -> Result<u64, sqlx::Error> {
    let removed = sqlx::query_scalar!(
        r#"with old as materialized (
               select ctid, voter_id from catalogue.vote where at < $1 limit $2
           ),
           locked as materialized (
               select id, voided_at from catalogue.voter where id in (select voter_id from old) order by id for no key update
           ),
           removed as (
               delete from catalogue.vote where ctid = any (array(select ctid from old))
               returning voter_id, low_won
           ),
           lost as (
               update catalogue.voter set lost = lost + of_voter.votes
               from (
                   select locked.id, count(low_won)::integer as votes
                   from removed join locked on locked.id = removed.voter_id and locked.voided_at is not null
                   group by locked.id
               ) as of_voter
               where voter.id = of_voter.id
           )
           select count(*) as "removed!" from removed"#,
        oldest,
        portion
    )
    .fetch_one(pool)
    .await?;
    Ok(u64::try_from(removed).unwrap_or_default())
}
