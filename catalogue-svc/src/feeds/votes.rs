//! The catalogue's own feed, followed into the tallies of votes.
//!
//! The tallies are a registered follower of the feed: compaction removes no vote that they lack.

use contracts::common::v1::Change;
use kit::feed::{
    ChangeSource, Position, Projection, ProjectionContext, Subscription, project_changes,
    read_changes,
};
use kit::{Clock, Fault};
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::tally_change;
use crate::SCHEMA;
use crate::domain::tally::TallyChange;
use crate::store::tallies;

/// The most changes of the feed that one transaction adds up.
const BATCH: usize = 5_000;

/// The catalogue's own feed, as its dead letters name it.
const OWN_FEED: Subscription = Subscription {
    schema: SCHEMA,
    producer: OWN_PRODUCER,
};
/// The producer of the catalogue's own feed.
pub const OWN_PRODUCER: &str = "catalogue";

/// Adds the votes that were committed to the feed before this call to the tallies. Concurrent calls run one after the other.
///
/// # Errors
/// PostgreSQL's. A change that cannot be decoded is put aside.
pub async fn fold(pool: &PgPool, clock: &Clock) -> anyhow::Result<()> {
    loop {
        let mut transaction = pool.begin().await?;
        let seq = tallies::lock(&mut transaction).await?;
        let found = read_changes(&mut transaction, SCHEMA, seq, BATCH).await?;
        let position = Position {
            epoch: found.head.epoch,
            seq: found.changes.last().map_or(seq, |change| change.seq),
        };
        let context = ProjectionContext {
            // Tallies are never rebuilt.
            generation: Uuid::nil(),
            effects_after_seq: position.seq,
        };
        project_changes(
            &mut transaction,
            OWN_FEED,
            &VoteProjection,
            found.changes,
            context,
        )
        .await?;
        let now = kit::pg::now(&mut *transaction, clock).await?;
        tallies::save_position(&mut transaction, position, now).await?;
        transaction.commit().await?;
        if found.is_complete {
            return Ok(());
        }
    }
}

/// Where a retry reads the votes.
pub fn source(pool: &PgPool) -> impl ChangeSource {
    (pool.clone(), SCHEMA)
}

/// Adds votes that could not be decoded when they were added up, if they can be now.
///
/// # Errors
/// PostgreSQL's.
pub async fn retry_dead_letters(pool: &PgPool) -> Result<(), Fault> {
    OWN_FEED
        .retry(pool, &source(pool), &VoteProjection, &[])
        .await?;
    Ok(())
}

/// Adds votes to the tallies. A sum does not depend on the order, so a vote may come late.
#[derive(Debug, Clone, Copy)]
pub struct VoteProjection;

impl Projection for VoteProjection {
    type Row = Vec<TallyChange>;
    type Message = ();

    fn row(&self, change: &Change) -> anyhow::Result<Option<Self::Row>> {
        Ok(Some(tally_change::read(change)?).filter(|changes| !changes.is_empty()))
    }

    async fn save(
        &self,
        connection: &mut PgConnection,
        _: Uuid,
        rows: Vec<Self::Row>,
    ) -> anyhow::Result<()> {
        Ok(tallies::add(connection, &rows.concat()).await?)
    }
}
