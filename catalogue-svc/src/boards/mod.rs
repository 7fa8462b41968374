//! The ranking boards in memory, next to the listings. They are sorted again every few seconds; readers take no lock.
//!
//! The boards have three inputs: votes from the catalogue's own feed, the hour, both of which [`crate::feeds::vote_feed`] brings, and the
//! listings of the catalogue's newest snapshot. A reader adds what happened to listings since ([`Board`]).

mod board;
mod draw;
mod kind_view;
mod place;
mod previous;
mod samples;
mod tally_change;
mod view;
mod votable;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use contracts::common::v1::Change;
use kit::Fault;
use kit::feed::Position;
use rand::Rng;
use tokio::sync::{Mutex, MutexGuard};
use tokio::time::Instant;
use uuid::Uuid;

use crate::domain::listing::Mode;
use crate::domain::tally::Tallies;
use crate::domain::vote::Pair;
use crate::index::{Catalogue, Snapshot};
use samples::Samples;

pub use crate::domain::vote::TallyChange;
pub use board::Board;
pub use kind_view::KindView;
pub use place::Place;
pub use previous::{PreviousRanks, Ranks};
pub use view::{ModeView, View};
pub use votable::{Card, Votable};

/// The votes, at a position of the catalogue's own feed.
#[derive(Debug)]
pub struct CastVotes {
    /// The last change that the sums include.
    pub position: Position,
    /// Sums by listing.
    pub tallies: Arc<Tallies>,
    /// The ranks in the snapshot before the latest.
    pub previous: PreviousRanks,
}

impl CastVotes {
    /// No votes, at the beginning of a feed.
    pub fn none(tallies: Tallies) -> Self {
        Self {
            position: Position {
                epoch: Uuid::nil(),
                seq: 0,
            },
            tallies: Arc::new(tallies),
            previous: PreviousRanks::default(),
        }
    }

    /// Applies changes of the catalogue's own feed. Changes that were applied before are skipped.
    pub fn apply(&mut self, changes: &[Change]) {
        let applied = self.position.seq;
        let tallies = Arc::make_mut(&mut self.tallies);
        for change in changes.iter().filter(|change| change.seq > applied) {
            match TallyChange::read(change) {
                Ok(changes) => changes.iter().for_each(|change| tallies.add(change)),
                Err(error) => {
                    metrics::counter!("catalogue_changes_rejected_total").increment(1);
                    tracing::error!(
                        seq = change.seq,
                        reason = format!("{error:#}"),
                        "skipped a change of votes that cannot be decoded"
                    );
                }
            }
            self.position.seq = change.seq;
        }
    }
}

/// The current boards, and the votes from which the next ones are built.
#[derive(Debug)]
pub struct Boards {
    catalogue: Arc<Catalogue>,
    samples: Arc<Samples>,
    votes: Mutex<CastVotes>,
    /// `None` until there are listings.
    view: ArcSwapOption<View>,
}

impl Boards {
    /// The boards of these votes on the listings of `catalogue`, which has none yet.
    ///
    /// # Errors
    /// The sample votes in the binary do not parse.
    pub fn new(catalogue: Arc<Catalogue>, votes: CastVotes) -> anyhow::Result<Self> {
        Ok(Self {
            catalogue,
            samples: Arc::new(Samples::new()?),
            votes: Mutex::new(votes),
            view: ArcSwapOption::empty(),
        })
    }

    /// The newest boards.
    ///
    /// # Errors
    /// [`kit::Code::Unavailable`] while there are no listings.
    pub fn view(&self) -> Result<Arc<View>, Fault> {
        let view = self.view.load_full();
        view.ok_or_else(|| Fault::unavailable("the boards, which are still being built"))
    }

    /// The votes, for the one task that brings them up to date. Readers do not wait for it.
    pub async fn votes(&self) -> MutexGuard<'_, CastVotes> {
        self.votes.lock().await
    }

    /// Builds the boards of `votes`, which the caller has locked, and of the newest listings, unless they are as they were. Returns how long
    /// it took.
    ///
    /// # Errors
    /// Building panicked.
    pub async fn rebuild(&self, votes: &CastVotes) -> anyhow::Result<Duration> {
        let Ok(snapshot) = self.catalogue.snapshot() else {
            return Ok(Duration::ZERO);
        };
        let view = self.view.load_full();
        if view.is_some_and(|view| view.is_of(votes, &snapshot)) {
            return Ok(Duration::ZERO);
        }
        let start = Instant::now();
        self.build(votes, snapshot).await?;
        Ok(start.elapsed())
    }

    /// Makes `snapshot` the newest of the catalogue, with boards of its own: it has no history in common with the one before, so readers
    /// could not tell which listings changed.
    ///
    /// # Errors
    /// Building panicked.
    pub async fn publish(&self, snapshot: Snapshot) -> anyhow::Result<()> {
        let votes = self.votes.lock().await;
        let snapshot = Arc::new(snapshot);
        self.build(&votes, Arc::clone(&snapshot)).await?;
        // Boards first: a reader that has the snapshot has its boards.
        self.catalogue.publish(snapshot);
        Ok(())
    }

    async fn build(&self, votes: &CastVotes, snapshot: Arc<Snapshot>) -> anyhow::Result<()> {
        let votes = CastVotes {
            position: votes.position,
            tallies: Arc::clone(&votes.tallies),
            previous: votes.previous.clone(),
        };
        let samples = Arc::clone(&self.samples);
        // Sorting a million listings takes a second.
        let build = move || View::build(&votes, &samples, snapshot);
        let view = tokio::task::spawn_blocking(build).await?;
        self.view.store(Some(Arc::new(view)));
        Ok(())
    }

    /// Draws two live listings of different creators for a voter who has `judged` these pairs. Every other pair has the same chance, but for
    /// listings of the voter's `accounts`.
    ///
    /// # Errors
    /// As [`Boards::view`].
    pub fn draw<L: Votable>(
        &self,
        rng: &mut impl Rng,
        accounts: &[Uuid],
        judged: &HashSet<Pair>,
    ) -> Result<Option<[Arc<L>; 2]>, Fault> {
        let (snapshot, view) = (self.catalogue.snapshot()?, self.view()?);
        let dataset = view.newer(&snapshot).dataset(Mode::Live);
        let listings = &view.dataset(Mode::Live).of::<L>().listings;
        let is_own = |row: &L| row.owners(dataset).iter().any(|it| accounts.contains(it));
        let is_open = |one: &L, other: &L| {
            !judged.contains(&Pair::of(*one.id(), *other.id())) && !is_own(one) && !is_own(other)
        };
        Ok(draw::draw(listings, L::index(dataset), rng, is_open))
    }
}
