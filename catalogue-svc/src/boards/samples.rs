//! The boards that test keys see (§5.3): sample votes from the binary, dated back from the last 04:00 UTC, on the sample listings.

use std::sync::Arc;

use anyhow::Context as _;
use serde::Deserialize;

use super::TallyChange;
use super::previous::{PreviousRanks, Ranks};
use super::view::ModeView;
use super::votable::Votable;
use crate::domain::rankings::{Hour, Window};
use crate::domain::tally::Tallies;
use crate::index::{Creator, Dataset, Game, Query};

const FILE: &str = include_str!("../../sample/votes.ndjson");

/// A line of the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SampleVote {
    /// `games` or `creators`.
    kind: String,
    /// Slugs or handles.
    winner: String,
    loser: String,
    /// Hours before the last 04:00 UTC.
    hours_ago: u32,
}

/// The sample votes.
#[derive(Debug)]
pub(super) struct Samples(Vec<SampleVote>);

impl Samples {
    /// The votes in the binary.
    pub(super) fn new() -> anyhow::Result<Self> {
        let votes = FILE.lines().map(serde_json::from_str);
        let votes: Result<_, _> = votes.collect();
        Ok(Self(votes.context("sample/votes.ndjson")?))
    }

    /// The boards of the sample listings in an hour.
    pub(super) fn boards(&self, listings: &Dataset, now: Hour) -> ModeView {
        let latest = last_snapshot(now);
        let sums = |mut tallies: Tallies| {
            self.count::<Game>(&mut tallies, listings, latest);
            self.count::<Creator>(&mut tallies, listings, latest);
            Arc::new(tallies)
        };
        let before = sums(Tallies::at_start_of(latest.before(24)));
        let before = ModeView::build(before, listings, PreviousRanks::default());
        let mut previous = PreviousRanks::default();
        for window in Window::ALL {
            previous.set(Game::KIND, window, Ranks::of(before.games.order(window)));
            let creators = before.creators.order(window);
            previous.set(Creator::KIND, window, Ranks::of(creators));
        }
        ModeView::build(sums(Tallies::new(now)), listings, previous)
    }

    fn count<L: Votable>(&self, tallies: &mut Tallies, listings: &Dataset, latest: Hour) {
        let votes = self.0.iter();
        for vote in votes.filter(|vote| vote.kind == L::KIND.as_str()) {
            for (name, wins, losses) in [(&vote.winner, 1, 0), (&vote.loser, 0, 1)] {
                if let Some(row) = L::index(listings).get(name) {
                    tallies.add(&TallyChange {
                        kind: L::KIND,
                        listing: *row.id(),
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

/// A query for every row of a list.
pub(super) fn every<K>() -> Query<K> {
    Query {
        limit: usize::MAX,
        ..Query::default()
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn votes_are_dated_back_from_the_last_snapshot() {
        for (now, latest) in [
            (
                datetime!(2026-03-02 04:00 UTC),
                datetime!(2026-03-02 04:00 UTC),
            ),
            (
                datetime!(2026-03-02 03:59 UTC),
                datetime!(2026-03-01 04:00 UTC),
            ),
            (
                datetime!(2026-03-02 23:30 UTC),
                datetime!(2026-03-02 04:00 UTC),
            ),
        ] {
            assert_eq!(last_snapshot(Hour::of(now)).start(), latest);
        }
    }
}
