//! The schema `catalogue`: what survives a restart, so that a replica need not ask for the whole feed.
//!
//! Writes are set-based: a batch of the feed becomes one statement for each kind of entity in it.

mod events;
mod games;
mod load;
mod pages;
mod places;

use std::collections::BTreeMap;

use contracts::common::v1::Change;
use kit::feed::{Store, Taken};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::feeds::entity::{Body, Entity};

pub use load::{Cursor, Kind, cursor, rows};

/// Takes changes of the listings feed into the schema.
#[derive(Debug, Clone, Copy, Default)]
pub struct Listings;

impl Store for Listings {
    async fn apply(
        &self,
        connection: &mut PgConnection,
        changes: &[Change],
        taken: Taken,
    ) -> anyhow::Result<()> {
        let batch = Batch::read(changes)?;
        places::save_genres(connection, &batch.genres, taken.epoch).await?;
        places::save_countries(connection, &batch.countries, taken.epoch).await?;
        places::save_cities(connection, &batch.cities, taken.epoch).await?;
        pages::save(connection, &batch.pages, taken.epoch).await?;
        games::save(connection, &batch.games, taken.epoch).await?;
        events::save(connection, &batch.events, taken.epoch).await?;
        Ok(())
    }

    async fn sweep(&self, connection: &mut PgConnection, epoch: Uuid) -> anyhow::Result<()> {
        places::sweep(connection, epoch).await?;
        pages::sweep(connection, epoch).await?;
        games::sweep(connection, epoch).await?;
        events::sweep(connection, epoch).await?;
        Ok(())
    }
}

/// The entities of a batch by kind, each as the last change of the batch has it, in the order of their ids.
#[derive(Default)]
struct Batch {
    genres: Vec<Entity>,
    countries: Vec<Entity>,
    cities: Vec<Entity>,
    pages: Vec<Entity>,
    games: Vec<Entity>,
    events: Vec<Entity>,
}

impl Batch {
    fn read(changes: &[Change]) -> anyhow::Result<Self> {
        // One statement cannot write a row twice, and the last state is the one to keep.
        let states = changes.iter().filter(|change| !change.happening);
        let last: BTreeMap<(&str, &str), &Change> = states
            .map(|change| ((&*change.entity, &*change.id), change))
            .collect();
        let mut batch = Self::default();
        for ((kind, id), change) in last {
            let Some(entity) = Entity::read(kind, id, change.state.clone())? else {
                continue;
            };
            let entities = match entity.body {
                Body::Genre(_) => &mut batch.genres,
                Body::Country(_) => &mut batch.countries,
                Body::City(_) => &mut batch.cities,
                Body::Page(..) => &mut batch.pages,
                Body::Game(..) => &mut batch.games,
                Body::Event(..) => &mut batch.events,
            };
            entities.push(entity);
        }
        Ok(batch)
    }
}
