//! Follows the feed of listings into the schema, from which replicas start. A batch becomes one statement.

use std::collections::HashMap;

use anyhow::Context as _;
use contracts::common::v1::Change;
use contracts::listings::v1 as listings;
use kit::feed::Projection;
use prost::Message as _;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::boards::Votable as _;
use crate::index::entity::Entity;
use crate::index::{Creator, page_digest};
use crate::store::entity::{self, Row};

/// Stores the entities of the listings feed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Listings;

impl Projection for Listings {
    type Row = Row;
    type Message = ();

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
            listed_seq: change.seq,
            body: change.state.clone(),
        }))
    }

    async fn save(
        &self,
        connection: &mut PgConnection,
        generation: Uuid,
        mut rows: Vec<Row>,
    ) -> anyhow::Result<()> {
        keep_places(connection, generation, &mut rows).await?;
        Ok(entity::save(connection, &rows, generation).await?)
    }

    async fn sweep(
        &self,
        connection: &mut PgConnection,
        generation: Uuid,
    ) -> Result<(), sqlx::Error> {
        entity::sweep(connection, generation).await
    }
}

/// Leaves the pages of which only the owners have changed at their places in the list of changes.
async fn keep_places(
    connection: &mut PgConnection,
    generation: Uuid,
    rows: &mut [Row],
) -> anyhow::Result<()> {
    let digest = |body: &[u8]| listings::Page::decode(body).map(|page| page_digest(&page));
    let mut pages: Vec<&mut Row> = (rows.iter_mut())
        .filter(|row| row.kind == Creator::ENTITY)
        .collect();
    if pages.is_empty() {
        return Ok(());
    }
    pages.sort_by_key(|row| row.seq);
    let ids: Vec<String> = pages.iter().map(|row| row.id.clone()).collect();
    let mut places = HashMap::new();
    for page in entity::places(connection, generation, Creator::ENTITY, &ids).await? {
        // A row that cannot be decoded any more is replaced like one that differs.
        if let Ok(digest) = digest(&page.body) {
            places.insert(page.id, (digest, page.listed_seq));
        }
    }
    for row in pages {
        let digest = digest(&row.body)?;
        match places.get(&row.id) {
            Some((held, place)) if *held == digest => row.listed_seq = *place,
            _ => {
                places.insert(row.id.clone(), (digest, row.listed_seq));
            }
        }
    }
    Ok(())
}
