//! A vote (§2.5).

use kit::feed::Producer;
use kit::network::Network;
use kit::{Code, Fault};
use sqlx::PgConnection;
use time::{Duration, OffsetDateTime, Time};

use crate::domain::drawer;
use crate::domain::rankings::Hour;
use crate::domain::vote::{self, Vote};
use crate::store::tallies::{self, HourVotes};
use crate::store::{networks, voters, votes};

#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Votes that count in an IPv4 address in a day (UTC). A mobile network has thousands of phones
    /// behind one address.
    pub ipv4_daily: u32,
    /// Votes that count in an IPv6 network (/64) in a day (UTC).
    pub ipv6_daily: u32,
    /// Votes of a voter in an hour of the clock.
    pub hourly: i64,
    pub daily: i64,
}

impl Limits {
    /// The networks in which a vote from this one counts, and the votes of a day in each.
    fn daily(&self, network: Network) -> impl Iterator<Item = (Network, u32)> + use<> {
        network.counted(if network.is_ipv4() { self.ipv4_daily } else { self.ipv6_daily })
    }
}

/// Stores a vote, and adds it to the tallies. Returns false if the voter has judged the pair today
/// already. A vote for neither, and one that is void with its voter or its network, is only stored.
///
/// # Errors
/// A limit is reached, or PostgreSQL is unavailable.
pub async fn cast(producer: &Producer, vote: &Vote, limits: Limits) -> Result<bool, Fault> {
    let mut transaction = producer.begin().await?;
    let now = transaction.now;
    let mut is_void = lock_voter(&mut transaction, vote, now).await?;
    if vote.voter.counts_in_network {
        is_void |= networks::lock_shared(&mut transaction, vote.voter.network).await?;
    }
    let is_new = votes::insert(&mut transaction, vote, now).await?;
    if is_new {
        // The counts include this vote: a vote that they refuse is rolled back.
        check_voter(&mut transaction, vote, limits, now).await?;
        if vote.voter.counts_in_network {
            check_networks(&mut transaction, vote, limits, now).await?;
        }
        if !is_void {
            let hour = Hour::containing(now);
            tallies::add(&mut transaction, &HourVotes::of_vote(vote, hour), 1, hour).await?;
        }
    }
    transaction.commit(&[]).await?;
    Ok(is_new)
}

/// Locks the row of a voter, and adds it for a new one. Returns whether the votes of the voter are void.
async fn lock_voter(
    connection: &mut PgConnection,
    vote: &Vote,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let voter = vote.voter.id;
    let mut locked = voters::lock(connection, voter).await?;
    // Another vote of a new voter may be first: the insert waits for it.
    if locked.is_none() && !voters::insert(connection, voter, now).await? {
        locked = voters::lock(connection, voter).await?;
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

/// Counts a vote in its networks, and rejects a pair that its bucket replaced more than once.
async fn check_networks(
    connection: &mut PgConnection,
    vote: &Vote,
    limits: Limits,
    now: OffsetDateTime,
) -> Result<(), Fault> {
    let network = vote.voter.network;
    let bucket = drawer::bucket(vote.voter.id);
    for (counted, most) in limits.daily(network) {
        let before = networks::count(connection, counted, vote.day, bucket).await?;
        if before.votes >= i64::from(most) {
            if vote.day < vote::day(now) {
                let reason = "The day of this pair has ended. Draw another.";
                return Err(Fault::invalid_field("draw", reason));
            }
            let message = format!(
                "{most} votes without an account, or with one younger than 30 days, have come from {counted} today. Come back tomorrow (UTC)."
            );
            return Err(too_many(message, tomorrow(now) - now));
        }
        if counted == network.site() && !vote.drawer.is_current(before.votes_of_bucket) {
            let reason = "Others at this address have judged pairs since then. Draw another.";
            return Err(Fault::invalid_field("draw", reason));
        }
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
