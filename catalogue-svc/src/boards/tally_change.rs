//! The change of tallies that a change on the catalogue's own feed brings.

use anyhow::Context as _;
use contracts::catalogue::v1 as proto;
use contracts::common::v1::Change;
use prost::Message as _;
use uuid::Uuid;

use crate::domain::rankings::{BoardKind, Hour};
use crate::domain::vote::TallyChange;

impl TallyChange {
    /// The changes that a vote makes.
    pub fn of_vote(kind: BoardKind, winner: Uuid, loser: Uuid, hour: Hour) -> [Self; 2] {
        [(winner, 1, 0), (loser, 0, 1)].map(|(listing, wins, losses)| Self {
            kind,
            listing,
            hour,
            wins,
            losses,
        })
    }

    /// The changes that a change of the feed makes. None, if it is not about votes.
    ///
    /// # Errors
    /// The change cannot be decoded.
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

    /// The message on the feed.
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
