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
pub mod page_owners;
pub mod picture_edit;
mod record_change;
pub mod reference_data_cache;
mod representation;
mod republish;
pub mod submission;
mod submit;
mod update;

use std::sync::Arc;

use kit::Fault;
use kit::feed::{Applied, Apply, Explained};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::entity::Entity;
use crate::feed::PublicUrl;
use crate::store::claims::Claim;
use crate::store::constraints;
use crate::store::page_owners::Owner;
use edit::StaffEdit;
use import::chunk::Chunk;
use moderate::Moderation;
use page_owners::OwnerChange;
use picture_edit::PictureEdit;
use reference_data_cache::ReferenceDataCache;
use submission::{Outcome, Submission};

/// A change that is asked for.
#[derive(Debug)]
pub enum Write {
    /// Lines of a file.
    Import(Box<Chunk>),
    /// A listing that staff decide on, take down or restore.
    Moderate(Box<Moderation>),
    /// What an account sends in.
    Submit(Box<Submission>),
    /// A listing that staff change.
    Edit(Box<StaffEdit>),
    /// A picture that staff give to a listing or take out of it.
    EditPictures(Box<PictureEdit>),
    /// A page that staff give to an account, or take from one.
    ChangeOwners(Box<OwnerChange>),
    /// Listings of a kind whose public pages have moved, those after an id.
    Republish(Entity, Uuid),
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Done {
    /// The lines are dealt with.
    Imported,
    /// The listing stands as wanted.
    Moderated,
    /// Accepted.
    Submitted(Box<Outcome>),
    /// The listing has its pictures as wanted.
    PicturesEdited,
    /// The page has these owners.
    OwnersChanged(Vec<Owner>),
    /// The claim is granted.
    ClaimGranted(Box<Claim>),
    /// Up to this id; `None` when there was nothing left.
    Republished(Option<Uuid>),
}

/// What commands are held to.
#[derive(Debug)]
pub struct Rules {
    /// Where public pages are.
    pub public_url: PublicUrl,
    /// Submissions of one account that may wait for their review.
    pub max_pending: i64,
    /// Genres, countries and cities.
    pub reference_data: ReferenceDataCache,
}

/// Carries out commands.
#[derive(Debug)]
pub struct Writes {
    rules: Arc<Rules>,
}

impl Writes {
    /// Commands that follow `rules`.
    pub fn new(rules: Arc<Rules>) -> Self {
        Self { rules }
    }
}

impl Apply for Writes {
    type Item = Write;
    type Done = Done;

    async fn apply(
        &self,
        connection: &mut PgConnection,
        item: &Write,
        now: OffsetDateTime,
    ) -> Result<Applied<Done>, sqlx::Error> {
        let public_url = &self.rules.public_url;
        let mut applied = match item {
            Write::Submit(submission) => {
                let submitting = account::apply(connection, submission, &self.rules, now);
                Box::pin(submitting).await?.map(Done::Submitted)
            }
            Write::Import(chunk) => {
                let importing = import::apply::apply(connection, chunk, public_url, now);
                Box::pin(importing).await?.map(|()| Done::Imported)
            }
            Write::Moderate(moderation) => {
                let moderating = moderate::apply(connection, moderation, public_url, now);
                Box::pin(moderating).await?.map(|()| Done::Moderated)
            }
            Write::Edit(edit) => {
                let editing = edit::apply(connection, edit, public_url, now);
                Box::pin(editing).await?.map(|()| Done::Moderated)
            }
            Write::EditPictures(edit) => {
                let editing = picture_edit::apply(connection, edit, public_url, now);
                Box::pin(editing).await?.map(|()| Done::PicturesEdited)
            }
            Write::ChangeOwners(change) => {
                let changing = page_owners::apply(connection, change, public_url, now);
                Box::pin(changing).await?
            }
            Write::Republish(entity, after) => {
                let republishing = republish::republish(connection, *entity, *after, public_url);
                Box::pin(republishing).await?.map(Done::Republished)
            }
        };
        if let Applied::Done(_, changes) = &mut applied {
            page_owners::append_owners(connection, changes).await?;
        }
        Ok(applied)
    }

    fn explain(&self, error: &sqlx::Error) -> Explained {
        if constraints::is_name_taken(error) {
            // Another replica has just used a slug that was free.
            return Explained::Passing;
        }
        match constraints::field_errors(error) {
            Some(problems) => Explained::Refused(Fault::invalid(problems)),
            None => Explained::Unknown,
        }
    }
}
