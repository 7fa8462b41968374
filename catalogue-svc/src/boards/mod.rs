//! The ranking boards in memory, next to the listings. One writer holds a lock; readers take no lock.
//!
//! The boards have three inputs. Votes come from the catalogue's own feed ([`crate::feeds::vote_feed`]), listings from the follower of the
//! listings feed ([`crate::feeds::listings`]), and windows move with the clock: the first reader in a new hour advances the boards to it.

mod draw;
mod place;
mod previous;
mod ranked_list;
mod samples;
mod standings;
mod tally_change;
mod view;
mod votable;

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwap;
use contracts::common::v1::Change;
use kit::feed::Position;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::listing::Mode;
use crate::domain::rankings::{BoardKind, Hour, Window};
use crate::domain::vote::Pair;
use crate::index::{Creator, Game, ReplacedRows, Snapshot};
use samples::{Samples, every};
use standings::Standings;

pub use place::Place;
pub use previous::{PreviousRanks, Ranks};
pub use standings::{KindView, Tallies};
pub use tally_change::TallyChange;
pub use view::{ModeView, Ranked, View};
pub use votable::{Card, Votable};

/// The inputs of the boards other than listings, at a position of the catalogue's own feed.
#[derive(Debug)]
pub struct CastVotes {
    /// The last change that the tallies include.
    pub position: Position,
    /// Tallies of games.
    pub games: Tallies,
    /// Tallies of creators.
    pub creators: Tallies,
    /// The ranks in the snapshot before the latest.
    pub previous: PreviousRanks,
}

impl CastVotes {
    /// No votes, at the beginning of a feed.
    pub fn none() -> Self {
        Self {
            position: Position {
                epoch: Uuid::nil(),
                seq: 0,
            },
            games: Tallies::new(),
            creators: Tallies::new(),
            previous: PreviousRanks::default(),
        }
    }
}

/// The current boards, and their writer.
#[derive(Debug)]
pub struct Boards {
    writer: Mutex<BoardWriter>,
    view: ArcSwap<View>,
}

#[derive(Debug)]
struct BoardWriter {
    position: Position,
    hour: Hour,
    games: Standings<Game>,
    creators: Standings<Creator>,
    previous: PreviousRanks,
    samples: Samples,
    /// The boards of the samples.
    test: ModeView,
}

impl Boards {
    /// The boards of these votes at `now`, without listings yet.
    ///
    /// # Errors
    /// The sample votes in the binary do not parse.
    pub fn new(votes: CastVotes, now: OffsetDateTime) -> anyhow::Result<Self> {
        let hour = Hour::of(now);
        let writer = BoardWriter {
            position: votes.position,
            hour,
            games: Standings::new(Vec::new(), votes.games, hour),
            creators: Standings::new(Vec::new(), votes.creators, hour),
            previous: votes.previous,
            samples: Samples::new()?,
            test: ModeView::default(),
        };
        Ok(Self {
            view: ArcSwap::from_pointee(writer.view()),
            writer: Mutex::new(writer),
        })
    }

    /// The last change of the catalogue's own feed that the boards include.
    pub fn position(&self) -> Position {
        self.writer().position
    }

    /// The boards at `now`.
    pub fn view(&self, now: OffsetDateTime) -> Arc<View> {
        let hour = Hour::of(now);
        let view = self.view.load_full();
        if view.hour == hour {
            return view;
        }
        self.change(|writer| writer.advance_to(hour));
        self.view.load_full()
    }

    /// Replaces all votes.
    pub fn reset(&self, votes: CastVotes) {
        self.change(|writer| {
            let (games, creators) = (writer.games.rows(), writer.creators.rows());
            writer.games = Standings::new(games, votes.games, writer.hour);
            writer.creators = Standings::new(creators, votes.creators, writer.hour);
            writer.previous = votes.previous;
            writer.position = votes.position;
        });
    }

    /// Applies changes of the catalogue's own feed up to the sequence number `reached`. Changes that were applied before are skipped. A new
    /// snapshot brings the ranks of the one before it, `previous`.
    pub fn apply(&self, changes: &[Change], reached: i64, previous: Option<PreviousRanks>) {
        self.change(|writer| {
            let held = writer.position.seq;
            for change in changes.iter().filter(|change| change.seq > held) {
                match TallyChange::read(change) {
                    Ok(changes) => changes.iter().for_each(|change| writer.count(change)),
                    Err(error) => {
                        metrics::counter!("catalogue_changes_rejected_total").increment(1);
                        tracing::error!(
                            seq = change.seq,
                            reason = format!("{error:#}"),
                            "skipped a change of votes that cannot be decoded"
                        );
                    }
                }
            }
            writer.position.seq = writer.position.seq.max(reached);
            if let Some(previous) = previous {
                writer.previous = previous;
            }
        });
    }

