//! The ranking boards in memory, next to the listings. They are sorted again every few seconds; readers take no lock.
//!
//! The boards have three inputs: the votes that `catalogue.tally` has added up, the hour, and the listings of the catalogue's newest
//! snapshot. A reader adds what happened to listings since ([`BoardOverlay`]).

mod dataset;
mod draw;
pub mod refresh;
mod row;
mod samples;
mod sorted;
mod votable;
mod vote_counts;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use kit::Fault;
use rand::Rng;
use sqlx::PgPool;
use time::OffsetDateTime;
use tokio::sync::Mutex;
use tokio::time::Instant;
use uuid::Uuid;

use crate::domain::listing::Mode;
use crate::domain::rankings::Hour;
use crate::domain::tally::Tallies;
use crate::domain::vote::Pair;
use crate::index::{Catalogue, Snapshot};
use crate::store::tallies;
use samples::Samples;

pub use dataset::{DatasetBoards, Ranked};
pub use row::BoardRow;
pub use sorted::{BoardOverlay, SortedBoard};
pub use votable::{Card, Votable};
pub use vote_counts::VoteCounts;

/// The time limit of the question whether there are new votes; the next one uses another connection.
const DEADLINE: Duration = Duration::from_secs(10);

/// The current boards, and the votes from which they were sorted.
#[derive(Debug)]
pub struct Boards {
    catalogue: Arc<Catalogue>,
    samples: Arc<Samples>,
    /// Locked while the boards are sorted. Readers do not wait for it.
    votes: Mutex<VoteCounts>,
    /// `None` until there are listings.
    live: ArcSwapOption<DatasetBoards>,
    /// As `live`.
    test: ArcSwapOption<DatasetBoards>,
}

impl Boards {
    /// The boards of these votes on the listings of `catalogue`, which has none yet.
    ///
    /// # Errors
    /// The sample votes in the binary do not parse.
    pub fn new(catalogue: Arc<Catalogue>, votes: VoteCounts) -> anyhow::Result<Self> {
        Ok(Self {
            catalogue,
            samples: Arc::new(Samples::new()?),
            votes: Mutex::new(votes),
            live: ArcSwapOption::empty(),
            test: ArcSwapOption::empty(),
        })
    }

    /// The newest boards of a dataset.
    ///
    /// # Errors
    /// [`kit::Code::Unavailable`] while there are no listings.
    pub fn of(&self, mode: Mode) -> Result<Arc<DatasetBoards>, Fault> {
        let boards = match mode {
            Mode::Live => self.live.load_full(),
            Mode::Test => self.test.load_full(),
        };
        boards.ok_or_else(|| Fault::unavailable("the boards, which are still being built"))
    }

    /// Brings the boards up to date with the votes that were added up before this call, the hour, and the newest listings. Of several
    /// callers each waits for those before it. Returns how long it took.
    ///
    /// # Errors
    /// PostgreSQL's.
    pub async fn refresh(&self, pool: &PgPool, now: OffsetDateTime) -> anyhow::Result<Duration> {
        let mut votes = self.votes.lock().await;
        let start = Instant::now();
        let position = kit::pg::within(pool, DEADLINE, tallies::position).await?;
        let hour = Hour::of(now);
        if (votes.position, votes.tallies.hour()) != (position, hour) {
            *votes = VoteCounts::load(pool, Tallies::new(hour)).await?;
        }
        let Ok(snapshot) = self.catalogue.snapshot() else {
            return Ok(Duration::ZERO);
        };
        let live = self.live.load_full();
        if !live.is_some_and(|live| live.is_of(&votes, &snapshot)) {
            self.sort(&votes, snapshot).await?;
        }
        Ok(start.elapsed())
    }

    /// Makes `snapshot` the newest of the catalogue, with boards of its own: it has no history in common with the one before, so readers
    /// could not tell which listings changed.
    ///
    /// # Errors
    /// Sorting panicked.
    pub async fn publish(&self, snapshot: Snapshot) -> anyhow::Result<()> {
        let votes = self.votes.lock().await;
        let snapshot = Arc::new(snapshot);
        self.sort(&votes, Arc::clone(&snapshot)).await?;
        // Boards first: a reader that has the snapshot has its boards.
        self.catalogue.publish(snapshot);
        Ok(())
    }

    async fn sort(&self, votes: &VoteCounts, snapshot: Arc<Snapshot>) -> anyhow::Result<()> {
        let (votes, samples) = (votes.clone(), Arc::clone(&self.samples));
        // Sorting a million listings takes a second.
        let sort = move || {
            let test = samples.boards(&votes, &snapshot);
            (DatasetBoards::sort(votes, Mode::Live, snapshot), test)
        };
        let (live, test) = tokio::task::spawn_blocking(sort).await?;
        self.live.store(Some(Arc::new(live)));
        self.test.store(Some(Arc::new(test)));
        Ok(())
    }

    /// Draws two live listings of different creators for a voter who has `judged` these pairs. Every other pair has the same chance, but for
    /// listings of the voter's `accounts`.
    ///
    /// # Errors
    /// [`kit::Code::Unavailable`] while there are no listings.
    pub fn draw<L: Votable>(
        &self,
        rng: &mut impl Rng,
        accounts: &[Uuid],
        judged: &HashSet<Pair>,
    ) -> Result<Option<[Arc<L>; 2]>, Fault> {
        let snapshot = self.catalogue.snapshot()?;
        let dataset = snapshot.dataset(Mode::Live);
        let is_own = |row: &L| row.owners(dataset).iter().any(|it| accounts.contains(it));
        let is_open = |one: &L, other: &L| {
            !judged.contains(&Pair::of(*one.id(), *other.id())) && !is_own(one) && !is_own(other)
        };
        Ok(draw::draw(L::index(dataset), rng, is_open))
    }
}
