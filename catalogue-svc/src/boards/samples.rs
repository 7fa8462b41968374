//! The boards that test keys see (§5.3): sample votes from the binary, dated back from the last 04:00 UTC, on the sample listings.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::Context as _;
use serde::Deserialize;

use super::previous::{PreviousRanks, Ranks};
use super::standings::{Standings, Tallies};
use super::votable::Votable;
use super::{KindView, ModeView};
use crate::domain::listing::Mode;
use crate::domain::rankings::{Hour, Window};
use crate::index::{Creator, Game, Query, Snapshot};

const FILE: &str = include_str!("../../sample/votes.ndjson");

/// A line of the file.
#[derive(Debug, Clone, Deserialize)]
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

/// The sample votes, and the sample listings that are public.
#[derive(Debug)]
pub(super) struct Samples {
    votes: Vec<SampleVote>,
    games: Vec<Arc<Game>>,
    creators: Vec<Arc<Creator>>,
}

impl Samples {
    /// The votes in the binary.
    pub(super) fn new() -> anyhow::Result<Self> {
        let votes = FILE.lines().map(serde_json::from_str);
        let votes: Result<_, _> = votes.collect();
        Ok(Self {
            votes: votes.context("sample/votes.ndjson")?,
            games: Vec::new(),
            creators: Vec::new(),
        })
    }

    /// Replaces the sample listings. There are few, so all are replaced whenever one may have changed.
    pub(super) fn set_rows(&mut self, snapshot: &Snapshot) {
        let dataset = snapshot.dataset(Mode::Test);
        self.games = dataset.games.search(&every()).rows;
        self.creators = dataset.creators.search(&every()).rows;
    }

    /// The boards in an hour.
    pub(super) fn boards(&self, now: Hour) -> ModeView {
        let mut previous = PreviousRanks::default();
        ModeView {
            games: self.kind(&self.games, now, &mut previous),
            creators: self.kind(&self.creators, now, &mut previous),
            previous,
        }
    }

    fn kind<L: Votable>(
        &self,
        rows: &[Arc<L>],
        now: Hour,
        previous: &mut PreviousRanks,
    ) -> KindView<L> {
        let latest = last_snapshot(now);
        let ids: HashMap<&str, _> = (rows.iter())
            .map(|row| (&**row.address(), *row.id()))
            .collect();
        let mut tallies = Tallies::new();
        let votes = self.votes.iter();
        for vote in votes.filter(|vote| vote.kind == L::KIND.as_str()) {
            let hour = latest.before(vote.hours_ago);
            for (name, wins, losses) in [(&vote.winner, 1, 0), (&vote.loser, 0, 1)] {
                if let Some(id) = ids.get(name.as_str()) {
                    let tally = tallies.entry(*id).or_default();
                    tally.add(hour, wins, losses);
                }
            }
        }
        let standings = Standings::new(rows.to_vec(), tallies, now);
        for window in Window::ALL {
            let order = standings.ranking_at(window, latest.before(24));
            previous.set(L::KIND, window, Ranks::of(order));
        }
        standings.kind().clone()
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
