//! Edits of listings by staff, inside the writer's transaction: fields, a featured game, a verified page, the page of a game, the account
//! of an event.

use kit::Fault;
use kit::feed::{ApplyError, NewChange};
use kit::rpc::staff::Member;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::absent::listing_not_found;
use super::record_change::{StaffChange, check_revision, update_by_staff};
use super::{CommandContext, follow_page, lock_listing};
use crate::domain::audit_action::AuditAction;
use crate::domain::content::Content;
use crate::domain::difference;
use crate::domain::edit::{self, Editable};
use crate::domain::entity::Entity;
use crate::domain::event::Event;
use crate::domain::game::Game;
use crate::domain::listing::Listing;
use crate::domain::listing_name::ListingName;
use crate::domain::page::Page;
use crate::domain::reference_data::ReferenceData;
use crate::domain::state::ListingState;
use crate::feed::{ChangeKind, Publish, listing_change};
use crate::store::{ListingTable, history};

#[derive(Debug)]
pub struct StaffEdit {
    pub listing: ListingName,
    pub operation: EditOperation,
    /// For the audit; may be empty.
    pub reason: String,
    /// The revision that the member has seen. The edit is refused when the listing has another.
    pub revision: Option<i64>,
    pub by: Member,
}

#[derive(Debug)]
pub enum EditOperation {
    /// Sets these fields; with the reference data for them.
    SetFields(Map<String, Value>, Box<ReferenceData>),
    /// Sets the content to that of an earlier revision.
    Revert(i64),
    /// Features a game, or ends that.
    Feature(bool),
    /// Gives a page the verified badge, or takes it away.
    Verify(bool),
    /// Moves a game to the page with this handle.
    MoveToPage(String),
    /// Assigns an event to this account.
    AssignToAccount(Uuid),
}

impl EditOperation {
    pub const fn audit_action(&self) -> AuditAction {
        match self {
            Self::SetFields(..) => AuditAction::Edit,
            Self::Revert(_) => AuditAction::Revert,
            Self::Feature(true) => AuditAction::Feature,
            Self::Feature(false) => AuditAction::Unfeature,
            Self::Verify(true) => AuditAction::Verify,
            Self::Verify(false) => AuditAction::Unverify,
            Self::MoveToPage(_) | Self::AssignToAccount(_) => AuditAction::Reassign,
        }
    }
}

/// The listing after an edit; `None` when nothing changed.
type EditResult<C> = Result<Option<Listing<C>>, Fault>;

/// Edits a listing. Its state stays.
pub(super) async fn apply(
    context: &mut CommandContext<'_>,
    edit: &StaffEdit,
) -> Result<Vec<NewChange>, ApplyError> {
    let now = context.now;
    match (&edit.operation, edit.listing.entity) {
        (EditOperation::SetFields(changes, reference), Entity::Page) => {
            let change = |page: &Listing<Page>| set_fields(page, changes, reference, now);
            apply_change(context, edit, change).await
        }
        (EditOperation::SetFields(changes, reference), Entity::Game) => {
            let change = |game: &Listing<Game>| set_fields(game, changes, reference, now);
            apply_change(context, edit, change).await
        }
        (EditOperation::SetFields(changes, reference), Entity::Event) => {
            let change = |event: &Listing<Event>| set_fields(event, changes, reference, now);
            apply_change(context, edit, change).await
        }
        (EditOperation::Revert(revision), _) => apply_revert(context, edit, *revision).await,
        (EditOperation::Feature(featured), Entity::Game) => {
            let change = |game: &Listing<Game>| {
                if *featured && !game.is_visible() {
                    let reason = "This game is not public: only a published game can be featured.";
                    return Err(Fault::invalid_field("name", reason));
                }
                let mut content = game.content.clone();
                content.featured = *featured;
                Ok(game.apply_staff_edit(content, now))
            };
            apply_change(context, edit, change).await
        }
        (EditOperation::Verify(verified), Entity::Page) => {
            let change = |page: &Listing<Page>| {
                let mut content = page.content.clone();
                content.verified = *verified;
                Ok(page.apply_staff_edit(content, now))
            };
            apply_change(context, edit, change).await
        }
        (EditOperation::MoveToPage(handle), Entity::Game) => {
            // Locked, so that nobody takes the page down meanwhile.
            let page = lock_listing::<Page>(context.connection, edit.listing.mode, handle).await?;
            let accepts_games = |page: &Listing<Page>| {
                matches!(page.state, ListingState::Pending | ListingState::Published)
            };
            let Some(page) = page.filter(accepts_games) else {
                return Err(Fault::invalid_field(
                    "to",
                    "No page has this handle, or the page was rejected or taken down: give another.",
                ).into());
            };
            let change = |game: &Listing<Game>| {
                let mut content = game.content.clone();
                content.page_id = page.id;
                let moved = game.apply_staff_edit(content, now);
                Ok(moved.map(|game| game.under_page(page.is_visible(), now)))
            };
            apply_change(context, edit, change).await
        }
        (EditOperation::AssignToAccount(account), Entity::Event) => {
            let change = |event: &Listing<Event>| Ok(event.assign_to(*account));
            apply_change(context, edit, change).await
        }
        // The service has refused the other combinations.
        _ => Err(listing_not_found().into()),
    }
}

