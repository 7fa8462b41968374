//! The catalogue's own feed, followed into the tallies of votes.

use contracts::common::v1::Change;
use kit::feed::{Projection, ProjectionContext, project_changes, read_changes};
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use super::tally_change;
use crate::SCHEMA;
use crate::domain::tally::TallyChange;
use crate::store::tallies;

/// The most changes of the feed that one transaction adds up.
const BATCH: usize = 5_000;

/// The producer of the catalogue's own feed, as metrics name it.
const OWN_PRODUCER: &str = "catalogue";

/// Adds the votes that were committed to the feed before this call to the tallies. Concurrent calls run one after the other.
///
/// # Errors
/// PostgreSQL's. A change that cannot be decoded is skipped.
pub async fn fold(pool: &PgPool) -> anyhow::Result<()> {
    loop {
        let mut transaction = pool.begin().await?;
        let seq = tallies::lock(&mut transaction).await?;
        let found = read_changes(&mut transaction, SCHEMA, seq, BATCH).await?;
        let last = found.changes.last().map_or(seq, |change| change.seq);
        let context = ProjectionContext {
            // Tallies are never rebuilt, and cause no messages.
            generation: Uuid::nil(),
            effects_until: OffsetDateTime::UNIX_EPOCH,
        };
        let (projection, changes) = (&VoteProjection, found.changes);
        project_changes(&mut transaction, OWN_PRODUCER, projection, changes, context).await?;
        tallies::save_position(&mut transaction, last).await?;
        transaction.commit().await?;
        if found.is_complete {
            return Ok(());
        }
    }
}

/// Adds votes to the tallies.
#[derive(Debug, Clone, Copy)]
struct VoteProjection;

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
