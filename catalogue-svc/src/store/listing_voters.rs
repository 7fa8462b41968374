//! Who voted on a listing, for staff.

use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::rankings::BoardKind;

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
    /// The number of all voters of the listing.
    pub total: i64,
}

/// Voters with stored votes on a listing, those with the most votes on it first; at most `limit`.
///
/// It reads all votes once: staff call it seldom, and an index by listing would make every vote more expensive.
pub async fn list(
    pool: &PgPool,
    kind: BoardKind,
    listing: Uuid,
    limit: i64,
) -> Result<Vec<ListingVoter>, sqlx::Error> {
    sqlx::query_as!(
        ListingVoter,
        r#"with named as (
               select voter_id, count(*) filter (where (low = $2) = low_won) as wins,
                   count(*) filter (where (low = $2) <> low_won) as losses
               from catalogue.vote where kind = $1 and (low = $2 or high = $2) and low_won is not null group by voter_id
           )
           select voter.id, voter.network, voter.first_seen_at, voter.voided_at is not null as "is_void!",
               named.wins as "wins!", named.losses as "losses!",
               (select count(low_won) from catalogue.vote where voter_id = voter.id) as "votes!", count(*) over () as "total!"
           from named join catalogue.voter on voter.id = named.voter_id
           order by named.wins + named.losses desc, voter.id limit $3"#,
        kind.as_str(),
        listing,
        limit
    )
    .fetch_all(pool)
    .await
}