fn set_fields<C: Editable + Clone + PartialEq>(
    listing: &Listing<C>,
    changes: &Map<String, Value>,
    reference: &ReferenceData,
    now: OffsetDateTime,
) -> EditResult<C> {
    let content = edit::apply(&listing.content, changes, reference).map_err(Fault::invalid)?;
    Ok(listing.apply_staff_edit(content, now))
}

/// The fields of the listing at a revision. What they were does not change any more, so this needs no lock.
async fn content_at(
    connection: &mut PgConnection,
    edit: &StaffEdit,
    revision: i64,
) -> Result<Map<String, Value>, ApplyError> {
    let found = history::find(&mut *connection, &edit.listing).await?;
    let (id, current) = found.ok_or_else(listing_not_found)?;
    if !(1..=current).contains(&revision) {
        let reason = format!("The listing has the revisions 1 to {current}: give one of them.");
        return Err(Fault::invalid_field("to_revision", reason).into());
    }
    let versions = history::versions(connection, edit.listing.entity, id, Some(revision)).await?;
    let old = versions.and_then(|versions| versions.then);
    Ok(difference::content(&old.ok_or_else(listing_not_found)?))
}

fn revert<C: Clone + PartialEq + Serialize + DeserializeOwned>(
    listing: &Listing<C>,
    old: &Map<String, Value>,
    now: OffsetDateTime,
) -> EditResult<C> {
    let content = edit::revert(&listing.content, old).map_err(|error| Fault::internal(&error))?;
    Ok(listing.apply_staff_edit(content, now))
}

async fn apply_revert(
    context: &mut CommandContext<'_>,
    edit: &StaffEdit,
    revision: i64,
) -> Result<Vec<NewChange>, ApplyError> {
    let old = content_at(context.connection, edit, revision).await?;
    let now = context.now;
    match edit.listing.entity {
        Entity::Page => {
            let change = |page: &Listing<Page>| revert(page, &old, now);
            apply_change(context, edit, change).await
        }
        Entity::Game => {
            let change = |game: &Listing<Game>| revert(game, &old, now);
            apply_change(context, edit, change).await
        }
        _ => {
            let change = |event: &Listing<Event>| revert(event, &old, now);
            apply_change(context, edit, change).await
        }
    }
}

async fn apply_change<C: Content>(
    context: &mut CommandContext<'_>,
    edit: &StaffEdit,
    change: impl FnOnce(&Listing<C>) -> EditResult<C>,
) -> Result<Vec<NewChange>, ApplyError>
where
    Listing<C>: ListingTable + Publish + Serialize,
{
    let ListingName { mode, key, .. } = &edit.listing;
    let before = lock_listing::<C>(context.connection, *mode, key).await?;
    let before = before.ok_or_else(listing_not_found)?;
    let current = follow_page::under_its_page(context, &before).await?;
    let Some(after) = change(&current)? else {
        return Ok(Vec::new());
    };
    if let Some(fault) = check_revision(edit.revision, before.revision) {
        return Err(fault.into());
    }
    let change = StaffChange {
        by: &edit.by,
        action: edit.operation.audit_action(),
        reason: &edit.reason,
        now: context.now,
    };
    update_by_staff(context.connection, &before, &after, change).await?;
    // The account of an event is not public.
    let change_kind = match edit.operation {
        EditOperation::AssignToAccount(_) => ChangeKind::OwnersChanged,
        _ => ChangeKind::Updated,
    };
    let change = listing_change(
        Some(&before),
        &after,
        change_kind,
        &context.dependencies.public_url,
    );
    Ok(vec![change])
}
