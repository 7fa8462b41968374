//! Encodes and decodes changes of tallies as messages of the catalogue's own feed.

use anyhow::Context as _;
use contracts::catalogue::v1 as proto;
use contracts::common::v1::Change;
use prost::Message as _;

use crate::domain::rankings::{BoardKind, Hour};
use crate::domain::tally::TallyChange;

/// The changes of tallies that a change of the feed makes; empty if it is not about votes.
///
/// # Errors
/// The change cannot be decoded.
pub fn read(change: &Change) -> anyhow::Result<Vec<TallyChange>> {
    let context = || format!("change {} of the catalogue", change.seq);
    match change.entity.as_str() {
        "vote" => {
            let vote = proto::Vote::decode(change.state.clone()).with_context(context)?;
            let (winner, loser) = (vote.winner_id.parse(), vote.loser_id.parse());
            let changes = TallyChange::of_vote(
                kind(&vote.kind).with_context(context)?,
                winner.with_context(context)?,
                loser.with_context(context)?,
                Hour(vote.hour),
            );
            Ok(changes.into())
        }
        "voter" => {
            let voter = proto::TallyChanges::decode(change.state.clone());
            let changes = voter.with_context(context)?.changes.into_iter();
            changes
                .map(|change| decode(&change).with_context(context))
                .collect()
        }
        _ => Ok(Vec::new()),
    }
}

/// The message of a change.
pub fn encode(change: &TallyChange) -> proto::TallyChange {
    proto::TallyChange {
        kind: change.kind.as_str().to_owned(),
        listing_id: change.listing.to_string(),
        hour: change.hour.0,
        wins: change.wins,
        losses: change.losses,
    }
}

fn decode(change: &proto::TallyChange) -> anyhow::Result<TallyChange> {
    Ok(TallyChange {
        kind: kind(&change.kind)?,
        listing: change.listing_id.parse()?,
        hour: Hour(change.hour),
        wins: change.wins,
        losses: change.losses,
    })
}

fn kind(name: &str) -> anyhow::Result<BoardKind> {
    BoardKind::parse(name).with_context(|| format!("`{name}` has no board"))
}
