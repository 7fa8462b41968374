//! The ranking boards in memory, next to the listings. They are sorted again every few seconds; readers take no lock.
//!
//! The boards have three inputs: the sums of votes in `catalogue.tally`, the hour, and the listings of the catalogue's newest snapshot. All
//! replicas load the same sums and therefore show the same boards.
//!
//! **A vote** is one command ([`crate::write`]). The command locks the voter's row, inserts the
//! vote, counts the votes of the voter and of the network, and adds the vote to the sums of both
//! listings, of all time and of its hour. Votes on one listing wait for each other, about a
//! millisecond each. A void, of a voter or of a network, is one command, too.
//!
//! **Boards** are sorted vectors. Every two seconds each replica asks whether the sums have changed ([`VoteCounts`]), and loads three sums for
//! each listing with votes (the week, the month, all votes) in one statement if they have, or if the hour has; no vote is read. If votes,
//! the hour or listings have changed, a thread outside the runtime sorts the boards and swaps them in. A reader waits for nothing, and reads no
//! SQL. It takes the fields of a listing from its own snapshot of the catalogue and leaves out the listings that are not public there: a
//! listing that is taken down leaves its boards at once, and the ranks and the total close up with the next boards.
//!
//! **A pair** is drawn from all public listings, by random numbers that follow from its
//! [drawer](crate::domain::drawer): a voter gets the same pair until it is judged, and the new
//! voters of a network share a few. A pair that does not qualify is drawn again. The answer has the
//! draw (voter, kind, both ids, time, drawer), signed with a key that all replicas derive from the
//! fleet token ([`crate::domain::draw`]); nothing of it is stored. The day of a vote is the day of
//! its draw, so that the key of the table `vote` also keeps a draw from being used twice.
//!
//! **The board snapshot** of 04:00 UTC ([`crate::jobs::board_snapshot`]) loads the sums as they were at that moment from the hours in the
//! schema, also if the job runs later. The job stores the boards first. A command then publishes the board snapshot on the feed together
//! with the moves on the boards of the week, in one transaction and only once, however often the job is retried. `previous_rank` is the rank
//! in the board snapshot before the latest.
//!
//! **Samples** (`sample/votes.ndjson`) are votes on sample listings, dated back from the last 04:00 UTC. They are not in the schema.

mod draw;
pub mod refresh;
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

use crate::domain::rankings::Hour;
use crate::domain::tally::Tallies;
use crate::index::{Catalogue, Snapshot};
use kit::Mode;
use samples::Samples;

pub use draw::random_pair;
#[expect(clippy::module_name_repetitions, reason = "`Boards` are those of all datasets")]
pub use sorted::DatasetBoards;
pub use sorted::{Board, BoardRow};
pub use votable::Votable;
pub use vote_counts::{Version, VoteCounts};

/// The time limit of the query whether votes have changed. After a timeout the next query uses another connection.
const DEADLINE: Duration = Duration::from_secs(10);

/// The current boards, and the votes from which they were sorted.
#[derive(Debug)]
pub struct Boards {
    catalogue: Arc<Catalogue>,
    samples: Arc<Samples>,
    /// `None` before the first sort. Locked while the boards are sorted; readers do not wait for it.
    votes: Mutex<Option<(Version, VoteCounts)>>,
    /// `None` before the first sort.
    live: ArcSwapOption<DatasetBoards>,
    /// The boards of the samples; `None` before the first sort.
    test: ArcSwapOption<DatasetBoards>,
}

impl Boards {
    /// The boards of the listings of `catalogue`, which are not sorted yet.
    ///
    /// # Errors
    /// The sample votes in the binary do not parse.
    pub fn new(catalogue: Arc<Catalogue>) -> anyhow::Result<Self> {
        Ok(Self {
            catalogue,
            samples: Arc::new(Samples::new()?),
            votes: Mutex::default(),
            live: ArcSwapOption::empty(),
            test: ArcSwapOption::empty(),
        })
    }

    /// The newest boards of a dataset.
    ///
    /// # Errors
    /// [`kit::Code::Unavailable`] before the first sort.
    pub fn get(&self, mode: Mode) -> Result<Arc<DatasetBoards>, Fault> {
        let boards = match mode {
            Mode::Live => self.live.load_full(),
            Mode::Test => self.test.load_full(),
        };
        boards.ok_or_else(|| Fault::unavailable("the boards, which are still being built"))
    }

    /// Updates the boards to the votes that were committed before this call, the hour, and the newest listings. Concurrent calls run one
    /// after the other. Returns how long it took.
    ///
    /// # Errors
    /// PostgreSQL's, or there are no listings yet.
    pub async fn refresh(&self, pool: &PgPool, now: OffsetDateTime) -> anyhow::Result<Duration> {
        let mut votes = self.votes.lock().await;
        let start = Instant::now();
        let version = kit::pg::within(pool, DEADLINE, Version::read).await?;
        let hour = Hour::containing(now);
        let current = (votes.take())
            .filter(|(loaded, votes)| (*loaded, votes.tallies.hour()) == (version, hour));
        let loaded = match current {
            Some(current) => current,
            None => VoteCounts::load(pool, Tallies::new(hour)).await?,
        };
        let loaded = votes.insert(loaded).1.clone();
        let snapshot = self.catalogue.snapshot()?;
        let live = self.live.load_full();
        if !live.is_some_and(|live| live.is_of(&loaded, snapshot.position)) {
            self.sort(loaded, snapshot).await?;
        }
        Ok(start.elapsed())
    }

    async fn sort(&self, votes: VoteCounts, snapshot: Arc<Snapshot>) -> anyhow::Result<()> {
        let samples = Arc::clone(&self.samples);
        // Sorting a million listings takes a second.
        let sort = move || {
            let test = samples.boards(&votes, &snapshot);
            let live = snapshot.dataset(Mode::Live);
            (DatasetBoards::sort(votes, snapshot.position, live), test)
        };
        let (live, test) = tokio::task::spawn_blocking(sort).await?;
        self.live.store(Some(Arc::new(live)));
        self.test.store(Some(Arc::new(test)));
        Ok(())
    }
}
