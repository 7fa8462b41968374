//! The schema `catalogue`: of listings what survives a restart, so that a replica need not ask for the whole feed; and votes.
//!
//! A batch of the listings feed becomes one statement. Whether an entity can be converted is found out before anything is written.

mod dead_letter;
mod entity;
mod load;
pub mod snapshots;
pub mod tallies;
pub mod voters;
pub mod votes;

use std::collections::BTreeMap;

use contracts::common::v1::Change;
use kit::feed::{ApplyContext, ChangeHandler};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::index::entity::Entity;
use dead_letter::DeadLetter;

pub use dead_letter::retry as retry_dead_letters;
pub use entity::{Row, rows};
pub use load::{Cursor, cursor};

/// Takes changes of the listings feed into the schema.
#[derive(Debug, Clone, Copy, Default)]
pub struct Listings;

impl ChangeHandler for Listings {
    async fn apply(
        &self,
        connection: &mut PgConnection,
        changes: &[Change],
        context: ApplyContext,
    ) -> anyhow::Result<()> {
        // One statement cannot write a row twice, and the last state is the one to keep.
        let mut converted = BTreeMap::new();
        let mut letters = BTreeMap::new();
        for change in changes.iter().filter(|change| !change.happening) {
            let key = (&*change.entity, &*change.id);
            match Entity::read(key.0, key.1, change.seq, &change.state) {
                Ok(_) => {
                    letters.remove(&key);
                    converted.insert(key, (change.seq, &*change.state));
                }
                Err(error) => {
                    let letter = DeadLetter {
                        seq: change.seq,
                        body: &change.state,
                        reason: format!("{error:#}"),
                    };
                    letters.insert(key, letter);
                }
            }
        }
        entity::save(connection, &converted, context.generation).await?;
        let removed = dead_letter::remove(connection, converted.keys().copied()).await?;
        dead_letter::save(connection, &letters, context.generation).await?;
        if removed > 0 || !letters.is_empty() {
            dead_letter::count(connection).await?;
        }
        Ok(())
    }

    async fn sweep(&self, connection: &mut PgConnection, epoch: Uuid) -> anyhow::Result<()> {
        entity::sweep(connection, epoch).await?;
        dead_letter::sweep(connection, epoch).await?;
        dead_letter::count(connection).await?;
        Ok(())
    }
}
