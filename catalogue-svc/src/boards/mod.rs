//! The ranking boards in memory, next to the listings. They are sorted again every few seconds; readers take no lock.
//!
//! The boards have three inputs: the votes that `catalogue.tally` has added up, the hour, and the listings of the catalogue's newest
//! snapshot. All replicas load the same sums and therefore show the same boards.
//!
//! **A vote** is one command of the writer ([`crate::write`]). The command locks the voter's row, inserts the vote, counts the voter's votes
//! of the hour and the day, and publishes the vote on the own feed. It touches no row of the listings: votes for one listing do not wait for
//! each other, and a vote does not become more expensive with the number of votes.
//!
//! **Tallies** are the sums of the votes on the feed, by listing and hour. One replica adds new votes up within a second, thousands of them
//! in one transaction with the position in the feed ([`crate::feeds::votes`]). When that position or the hour has moved, each replica loads
//! three sums for each listing that ever got a vote (the week, the month, all votes), in one statement; no vote is read.
//!
//! **Boards** are sorted vectors. If votes, the hour or listings have changed, a thread outside the runtime sorts them from the sums and a
//! snapshot of the catalogue, and swaps them in. A reader waits for nothing, and reads no SQL. Listings do change at once: the reader asks
//! its own snapshot of the catalogue which listings have changed since the one that the boards were sorted with (the change log, mostly
//! empty), leaves their rows out, and merges in those of the listings that are public ([`BoardOverlay`]). Ranks have no gaps and the total is
//! exact, because both are counted with these changes.
//!
//! **A pair** is drawn from all public listings, by random numbers that follow from the voter and the number of pairs judged on the day: a
//! voter gets the same pair until it is judged. A pair that does not qualify is drawn again. The answer has the draw (voter,
//! kind, both ids, time), signed with a key that all replicas derive from the fleet token ([`crate::domain::draw`]); nothing of it is stored.
//! The day of a vote is the day of its draw, so that the key of the table `vote` also keeps a draw from being used twice.
//!
//! **The board snapshot** of 04:00 UTC ([`crate::jobs::board_snapshot`]) loads the sums as they were at that moment from the hours in the
//! schema, also if the job runs later. The job stores the boards first. A command then publishes the board snapshot on the feed together
//! with the moves on the boards of the week, in one transaction and only once, however often the job is retried. `previous_rank` is the rank
//! in the board snapshot before the latest.
//!
//! **Samples** (`sample/votes.ndjson`) are votes on sample listings, dated back from the last 04:00 UTC. They are not in the schema.

mod dataset;
mod draw;
pub mod refresh;
mod row;
mod samples;
mod sorted;
mod votable;
mod vote_counts;

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use kit::Fault;
use sqlx::PgPool;
use time::OffsetDateTime;
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::domain::listing::Mode;
use crate::domain::rankings::Hour;
use crate::domain::tally::Tallies;
use crate::index::{Catalogue, Snapshot};
use crate::store::tallies;
use samples::Samples;

#[expect(
    clippy::module_name_repetitions,
    reason = "`Boards` are those of all datasets"
)]
pub use dataset::{DatasetBoards, Ranked};
pub use draw::random_pair;
pub use row::BoardRow;
pub use sorted::{BoardOverlay, SortedBoard};
pub use votable::{Card, Votable};
pub use vote_counts::VoteCounts;

/// The time limit of the query for new votes. After a timeout the next query uses another connection.
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

    /// Updates the boards to the votes that were added up before this call, the hour, and the newest listings. Concurrent calls run one after
    /// the other. Returns how long it took.
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
}
