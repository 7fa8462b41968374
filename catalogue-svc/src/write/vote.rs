//! A vote (§2.5).

use kit::feed::Producer;
use kit::{Code, Fault};
use sqlx::PgConnection;
use time::{Duration, OffsetDateTime, Time};

use crate::domain::rankings::Hour;
use crate::domain::vote::{self, Vote, Voter};
use crate::store::{tallies, voters, votes};

/// The votes of an IPv6 /48 on a day, as a multiple of those of a /64 network.
const SITE: i32 = 5;

#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Votes with cookies from an IPv4 address in a day (UTC). A mobile network has thousands of phones behind one address.
    pub ipv4_daily: i32,
    /// Votes with cookies from an IPv6 network (/64) in a day (UTC).
    pub ipv6_daily: i32,
    /// Votes of a voter in an hour of the clock.
    pub hourly: i64,
    pub daily: i64,
}

/// Stores a vote, and adds it to the tallies. Returns false if the voter has judged the pair today already. A vote for neither, and that of a voter
/// whose votes are void, is only stored.
///
/// # Errors
/// A limit is reached, or PostgreSQL is unavailable.
pub async fn cast(producer: &Producer, vote: &Vote, limits: Limits) -> Result<bool, Fault> {
    let mut transaction = producer.begin().await?;
    let now = transaction.now;
    let is_void = lock_voter(&mut transaction, &vote.voter, now).await?;
    let is_new = votes::insert(&mut transaction, vote, now).await?;
    if is_new {
        // The counts include this vote: a vote that they refuse is rolled back.
        check_voter(&mut transaction, vote, limits, now).await?;
        check_networks(&mut transaction, vote, limits, now).await?;
        if !is_void {
            let stored = Some((vote.day, vote.pair));
            tallies::add(&mut transaction, vote.voter.id, stored, 1).await?;
        }
    }
    transaction.commit(&[]).await?;
    Ok(is_new)
}

/// Locks the row of a voter, and adds it for a new one. Returns whether the votes of the voter are void.
async fn lock_voter(
    connection: &mut PgConnection,
    voter: &Voter,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let mut locked = voters::lock(connection, voter.id).await?;
    // Another vote of a new voter may be first: the insert waits for it.
    if locked.is_none() && !voters::insert(connection, voter, now).await? {
        locked = voters::lock(connection, voter.id).await?;
    }
    Ok(locked.unwrap_or_default())
}

async fn check_voter(
    connection: &mut PgConnection,
    vote: &Vote,
    limits: Limits,
    now: OffsetDateTime,
) -> Result<(), Fault> {
    let hour = Hour::containing(now);
    let (in_hour, in_day) = votes::count_since(connection, vote.voter.id, hour.start()).await?;
    if in_day > limits.daily {
        let message =
            format!("This voter has cast {} votes today. Come back tomorrow (UTC).", limits.daily);
        return Err(too_many(message, tomorrow(now) - now));
    }
    if in_hour > limits.hourly {
        let message = format!(
            "This voter has cast {} votes in this hour. Come back in the next.",
            limits.hourly
        );
        return Err(too_many(message, hour.next().start() - now));
    }
    Ok(())
}

/// Counts a vote with a cookie in its networks. Of the pair of a bucket, the turn must not have ended long ago.
async fn check_networks(
    connection: &mut PgConnection,
    vote: &Vote,
    limits: Limits,
    now: OffsetDateTime,
) -> Result<(), Fault> {
    let Voter { network, site, .. } = &vote.voter;
    let network_daily = match site {
        Some(_) => limits.ipv6_daily,
        None => limits.ipv4_daily,
    };
    let networks = [(network, network_daily), (site, limits.ipv6_daily.saturating_mul(SITE))];
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
            return Err(too_many(message, tomorrow(now) - now));
        }
        // The last network is the one that draws.
        votes_of_bucket = before.votes_of_bucket;
    }
    let is_current = |turn| vote::is_current(turn, votes_of_bucket);
    if !vote.turn.is_none_or(is_current) {
        let reason = "Others at this address have judged pairs since then. Draw another.";
        return Err(Fault::invalid_field("draw", reason));
    }
    Ok(())
}

/// The next midnight (UTC).
fn tomorrow(now: OffsetDateTime) -> OffsetDateTime {
    Hour::containing(now).start().replace_time(Time::MIDNIGHT) + Duration::DAY
}

fn too_many(message: String, wait: Duration) -> Fault {
    Fault {
        retry_after: u32::try_from(wait.whole_seconds() + 1).ok(),
        ..Fault::new(Code::RateLimited, message)
    }
}
