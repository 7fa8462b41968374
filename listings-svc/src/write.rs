//! The one way in: everything that changes a record goes through the writer of the feed as one of these.

use std::sync::Arc;

use kit::Fault;
use kit::feed::{Applied, Apply, Explained};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::amend::{self, Amendment};
use crate::domain::entity::Entity;
use crate::illustration::{self, Illustration};
use crate::import::apply;
use crate::import::chunk::Chunk;
use crate::readdress;
use crate::sending::{self, Outcome, Rules, Sent};
use crate::standing::{self, Turn};
use crate::store::constraints;

/// A change that is asked for.
#[derive(Debug)]
pub enum Write {
    /// Lines of a file.
    Import(Box<Chunk>),
    /// A listing that staff decide on, take down or restore.
    Turn(Box<Turn>),
    /// What an account sends in.
    Send(Box<Sent>),
    /// A listing that staff change.
    Amend(Box<Amendment>),
    /// A picture that staff give to a listing or take out of it.
    Illustrate(Box<Illustration>),
    /// Listings of a kind whose public pages have moved, those after an id.
    Move(Entity, Uuid),
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Done {
    /// The lines are dealt with.
    Imported,
    /// The listing stands as wanted.
    Turned,
    /// Accepted.
    Sent(Box<Outcome>),
    /// The listing has its pictures as wanted.
    Illustrated,
    /// Up to this id; `None` when there was nothing left.
    Moved(Option<Uuid>),
}

/// Makes changes.
#[derive(Debug)]
pub struct Listings {
    rules: Arc<Rules>,
}

impl Listings {
    /// Changes that follow `rules`.
    pub fn new(rules: Arc<Rules>) -> Self {
        Self { rules }
    }
}

impl Apply for Listings {
    type Item = Write;
    type Done = Done;

    async fn apply(
        &self,
        connection: &mut PgConnection,
        item: &Write,
        now: OffsetDateTime,
    ) -> Result<Applied<Done>, sqlx::Error> {
        let addresses = &self.rules.addresses;
        Ok(match item {
            Write::Send(sent) => {
                let sending = sending::apply(connection, sent, &self.rules, now);
                Box::pin(sending).await?.map(Done::Sent)
            }
            Write::Import(chunk) => {
                let importing = apply::chunk(connection, chunk, addresses, now);
                Box::pin(importing).await?.map(|()| Done::Imported)
            }
            Write::Turn(turn) => {
                let turning = standing::turn(connection, turn, addresses, now);
                Box::pin(turning).await?.map(|()| Done::Turned)
            }
            Write::Amend(amendment) => {
                let amending = amend::amend(connection, amendment, addresses, now);
                Box::pin(amending).await?.map(|()| Done::Turned)
            }
            Write::Illustrate(wanted) => {
                let illustrating = illustration::apply(connection, wanted, addresses, now);
                Box::pin(illustrating).await?.map(|()| Done::Illustrated)
            }
            Write::Move(entity, after) => {
                let moving = readdress::republish(connection, *entity, *after, addresses);
                Box::pin(moving).await?.map(Done::Moved)
            }
        })
    }

    fn explain(&self, error: &sqlx::Error) -> Explained {
        if constraints::is_taken(error) {
            // Another replica has just used a slug that was free.
            return Explained::Passing;
        }
        match constraints::problem(error) {
            Some(problems) => Explained::Refused(Fault::invalid(problems)),
            None => Explained::Unknown,
        }
    }
}
