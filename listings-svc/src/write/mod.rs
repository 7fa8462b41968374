//! Commands: everything that changes a record goes through the writer of the feed as one of these.
//!
//! Each is one function, a file a kind of command, and one straight line: lock, load, decide, save, publish. The writer applies it
//! inside a transaction that it shares with others, under a savepoint of its own.

mod account;
pub mod check;
mod command;
pub mod edit;
pub mod import;
mod limits;
pub mod moderate;
pub mod ownership;
pub mod pictures;
mod record_change;
pub mod reference_data;
mod representation;
mod republish;
pub mod submission;
mod submit;
mod update;

use std::sync::Arc;

use kit::Fault;
use kit::feed::{Applied, Apply, ErrorClass};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::entity::Entity;
use crate::feed::PublicUrl;
use crate::store::claims::Claim;
use crate::store::constraints;
use crate::store::owners::Owner;
use edit::Amendment;
use import::chunk::Chunk;
use moderate::Turn;
use ownership::Ownership;
use pictures::Illustration;
use reference_data::ReferenceData;
use submission::{Outcome, Submission};

/// A change that is asked for.
#[derive(Debug)]
pub enum Write {
    /// Lines of a file.
    Import(Box<Chunk>),
    /// A listing that staff decide on, take down or restore.
    Turn(Box<Turn>),
    /// What an account sends in.
    Submit(Box<Submission>),
    /// A listing that staff change.
    Amend(Box<Amendment>),
    /// A picture that staff give to a listing or take out of it.
    Illustrate(Box<Illustration>),
    /// A page that staff give to an account, or take from one.
    Own(Box<Ownership>),
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
    Submitted(Box<Outcome>),
    /// The listing has its pictures as wanted.
    Illustrated,
    /// The page has these owners.
    Owned(Vec<Owner>),
    /// The claim is granted.
    Granted(Box<Claim>),
    /// Up to this id; `None` when there was nothing left.
    Moved(Option<Uuid>),
}

/// What commands are held to.
#[derive(Debug)]
pub struct Rules {
    /// Where public pages are.
    pub addresses: PublicUrl,
    /// Submissions of one account that may wait for their review.
    pub most_waiting: i64,
    /// Genres, countries and cities.
    pub reference_data: ReferenceData,
}

/// Carries out commands.
#[derive(Debug)]
pub struct Listings {
    rules: Arc<Rules>,
}

impl Listings {
    /// Commands that follow `rules`.
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
        let mut applied = match item {
            Write::Submit(submission) => {
                let submitting = account::apply(connection, submission, &self.rules, now);
                Box::pin(submitting).await?.map(Done::Submitted)
            }
            Write::Import(chunk) => {
                let importing = import::apply::chunk(connection, chunk, addresses, now);
                Box::pin(importing).await?.map(|()| Done::Imported)
            }
            Write::Turn(turn) => {
                let turning = moderate::turn(connection, turn, addresses, now);
                Box::pin(turning).await?.map(|()| Done::Turned)
            }
            Write::Amend(amendment) => {
                let amending = edit::amend(connection, amendment, addresses, now);
                Box::pin(amending).await?.map(|()| Done::Turned)
            }
            Write::Illustrate(wanted) => {
                let illustrating = pictures::apply(connection, wanted, addresses, now);
                Box::pin(illustrating).await?.map(|()| Done::Illustrated)
            }
            Write::Own(ownership) => {
                let owning = ownership::apply(connection, ownership, addresses, now);
                Box::pin(owning).await?
            }
            Write::Move(entity, after) => {
                let moving = republish::republish(connection, *entity, *after, addresses);
                Box::pin(moving).await?.map(Done::Moved)
            }
        };
        if let Applied::Done(_, changes) = &mut applied {
            ownership::add_owners(connection, changes).await?;
        }
        Ok(applied)
    }

    fn classify(&self, error: &sqlx::Error) -> ErrorClass {
        if constraints::is_taken(error) {
            // Another replica has just used a slug that was free.
            return ErrorClass::Transient;
        }
        match constraints::problem(error) {
            Some(problems) => ErrorClass::Rejected(Fault::invalid(problems)),
            None => ErrorClass::Unknown,
        }
    }
}
