//! Who voted on a listing, for staff.

use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::rankings::BoardKind;

/// Voters of a listing who pass every filter that is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VoterFilter {
    /// The kind of the listing.
    pub kind: BoardKind,
    /// The id of the listing.
    pub listing: Uuid,
    /// They were first seen after this moment.
    pub seen_after: Option<OffsetDateTime>,
    /// Their cookies were first seen in this block of addresses, such as `192.0.2.0/24`.
    pub block: Option<String>,
    /// At least this share of all their votes, in percent, is for the listing; or it is against it.
    pub min_share: i64,
    /// They have at least this many stored votes on the listing.
    pub min_votes: i64,
}

/// A voter of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListingVoter {
    /// The id of an account or a cookie.
    pub id: Uuid,
    /// The network in which a cookie was first seen; `None` for an account.
    pub network: Option<String>,
    /// When the first vote was cast.
    pub first_seen_at: OffsetDateTime,
    /// Whether the voter's votes are void.
    pub is_void: bool,
    /// Stored votes for the listing.
    pub wins: i64,
    /// Stored votes for the other listing of a pair.
    pub losses: i64,
    /// All stored votes of the voter, on any listing.
    pub votes: i64,
    /// The number of all voters who pass the filter.
    pub total: i64,
}

/// Voters with stored votes on a listing, those with the most votes on it first; at most `limit`, if it is given.
///
/// It reads all votes once: staff call it seldom, and an index by listing would make every vote more expensive.
pub async fn list(
    pool: &PgPool,
    filter: &VoterFilter,
    limit: Option<i64>,
) -> Result<Vec<ListingVoter>, sqlx::Error> {
    sqlx::query_as!(
        ListingVoter,
        r#"with named as (
               select voter_id, count(*) filter (where (low = $2) = low_won) as wins,
                   count(*) filter (where (low = $2) <> low_won) as losses
               from catalogue.vote where kind = $1 and (low = $2 or high = $2) and low_won is not null group by voter_id
           )
           select voter.id, voter.network, voter.first_seen_at, voter.voided_at is not null as "is_void!",
               named.wins as "wins!", named.losses as "losses!", all_votes.votes as "votes!", count(*) over () as "total!"
           from named join catalogue.voter on voter.id = named.voter_id
           cross join lateral (select count(low_won) as votes from catalogue.vote where voter_id = voter.id) as all_votes
           where ($3::timestamptz is null or voter.first_seen_at > $3)
               and ($4::text is null or voter.network::inet <<= $4::text::inet)
               and greatest(named.wins, named.losses) * 100 >= all_votes.votes * $5
               and named.wins + named.losses >= $7
           order by named.wins + named.losses desc, voter.id limit $6"#,
        filter.kind.as_str(),
        filter.listing,
        filter.seen_after,
        filter.block,
        filter.min_share,
        limit,
        filter.min_votes
    )
    .fetch_all(pool)
    .await
}
