//! The boards that test keys see (§5.3): sample votes from the binary, dated relative to the last 04:00 UTC, on the sample listings.

use std::sync::Arc;

use anyhow::Context as _;
use serde::Deserialize;

use super::sorted::DatasetBoards;
use super::vote_counts::VoteCounts;
use crate::domain::rankings::{BoardKind, Hour, Window};
use crate::domain::ranks::{PreviousRanks, Ranks};
use crate::domain::tally::{Tallies, TallyChange};
use crate::index::{Dataset, Snapshot};
use kit::Mode;

const FILE: &str = include_str!("../../sample/votes.ndjson");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SampleVote {
    kind: BoardKind,
    /// Slugs or handles.
    winner: String,
    loser: String,
    /// Hours before the last 04:00 UTC.
    hours_ago: u32,
}

#[derive(Debug)]
pub(super) struct Samples(Vec<SampleVote>);

impl Samples {
    pub(super) fn new() -> anyhow::Result<Self> {
        let votes: Result<_, _> = FILE.lines().map(serde_json::from_str).collect();
        Ok(Self(votes.context("sample/votes.ndjson")?))
    }

    /// The boards of the sample listings, in the hour of the live `votes`.
    pub(super) fn boards(&self, votes: &VoteCounts, snapshot: &Snapshot) -> DatasetBoards {
        let listings = snapshot.dataset(Mode::Test);
        let latest = last_snapshot(votes.tallies.hour());
        let sort = |mut tallies: Tallies, previous| {
            self.count(&mut tallies, listings, latest);
            let votes = VoteCounts { tallies: Arc::new(tallies), previous };
            DatasetBoards::sort(votes, snapshot.position, listings)
        };
        let before = Tallies::at_start_of(latest.before(24));
        let before = sort(before, PreviousRanks::default());
        let mut previous = PreviousRanks::default();
        for kind in BoardKind::ALL {
            for window in Window::ALL {
                let ranks = Ranks::new(&before.board(kind, window).order());
                previous.insert(kind, window, ranks);
            }
        }
        sort(Tallies::new(votes.tallies.hour()), previous)
    }

    fn count(&self, tallies: &mut Tallies, listings: &Dataset, latest: Hour) {
        for vote in &self.0 {
            for (name, wins, losses) in [(&vote.winner, 1, 0), (&vote.loser, 0, 1)] {
                if let Some(listing) = listings.votable(vote.kind, name) {
                    tallies.add(&TallyChange {
                        kind: vote.kind,
                        listing: listing.id(),
                        hour: latest.before(vote.hours_ago),
                        wins,
                        losses,
                    });
                }
            }
        }
    }
}

/// The last 04:00 UTC.
fn last_snapshot(now: Hour) -> Hour {
    now.before((now.0 + 24 - 4) % 24)
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn votes_are_dated_back_from_the_last_snapshot() {
        for (now, latest) in [
            (datetime!(2026-03-02 04:00 UTC), datetime!(2026-03-02 04:00 UTC)),
            (datetime!(2026-03-02 03:59 UTC), datetime!(2026-03-01 04:00 UTC)),
            (datetime!(2026-03-02 23:30 UTC), datetime!(2026-03-02 04:00 UTC)),
        ] {
            assert_eq!(last_snapshot(Hour::containing(now)).start(), latest);
        }
    }
}
