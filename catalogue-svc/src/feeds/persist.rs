//! Follows the feed of listings into the schema, from which replicas start. A batch becomes one statement.

use anyhow::Context as _;
use contracts::common::v1::Change;
use kit::feed::Projection;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::index::entity::Entity;
use crate::store::entity::{self, Row};

/// Stores the entities of the listings feed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Listings;

impl Projection for Listings {
    type Row = Row;
    type Message = ();

    const TABLES: &'static [&'static str] = &["entity"];

    /// A kind that the catalogue does not know is stored as well, for a later release.
    fn row(&self, change: &Change) -> anyhow::Result<Option<Row>> {
        if change.happening {
            return Ok(None);
        }
        let (kind, id) = (&change.entity, &change.id);
        Entity::read(kind, id, change.seq, &change.state).context("it cannot be converted")?;
        Ok(Some(Row {
            kind: kind.clone(),
            id: id.clone(),
            seq: change.seq,
            body: change.state.clone(),
        }))
    }

    async fn save(
        &self,
        connection: &mut PgConnection,
        generation: Uuid,
        rows: Vec<Row>,
    ) -> anyhow::Result<()> {
        Ok(entity::save(connection, &rows, generation).await?)
    }
}
