//! The sums of votes that the boards show, as the schema has them.

use std::sync::Arc;

use sqlx::{Connection as _, PgConnection, PgPool};
use time::OffsetDateTime;

use crate::domain::ranks::PreviousRanks;
use crate::domain::tally::Tallies;
use crate::store::{board_snapshots, tallies};

/// The time limit of loading all tallies, in deadlines of the pool: a minute in production.
const LOAD_DEADLINES: u32 = 12;

/// Tells whether [`VoteCounts`] have changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version {
    tallies: i64,
    /// The moment of the latest board snapshot.
    snapshot: Option<OffsetDateTime>,
}

impl Version {
    /// The version of what is committed.
    pub(super) async fn read(connection: &mut PgConnection) -> Result<Self, sqlx::Error> {
        Ok(Self {
            tallies: tallies::version(connection).await?,
            snapshot: board_snapshots::latest(connection).await?,
        })
    }
}

#[derive(Debug, Clone)]
pub struct VoteCounts {
    /// Sums by listing.
    pub tallies: Arc<Tallies>,
    /// The ranks in the board snapshot before the latest.
    pub previous: PreviousRanks,
}

impl VoteCounts {
    /// Loads the sums for the hours of `empty`, and the previous ranks, with their version; no vote is read.
    pub async fn load(pool: &PgPool, empty: Tallies) -> Result<(Version, Self), sqlx::Error> {
        // One statement loads all tallies.
        let begin =
            "begin isolation level repeatable read, read only; set local statement_timeout = 0";
        let deadline = kit::pg::deadline(pool) * LOAD_DEADLINES;
        let loading = kit::pg::within(pool, deadline, async |connection| {
            let mut transaction = connection.begin_with(begin).await?;
            let version = Version::read(&mut transaction).await?;
            let tallies = tallies::load(&mut transaction, empty).await?;
            let previous = board_snapshots::previous(&mut transaction).await?;
            transaction.commit().await?;
            let tallies = Arc::new(tallies);
            Ok((version, Self { tallies, previous }))
        });
        loading.await
    }
}
