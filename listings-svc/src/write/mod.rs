//! The commands. Every change of a record goes through the feed's writer as one of them.
//!
//! A command is one function, with the steps lock, load, decide, save, publish; each kind of command has a file. The writer applies a
//! command under its own savepoint, in a transaction that commands share.

mod account;
pub mod check;

pub mod import;
mod limits;
pub mod moderate;
pub mod page_owners;
pub mod picture_edit;
mod record_change;
pub mod reference_data_cache;
mod representation;
mod republish;
pub mod staff_edit;
pub mod submission;
mod submission_context;
mod submit;
mod update;

use std::sync::Arc;

use kit::feed::{Applied, Apply, ErrorClass};
use kit::{Code, Fault};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::entity::Entity;
use crate::feed::PublicUrl;
use crate::store::claims::Claim;
use crate::store::constraints;
use crate::store::page_owners::Owner;
use import::chunk::Chunk;
use moderate::Moderation;
use page_owners::OwnerChange;
use picture_edit::PictureEdit;
use reference_data_cache::ReferenceDataCache;
use staff_edit::StaffEdit;
use submission::{Submission, SubmissionOutcome};

/// A command.
#[derive(Debug)]
pub enum Write {
    Import(Box<Chunk>),
    /// Staff approve, reject, take down or restore a listing.
    Moderate(Box<Moderation>),
    /// An account submits or changes a listing.
    Submit(Box<Submission>),
    /// Staff edit a listing.
    Edit(Box<StaffEdit>),
    /// Staff set or remove a picture of a listing.
    EditPictures(Box<PictureEdit>),
    /// Staff add or remove an owner of a page, or grant a claim.
    ChangeOwners(Box<OwnerChange>),
    /// Publishes the next listings of a kind after an id, with their current URLs.
    Republish(Entity, Uuid),
}

/// The result of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Done {
    Imported,
    Moderated,
    Edited,
    Submitted(Box<SubmissionOutcome>),
    PicturesEdited,
    /// The owners after the change.
    OwnersChanged(Vec<Owner>),
    ClaimGranted(Box<Claim>),
    /// Id of the last listing; `None` when there were no more.
    Republished(Option<Uuid>),
}

/// What commands need besides the database.
#[derive(Debug)]
pub struct CommandDependencies {
    pub public_url: PublicUrl,
    /// Maximum number of pending submissions of one account.
    pub max_pending: i64,
    pub reference_data: ReferenceDataCache,
}

/// Applies commands.
#[derive(Debug)]
pub struct Writes {
    dependencies: Arc<CommandDependencies>,
}

impl Writes {
    pub fn new(dependencies: Arc<CommandDependencies>) -> Self {
        Self { dependencies }
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
        let public_url = &self.dependencies.public_url;
        let mut applied = match item {
            Write::Submit(submission) => {
                let submitting = account::apply(connection, submission, &self.dependencies, now);
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
                let editing = staff_edit::apply(connection, edit, public_url, now);
                Box::pin(editing).await?.map(|()| Done::Edited)
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

    fn classify(&self, error: &sqlx::Error) -> ErrorClass {
        if constraints::is_name_taken(error) {
            // Another replica has just taken the slug.
            return ErrorClass::Transient;
        }
        match constraints::field_errors(error) {
            Some(problems) => ErrorClass::Rejected(Fault::invalid(problems)),
            None => ErrorClass::Unknown,
        }
    }
}

/// The error for a result that does not belong to the command.
pub fn unexpected(done: &Done) -> Fault {
    tracing::error!(?done, "the writer returned the result of another command");
    Fault::new(Code::Internal, "Something broke on our side.")
}
