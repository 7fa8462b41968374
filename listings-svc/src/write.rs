//! The one way in: everything that changes a record goes through the writer of the feed as one of these.

use kit::feed::{Applied, Apply};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::entity::Entity;
use crate::feed::PublicUrl;
use crate::illustration::{self, Illustration};
use crate::import::apply;
use crate::import::chunk::Chunk;
use crate::jobs::addresses;
use crate::standing::{self, Turn};

/// A change that is asked for.
#[derive(Debug)]
pub enum Write {
    /// Lines of a file.
    Import(Box<Chunk>),
    /// A listing that staff take down or restore.
    Turn(Box<Turn>),
    /// A picture that staff give to a listing or take out of it.
    Illustrate(Box<Illustration>),
    /// Listings of a kind whose public pages have moved, those after an id.
    Move(Entity, Uuid),
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    /// The lines are dealt with.
    Imported,
    /// The listing stands as wanted.
    Turned,
    /// The listing has its pictures as wanted.
    Illustrated,
    /// Up to this id; `None` when there was nothing left.
    Moved(Option<Uuid>),
}

/// Makes changes.
#[derive(Debug)]
pub struct Listings {
    addresses: PublicUrl,
}

impl Listings {
    /// Changes that name public pages below `addresses`.
    pub fn new(addresses: PublicUrl) -> Self {
        Self { addresses }
    }
}

impl Apply for Listings {
    type Item = Write;
    type Done = Done;

    async fn apply(
        &self,
        connection: &mut PgConnection,
        items: &[&Write],
        now: OffsetDateTime,
    ) -> Result<Vec<Applied<Done>>, sqlx::Error> {
        let mut applied = Vec::with_capacity(items.len());
        for item in items {
            applied.push(match item {
                Write::Import(chunk) => {
                    Box::pin(apply::chunk(connection, chunk, &self.addresses, now)).await?
                }
                Write::Turn(turn) => {
                    Box::pin(standing::turn(connection, turn, &self.addresses, now)).await?
                }
                Write::Illustrate(wanted) => {
                    let illustrating =
                        illustration::apply(connection, wanted, &self.addresses, now);
                    Box::pin(illustrating).await?
                }
                Write::Move(entity, after) => {
                    Box::pin(addresses::republish(
                        connection,
                        *entity,
                        *after,
                        &self.addresses,
                    ))
                    .await?
                }
            });
        }
        Ok(applied)
    }
}
