//! Who voted on a listing, for staff.

use kit::network::Network;
use serde::{Deserialize, Serialize};
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::domain::rankings::BoardKind;
use crate::domain::vote;

/// Which votes on a listing are listed.
#[derive(Debug, Clone, Copy)]
pub struct ListingVotes {
    pub kind: BoardKind,
    pub listing: Uuid,
    pub since: OffsetDateTime,
}

/// The rows of a list.
#[derive(Debug, Clone, Copy)]
pub enum Rows {
    /// Each network in which votes count, and each older account.
    Networks,
    /// Each site in which votes count, and each older account.
    Sites,
    /// Each voter who voted from a network.
    VotersFrom(Network),
}

/// Voters of a listing: those of a network or site in which they count, or one voter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListingVoters {
    /// Part of the sort key: the network, or the id of the voter.
    pub name: String,
    /// The network or site; that of the latest vote of one voter.
    pub network: String,
    /// The id, if it is one voter.
    pub voter: Option<Uuid>,
    /// Whether it is one account whose votes did not count in their networks.
    pub is_older_account: bool,
    pub voters: i64,
    /// How many of them have void votes.
    pub void: i64,
    /// When the first of them was first seen; the vote of that time may be removed already.
    pub first_seen_at: OffsetDateTime,
    /// Stored votes for the listing.
    pub wins: i64,
    /// Stored votes for the other listing of a pair.
    pub losses: i64,
    /// All stored votes of the voters, or those that count in the network, on any listing.
    pub votes: i64,
}

/// The sort key of a row: whether all its votes are void, the votes on the listing, and the name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key(bool, i64, String);

impl From<&ListingVoters> for Key {
    fn from(row: &ListingVoters) -> Self {
        Self(row.void == row.voters, row.wins + row.losses, row.name.clone())
    }
}

/// The number of votes on a listing, or `most` if there are more.
pub async fn count(pool: &PgPool, votes: ListingVotes, most: i64) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select count(*) as "votes!" from (
               select from catalogue.vote where kind = $1 and low = $2 and day >= $3 and at >= $4 and low_won is not null
               union all
               select from catalogue.vote where kind = $1 and high = $2 and day >= $3 and at >= $4 and low_won is not null
               limit $5
           ) as counted"#,
        votes.kind.as_str(),
        votes.listing,
        votes.first_day(),
        votes.since,
        most
    )
    .fetch_one(pool)
    .await
}

impl ListingVotes {
    /// The first day that votes of this time may have: that of a draw, shortly before the vote.
    fn first_day(&self) -> time::Date {
        vote::day(self.since - Duration::DAY)
    }
}

/// Voters with stored votes on a listing, at most `limit` rows behind the row `after`.
///
/// Rows whose votes are all void come last, and among the others those with the most votes on the
/// listing come first.
pub async fn list(
    pool: &PgPool,
    votes: ListingVotes,
    rows: Rows,
    after: Option<&Key>,
    limit: i64,
) -> Result<Vec<ListingVoters>, sqlx::Error> {
    let from = match rows {
        Rows::VotersFrom(network) => Some(network.to_string()),
        Rows::Networks | Rows::Sites => None,
    };
    sqlx::query_as!(
        ListingVoters,
        r#"with side as (
               select *, low_won as won from catalogue.vote
               where kind = $1 and low = $2 and day >= $3 and at >= $4 and low_won is not null
               union all
               select *, not low_won from catalogue.vote
               where kind = $1 and high = $2 and day >= $3 and at >= $4 and low_won is not null
           ), named as (
               select side.*,
                   case when $5::text is not null or not in_network then voter_id::text when $6 then site else network end collate "C" as name,
                   in_network and exists (
                       select from catalogue.void_network as void where void.network in (side.network, side.site)
                   ) as is_void
               from side where $5 is null or $5 in (network, site)
           ), by_voter as (
               select name, voter_id, bool_and(is_void) as is_void, bool_or(in_network) as in_network, min(site) as site,
                   (array_agg(network order by at desc))[1] as network,
                   count(*) filter (where won) as wins, count(*) filter (where not won) as losses
               from named group by name, voter_id
           ), grouped as (
               select name, bool_or(in_network) as in_network, min(by_voter.site) as site, min(by_voter.network) as network,
                   count(*) as voters, count(*) filter (where is_void or voter.voided_at is not null) as void,
                   (array_agg(voter_id))[1] as voter, min(voter.first_seen_at) as first_seen_at,
                   sum(wins)::bigint as wins, sum(losses)::bigint as losses
               from by_voter join catalogue.voter on voter.id = voter_id group by name
           ), listed as (
               select *, void = voters as is_void, wins + losses as on_listing, name in (network, site) as is_network from grouped
           )
           select name as "name!", case when is_network then name else network end as "network!",
               case when voters = 1 then voter end as voter, not in_network as "is_older_account!",
               voters as "voters!", void as "void!", first_seen_at as "first_seen_at!", wins as "wins!", losses as "losses!",
               case when is_network then (
                   select count(low_won) from catalogue.vote
                   where in_network and vote.site = listed.site and listed.name in (vote.network, vote.site)
               ) else (
                   select count(low_won) from catalogue.vote where voter_id = listed.voter
               ) end as "votes!"
           from listed
           where $7::boolean is null or (is_void, -on_listing, name) > ($7, -$8::bigint, $9::text)
           order by is_void, on_listing desc, name limit $10"#,
        votes.kind.as_str(),
        votes.listing,
        votes.first_day(),
        votes.since,
        from,
        matches!(rows, Rows::Sites),
        after.map(|Key(is_void, ..)| *is_void),
        after.map(|Key(_, votes, _)| *votes),
        after.map(|Key(_, _, name)| name.as_str()),
        limit
    )
    .fetch_all(pool)
    .await
}
