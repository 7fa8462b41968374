//! A vote (§2.5).

use kit::{Code, Fault};
use sqlx::PgConnection;
use time::{Duration, OffsetDateTime, Time};

use crate::domain::rankings::Hour;
use crate::domain::tally::TallyChange;
use crate::domain::vote::{self, Pair, Vote, Voter};
use crate::store::{tallies, voters, votes};

/// The votes of an IPv6 /48 on a day, as a multiple of those of a /64 network.
const SITE: i32 = 5;

/// Limits of votes.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Votes with cookies from an IPv4 address in a day (UTC). A mobile network has thousands of phones behind one address.
    pub ipv4_daily: i32,
    /// Votes with cookies from an IPv6 network (/64) in a day (UTC).
    pub ipv6_daily: i32,
    /// Votes of a voter in an hour of the clock.
    pub hourly: i64,
    /// Votes of a voter in a day (UTC).
    pub daily: i64,
}

/// Stores a vote and adds it to the tallies. A vote for neither, and that of a voter whose votes are void, is only stored.
pub(super) async fn cast(
    connection: &mut PgConnection,
    vote: &Vote,
    limits: Limits,
    now: OffsetDateTime,
) -> Result<bool, Fault> {
    let Voter { network, site, .. } = &vote.voter;
    let mut locked = voters::lock(connection, vote.voter.id).await?;
    // Another vote of a new voter may be first: the insert waits for it.
    if locked.is_none() && !voters::insert(connection, &vote.voter, now).await? {
        locked = voters::lock(connection, vote.voter.id).await?;
    }
    let is_void = locked.is_some_and(|voter| voter.is_void);
    if !votes::insert(connection, vote, now).await? {
        return Ok(false);
    }
    // The counts below include this vote: a vote that they refuse is rolled back.
    let hour = Hour::of(now);
    let tomorrow = hour.start().replace_time(Time::MIDNIGHT) + Duration::DAY;
    let (in_hour, in_day) = votes::count_since(connection, vote.voter.id, hour.start()).await?;
    if in_day > limits.daily {
        let message = format!(
            "This voter has cast {} votes today. Come back tomorrow (UTC).",
            limits.daily
        );
        return Err(too_many(message, tomorrow - now));
    }
    if in_hour > limits.hourly {
        let message = format!(
            "This voter has cast {} votes in this hour. Come back in the next.",
            limits.hourly
        );
        return Err(too_many(message, hour.next().start() - now));
    }
    let network_daily = match site {
        Some(_) => limits.ipv6_daily,
        None => limits.ipv4_daily,
    };
    let networks = [
        (network, network_daily),
        (site, limits.ipv6_daily.saturating_mul(SITE)),
    ];
    let bucket = vote::bucket(vote.voter.id);
    let mut votes_of_bucket = 0;
    for (network, most) in networks {
        let Some(network) = network else { continue };
        let before = voters::count_network(connection, network, vote.day, bucket).await?;
        if before.votes >= i64::from(most) {
            if vote.day < vote::day(now) {
                let reason = "The day of this pair has ended. Draw another.";
                return Err(Fault::invalid_field("draw", reason));
            }
            let message = format!(
                "{most} votes without an account have come from this address today. Sign in, or come back tomorrow (UTC)."
            );
            return Err(too_many(message, tomorrow - now));
        }
        // The last network is the one that draws.
        votes_of_bucket = before.votes_of_bucket;
    }
    if vote
        .turn
        .is_some_and(|turn| !vote::is_current(turn, votes_of_bucket))
    {
        let reason = "Others at this address have judged pairs meanwhile. Draw another.";
        return Err(Fault::invalid_field("draw", reason));
    }
    if let Some(winner) = vote.winner.filter(|_| !is_void) {
        let Pair { low, high } = vote.pair;
        let loser = if winner == low { high } else { low };
        let changes = TallyChange::of_vote(vote.kind, winner, loser, hour);
        tallies::add(connection, &changes).await?;
    }
    Ok(true)
}

fn too_many(message: String, wait: Duration) -> Fault {
    Fault {
        retry_after: u32::try_from(wait.whole_seconds() + 1).ok(),
        ..Fault::new(Code::RateLimited, message)
    }
}