    /// Replaces the public listings by those of `snapshot`.
    pub fn set_listings(&self, snapshot: &Snapshot) {
        self.change(|writer| {
            let live = snapshot.dataset(Mode::Live);
            writer.games.set_rows(live.games.search(&every()).rows);
            writer
                .creators
                .set_rows(live.creators.search(&every()).rows);
            writer.relist_samples(snapshot);
        });
    }

    /// Applies that listings became public, stopped being public, or have new rows in `snapshot`.
    pub fn replace(&self, replaced_rows: ReplacedRows, snapshot: &Snapshot) {
        if replaced_rows.is_empty() {
            return;
        }
        self.change(|writer| {
            let samples = replaced_rows.is_in(Mode::Test);
            for (old, new) in replaced_rows.games {
                let (old, new) = (live(old), live(new));
                writer.games.replace(old.as_ref(), new);
            }
            for (old, new) in replaced_rows.creators {
                let (old, new) = (live(old), live(new));
                writer.creators.replace(old.as_ref(), new);
            }
            if samples {
                writer.relist_samples(snapshot);
            }
        });
    }

    /// Draws two live listings of different creators for a voter who has `judged` these pairs. Among listings with equally many votes, the
    /// draw begins at the number `start`.
    pub fn draw<L: Ranked>(
        &self,
        now: OffsetDateTime,
        start: u32,
        judged: &HashSet<Pair>,
    ) -> Option<(Arc<L>, Arc<L>)> {
        let view = self.view(now);
        draw::draw(&view.live.of::<L>().candidates, start, judged)
    }

    /// The live listings of a board in the order that it had when the hour `due` began.
    pub fn ranking_at(&self, kind: BoardKind, window: Window, due: Hour) -> Vec<Uuid> {
        let writer = self.writer();
        match kind {
            BoardKind::Games => writer.games.ranking_at(window, due),
            BoardKind::Creators => writer.creators.ranking_at(window, due),
        }
    }

    /// A public live game and its wins of the week.
    pub fn game(&self, id: Uuid) -> Option<(Arc<Game>, u32)> {
        let writer = self.writer();
        let wins = writer.games.record(id, Window::Week).wins;
        Some((Arc::clone(writer.games.row(id)?), wins))
    }

    /// A public live creator and its wins of the week.
    pub fn creator(&self, id: Uuid) -> Option<(Arc<Creator>, u32)> {
        let writer = self.writer();
        let wins = writer.creators.record(id, Window::Week).wins;
        Some((Arc::clone(writer.creators.row(id)?), wins))
    }

    fn change(&self, change: impl FnOnce(&mut BoardWriter)) {
        let mut writer = self.writer();
        change(&mut writer);
        // Under the lock, so that no older view replaces a newer one.
        self.view.store(Arc::new(writer.view()));
    }

    fn writer(&self) -> MutexGuard<'_, BoardWriter> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BoardWriter {
    fn view(&self) -> View {
        View {
            hour: self.hour,
            live: ModeView {
                games: self.games.kind().clone(),
                creators: self.creators.kind().clone(),
                previous: self.previous.clone(),
            },
            test: self.test.clone(),
        }
    }

    fn count(&mut self, change: &TallyChange) {
        let TallyChange {
            kind,
            listing,
            hour,
            wins,
            losses,
        } = *change;
        match kind {
            BoardKind::Games => self.games.count(listing, hour, wins, losses),
            BoardKind::Creators => self.creators.count(listing, hour, wins, losses),
        }
    }

    fn advance_to(&mut self, hour: Hour) {
        self.hour = hour;
        self.games.advance_to(hour);
        self.creators.advance_to(hour);
        self.test = self.samples.boards(hour);
    }

    fn relist_samples(&mut self, snapshot: &Snapshot) {
        self.samples.set_rows(snapshot);
        self.test = self.samples.boards(self.hour);
    }
}

/// The row, if it is in the live dataset.
fn live<L>(listed: Option<(Mode, L)>) -> Option<L> {
    listed.and_then(|(mode, row)| (mode == Mode::Live).then_some(row))
}
