//! The commands. Every change of a record goes through the feed's writer as one of them.
//!
//! A command is one function, with the steps lock, load, decide, save, publish; each kind of command has a file. The writer applies a
//! command under its own savepoint, in a transaction that commands share.

pub mod absent;
pub mod claims;
pub mod follow_page;
pub mod import;
pub mod limits;
mod lock_listing;
pub mod moderate;
pub mod page_owners;
pub mod pictures;
mod record_change;
pub mod reference_data_cache;
mod republish;
pub mod staff_edit;
pub mod submission;
pub mod take_down;

use std::sync::Arc;

use contracts::listings::v1::ImportResponse;
use kit::Fault;
use kit::feed::{Apply, ApplyResult, ErrorClass};
use sqlx::PgConnection;
use strum::EnumTryAs;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::entity::Entity;
use crate::feed::PublicUrl;
use crate::store::claims::Claim;
use crate::store::constraints;
use crate::store::page_owners::Owner;
use claims::ClaimChange;
use import::Chunk;
use lock_listing::lock_listing;
use moderate::Moderation;
use page_owners::OwnerChange;
use pictures::PictureEdit;
use reference_data_cache::ReferenceDataCache;
use staff_edit::StaffEdit;
use submission::{Receipt, Submission};
use take_down::OwnTakedown;

/// A change of records.
#[derive(Debug)]
pub enum Command {
    Import(Box<Chunk>),
    /// Staff approve, reject, take down or restore a listing.
    Moderate(Box<Moderation>),
    /// An account submits or changes a listing.
    Submit(Box<Submission>),
    /// Staff edit a listing.
    StaffEdit(Box<StaffEdit>),
    /// Staff set or remove a picture of a listing.
    EditPictures(Box<PictureEdit>),
    /// Staff add or remove an owner of a page.
    ChangeOwners(Box<OwnerChange>),
    /// An account claims a page, or staff decide on a claim.
    Claim(Box<ClaimChange>),
    /// An account takes down a listing of its own.
    TakeDown(OwnTakedown),
    /// Publishes the next listings of a kind after an id, with their current URLs.
    Republish(Entity, Uuid),
    /// Lets the next games of a page follow its state.
    FollowPage(Uuid),
}

/// The outcome of a command.
#[derive(Debug, Clone, PartialEq, EnumTryAs)]
pub enum Outcome {
    /// What became of the rows.
    Imported(Box<ImportResponse>),
    /// A page that has more games than follow it in one transaction.
    Moderated(Option<Uuid>),
    /// Nothing that a caller reads.
    Done,
    Submitted(Box<Receipt>),
    /// The owners after the change.
    OwnersChanged(Vec<Owner>),
    /// The claim after the change.
    Claim(Box<Claim>),
    /// Id of the last listing; `None` when there were no more.
    Republished(Option<Uuid>),
    /// Whether games of the page may be left that do not follow it yet.
    PageFollowed(bool),
}

/// What commands need besides the database.
#[derive(Debug)]
pub struct CommandDependencies {
    pub public_url: PublicUrl,
    /// Maximum number of pending submissions of one account.
    pub max_pending: i64,
    pub reference_data: ReferenceDataCache,
}

/// What a command works with, inside the writer's transaction.
struct CommandContext<'a> {
    connection: &'a mut PgConnection,
    dependencies: &'a CommandDependencies,
    now: OffsetDateTime,
}

/// Applies commands inside the writer's transaction.
#[derive(Debug)]
pub struct CommandHandler {
    dependencies: Arc<CommandDependencies>,
}

impl CommandHandler {
    pub fn new(dependencies: Arc<CommandDependencies>) -> Self {
        Self { dependencies }
    }
}

impl Apply for CommandHandler {
    type Item = Command;
    type Outcome = Outcome;

    async fn apply(
        &self,
        connection: &mut PgConnection,
        command: &Command,
        now: OffsetDateTime,
    ) -> ApplyResult<Outcome> {
        let context = &mut CommandContext {
            connection,
            dependencies: &self.dependencies,
            now,
        };
        // Each is boxed: otherwise the future of this function has the size of the largest one.
        let (outcome, mut changes) = match command {
            Command::Submit(submission) => {
                let submitting = submission::apply::apply(context, submission);
                let (receipt, changes) = Box::pin(submitting).await?;
                (Outcome::Submitted(receipt), changes)
            }
            Command::Import(chunk) => {
                let importing = import::apply::apply(context, chunk);
                let (report, changes) = Box::pin(importing).await?;
                (Outcome::Imported(Box::new(report)), changes)
            }
            Command::Moderate(moderation) => {
                let moderating = moderate::apply(context, moderation);
                let (unfinished, changes) = Box::pin(moderating).await?;
                (Outcome::Moderated(unfinished), changes)
            }
            Command::StaffEdit(edit) => {
                let editing = staff_edit::apply(context, edit);
                (Outcome::Done, Box::pin(editing).await?)
            }
            Command::EditPictures(edit) => {
                let editing = pictures::apply(context, edit);
                (Outcome::Done, Box::pin(editing).await?)
            }
            Command::ChangeOwners(change) => {
                let changing = page_owners::apply(context, change);
                let (owners, changes) = Box::pin(changing).await?;
                (Outcome::OwnersChanged(owners), changes)
            }
            Command::Claim(change) => {
                let changing = claims::apply(context, change);
                let (claim, changes) = Box::pin(changing).await?;
                (Outcome::Claim(claim), changes)
            }
            Command::TakeDown(takedown) => {
                let taking_down = take_down::apply(context, takedown);
                let (unfinished, changes) = Box::pin(taking_down).await?;
                (Outcome::Moderated(unfinished), changes)
            }
            Command::Republish(entity, after) => {
                let republishing = republish::republish(context, *entity, *after);
                let (last, changes) = Box::pin(republishing).await?;
                (Outcome::Republished(last), changes)
            }
            Command::FollowPage(page) => {
                let following = follow_page::resume(context, *page);
                let (changes, is_unfinished) = Box::pin(following).await?;
                (Outcome::PageFollowed(is_unfinished), changes)
            }
        };
        page_owners::append_owners(context.connection, &mut changes).await?;
        Ok((outcome, changes))
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
