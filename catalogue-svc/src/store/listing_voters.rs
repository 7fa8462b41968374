//! Who voted on a listing, for staff.

use serde::{Deserialize, Serialize};
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::rankings::BoardKind;

/// Voters of a listing: the cookies of a network, or one voter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListingVoters {
    /// Part of the sort key: the network, or the id of the voter.
    pub name: String,
    /// The network in which the cookies were first seen; `None` for an account.
    pub network: Option<String>,
    pub voters: Vec<Uuid>,
    /// How many of them have void votes.
    pub void: i64,
    /// When the first of them was first seen; the vote of that time may be removed already.
    pub first_seen_at: OffsetDateTime,
    /// Stored votes for the listing.
    pub wins: i64,
    /// Stored votes for the other listing of a pair.
    pub losses: i64,
    /// All stored votes of the voters, on any listing.
    pub votes: i64,
}

/// The sort key of a row: whether all its votes are void, the votes on the listing, and the name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key(bool, i64, String);

impl From<&ListingVoters> for Key {
    fn from(row: &ListingVoters) -> Self {
        let is_void = row.void == i64::try_from(row.voters.len()).unwrap_or(i64::MAX);
        Self(is_void, row.wins + row.losses, row.name.clone())
    }
}

/// Voters with stored votes on a listing, at most `limit` rows behind the row `after`.
///
/// There is a row for each network and each account, or for each cookie of `network`. Rows whose votes are all void come last, and among the others
/// those with the most votes on the listing come first.
///
/// It reads all votes once: staff call it seldom, and an index by listing would make every vote more expensive.
pub async fn list(
    pool: &PgPool,
    (kind, listing): (BoardKind, Uuid),
    network: Option<&str>,
    after: Option<&Key>,
    limit: i64,
) -> Result<Vec<ListingVoters>, sqlx::Error> {
    sqlx::query_as!(
        ListingVoters,
        r#"with named as (
               select voter_id, sum(wins) as wins, sum(losses) as losses
               from catalogue.listing_vote where kind = $1 and listing_id = $2 group by voter_id
           ), grouped as (
               select case when $3::text is null then coalesce(voter.network, voter.id::text) else voter.id::text end collate "C" as name,
                   min(voter.network) as network, array_agg(voter.id) as voters, count(voter.voided_at) as void,
                   min(voter.first_seen_at) as first_seen_at, sum(named.wins)::bigint as wins, sum(named.losses)::bigint as losses
               from named join catalogue.voter on voter.id = named.voter_id
               where $3 is null or voter.network = $3
               group by 1
           ), listed as (
               select *, void = cardinality(voters) as is_void, wins + losses as on_listing from grouped
           )
           select name as "name!", network, voters as "voters!", void as "void!", first_seen_at as "first_seen_at!",
               wins as "wins!", losses as "losses!",
               (select count(low_won) from catalogue.vote where voter_id = any (listed.voters)) as "votes!"
           from listed
           where $4::boolean is null or (is_void, -on_listing, name) > ($4, -$5::bigint, $6::text)
           order by is_void, on_listing desc, name limit $7"#,
        kind.as_str(),
        listing,
        network,
        after.map(|Key(is_void, ..)| *is_void),
        after.map(|Key(_, votes, _)| *votes),
        after.map(|Key(_, _, name)| name.as_str()),
        limit
    )
    .fetch_all(pool)
    .await
}
