//! What a change on the catalogue's own feed does to the tallies of listings.

use anyhow::Context as _;
use contracts::catalogue::v1 as proto;
use contracts::common::v1::Change;
use prost::Message as _;
use uuid::Uuid;

use crate::domain::rankings::{BoardKind, Hour};

/// Votes of an hour for and against a listing that count from now on; negative ones count no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TallyChange {
    /// What the listing is.
    pub kind: BoardKind,
    /// Which one.
    pub listing: Uuid,
    /// When the votes were cast.
    pub hour: Hour,
    /// Votes for it.
    pub wins: i64,
    /// Votes for the other one.
    pub losses: i64,
}

impl TallyChange {
    /// What a vote does.
    pub fn of_vote(kind: BoardKind, winner: Uuid, loser: Uuid, hour: Hour) -> [Self; 2] {
        [(winner, 1, 0), (loser, 0, 1)].map(|(listing, wins, losses)| Self {
            kind,
            listing,
            hour,
            wins,
            losses,
        })
    }

    /// What a change of the feed does; nothing, when it is about something else.
    ///
    /// # Errors
    /// The change is damaged.
    pub fn read(change: &Change) -> anyhow::Result<Vec<Self>> {
        let context = || format!("change {} of the catalogue", change.seq);
        match change.entity.as_str() {
            "vote" => {
                let vote = proto::Vote::decode(change.state.clone()).with_context(context)?;
                let (winner, loser) = (vote.winner_id.parse(), vote.loser_id.parse());
                let votes = Self::of_vote(
                    kind(&vote.kind).with_context(context)?,
                    winner.with_context(context)?,
                    loser.with_context(context)?,
                    Hour(vote.hour),
                );
                Ok(votes.into())
            }
            "voter" => {
                let voter = proto::TallyChanges::decode(change.state.clone());
                let changes = voter.with_context(context)?.changes.into_iter();
                changes
                    .map(|change| Self::decode(&change).with_context(context))
                    .collect()
            }
            _ => Ok(Vec::new()),
        }
    }

    /// As it travels on the feed.
    pub fn encode(&self) -> proto::TallyChange {
        proto::TallyChange {
            kind: self.kind.as_str().to_owned(),
            listing_id: self.listing.to_string(),
            hour: self.hour.0,
            wins: self.wins,
            losses: self.losses,
        }
    }

    fn decode(change: &proto::TallyChange) -> anyhow::Result<Self> {
        Ok(Self {
            kind: kind(&change.kind)?,
            listing: change.listing_id.parse()?,
            hour: Hour(change.hour),
            wins: change.wins,
            losses: change.losses,
        })
    }
}

fn kind(name: &str) -> anyhow::Result<BoardKind> {
    BoardKind::parse(name).with_context(|| format!("`{name}` has no board"))
}
