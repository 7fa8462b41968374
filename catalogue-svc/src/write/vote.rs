//! A vote (§2.5).

use contracts::catalogue::v1 as proto;
use kit::feed::{ApplyError, ApplyResult, NewChange};
use kit::pg::RowLock;
use kit::{Code, Fault, ids};
use prost::Message as _;
use sqlx::PgConnection;
use time::{Duration, OffsetDateTime, Time};

use super::{Outcome, happening};
use crate::domain::rankings::Hour;
use crate::domain::vote::{self, Vote};
use crate::store::voters;
use crate::store::votes;

/// Takes a vote. That of a voter whose votes are void is stored and counts nowhere.
pub(super) async fn cast(
    connection: &mut PgConnection,
    vote: &Vote,
    votes_per_address: i32,
    now: OffsetDateTime,
) -> ApplyResult<Outcome> {
    let voided = match voters::lock_for_vote(connection, vote.voter.id).await? {
        RowLock::Acquired(voided) => voided,
        RowLock::Busy => return Err(ApplyError::Busy),
        RowLock::NotFound => {
            if !voters::insert(connection, &vote.voter, now).await? {
                return Err(ApplyError::Busy);
            }
            false
        }
    };
    if !votes::insert(connection, vote, now).await? {
        return Ok((Outcome::Repeated, Vec::new()));
    }
    if let Some(network) = &vote.voter.network {
        let day = vote::day(now);
        if !voters::count_network(connection, network, day, votes_per_address).await? {
            return Err(too_many(votes_per_address, now).into());
        }
    }
    let counted = (!voided).then(|| counted(vote, now));
    Ok((Outcome::Voted, counted.into_iter().collect()))
}

fn too_many(votes_per_address: i32, now: OffsetDateTime) -> Fault {
    let tomorrow = now.replace_time(Time::MIDNIGHT) + Duration::DAY;
    let message = format!(
        "{votes_per_address} votes without an account have come from this address today. Sign in, or come back tomorrow (UTC)."
    );
    Fault {
        retry_after: u32::try_from((tomorrow - now).whole_seconds() + 1).ok(),
        ..Fault::new(Code::RateLimited, message)
    }
}

fn counted(vote: &Vote, now: OffsetDateTime) -> NewChange {
    let state = proto::Vote {
        kind: vote.kind.as_str().to_owned(),
        winner_id: vote.winner.to_string(),
        loser_id: vote.loser.to_string(),
        hour: Hour::of(now).0,
    };
    let id = ids::row_id().to_string();
    happening("vote", "cast", id, state.encode_to_vec())
}
