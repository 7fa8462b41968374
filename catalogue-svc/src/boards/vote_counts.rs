//! The sums of votes that the boards show, as the schema has them.

use std::sync::Arc;

use kit::feed::Position;
use sqlx::{Connection as _, PgPool};

use crate::domain::ranks::PreviousRanks;
use crate::domain::tally::Tallies;
use crate::store::{board_snapshots, tallies};

/// The time limit of loading all tallies, in deadlines of the pool: a minute in production.
const LOAD_DEADLINES: u32 = 12;

/// The votes up to a position of the catalogue's own feed.
#[derive(Debug, Clone)]
pub struct VoteCounts {
    /// The last change that the sums include.
    pub position: Position,
    /// Sums by listing.
    pub tallies: Arc<Tallies>,
    /// The ranks in the board snapshot before the latest.
    pub previous: PreviousRanks,
}

impl VoteCounts {
    /// Loads the sums for the hours of `empty`, and the previous ranks; no vote is read.
    ///
    /// # Errors
    /// PostgreSQL's.
    pub async fn load(pool: &PgPool, empty: Tallies) -> Result<Self, sqlx::Error> {
        // One statement loads all tallies.
        let begin =
            "begin isolation level repeatable read, read only; set local statement_timeout = 0";
        let deadline = kit::pg::deadline(pool) * LOAD_DEADLINES;
        let loading = kit::pg::within(pool, deadline, async |connection| {
            let mut transaction = connection.begin_with(begin).await?;
            let position = tallies::position(&mut transaction).await?;
            let tallies = tallies::load(&mut transaction, empty).await?;
            let previous = board_snapshots::previous(&mut transaction).await?;
            transaction.commit().await?;
            Ok(Self {
                position,
                tallies: Arc::new(tallies),
                previous,
            })
        });
        loading.await
    }
}
