//! Edits of listings by staff: fields, among them the page of a game and the account of an event.

use kit::Fault;
use kit::feed::NewChange;
use kit::rpc::staff::Member;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::absent::listing_not_found;
use super::record_change::{StaffChange, check_revision, update_by_staff};
use super::{CommandContext, CommandDependencies, follow_page, lock_listing};
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
use crate::domain::slug;
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
    /// Sets these fields; with the reference data for them, and the action for the audit.
    SetFields(Map<String, Value>, Box<ReferenceData>, AuditAction),
    /// Sets the content to that of an earlier revision.
    Revert(i64),
}

impl EditOperation {
    const fn audit_action(&self) -> AuditAction {
        match self {
            Self::SetFields(_, _, action) => *action,
            Self::Revert(_) => AuditAction::Revert,
        }
    }
}

/// The listing after an edit; `None` when nothing changed.
type EditResult<C> = Result<Option<Listing<C>>, Fault>;

/// Edits a listing. Its state stays.
pub async fn apply(commands: &CommandDependencies, edit: &StaffEdit) -> Result<(), Fault> {
    let mut context = commands.begin().await?;
    let changes = edit_listing(&mut context, edit).await?;
    context.commit(changes).await
}

async fn edit_listing(
    context: &mut CommandContext,
    edit: &StaffEdit,
) -> Result<Vec<NewChange>, Fault> {
    let now = context.now;
    match (&edit.operation, edit.listing.entity) {
        (EditOperation::SetFields(changes, reference, _), Entity::Page) => {
            let change = |page: &Listing<Page>| set_fields(page, changes, reference, now);
            apply_change(context, edit, change).await
        }
        (EditOperation::SetFields(changes, reference, _), Entity::Game) => {
            let page = new_page(context, edit, changes).await?;
            let mut reference = ReferenceData::clone(reference);
            if let Some(page) = &page {
                let handle = page.content.handle.clone();
                reference.creators.insert(handle, page.id);
            }
            let change = |game: &Listing<Game>| {
                let edited = set_fields(game, changes, &reference, now)?;
                let is_new = |it: &Listing<Game>| it.content.featured && !game.content.featured;
                if edited.as_ref().is_some_and(is_new) && !game.is_visible() {
                    let reason = "This game is not public: only a published game can be featured.";
                    return Err(Fault::invalid_field("featured", reason));
                }
                Ok(edited.map(|game| match &page {
                    Some(page) => game.under_page(page.is_visible(), now),
                    None => game,
                }))
            };
            apply_change(context, edit, change).await
        }
        (EditOperation::SetFields(changes, reference, _), Entity::Event) => {
            let account = changes.get("account").map(account).transpose()?;
            let change = |event: &Listing<Event>| {
                let edited = set_fields(event, changes, reference, now)?;
                let Some(account) = account.filter(|it| event.submitter != Some(*it)) else {
                    return Ok(edited);
                };
                Ok(Some(Listing {
                    submitter: Some(account),
                    revision: event.revision + 1,
                    ..edited.unwrap_or_else(|| event.clone())
                }))
            };
            apply_change(context, edit, change).await
        }
        (EditOperation::Revert(revision), _) => apply_revert(context, edit, *revision).await,
    }
}

/// The page that an edit moves a game to. It is locked, so that nobody takes it down meanwhile.
async fn new_page(
    context: &mut CommandContext,
    edit: &StaffEdit,
    changes: &Map<String, Value>,
) -> Result<Option<Listing<Page>>, Fault> {
    let handle = changes.get("creator").and_then(Value::as_str);
    let Some(handle) = handle.filter(|handle| slug::is_valid(handle)) else {
        return Ok(None);
    };
    let page = lock_listing::<Page>(&mut context.connection, edit.listing.mode, handle).await?;
    let accepts_games = |page: &Listing<Page>| {
        matches!(page.state, ListingState::Pending | ListingState::Published)
    };
    let page = page.filter(accepts_games).ok_or_else(|| {
        let reason =
            "No page has this handle, or the page was rejected or taken down: give another.";
        Fault::invalid_field("creator", reason)
    })?;
    Ok(Some(page))
}

fn account(sent: &Value) -> Result<Uuid, Fault> {
    let account = sent.as_str().and_then(|id| id.parse().ok());
    account.ok_or_else(|| Fault::invalid_field("account", "Give the id of an account."))
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
) -> Result<Map<String, Value>, Fault> {
    let found = history::find(&mut *connection, &edit.listing).await?;
    let (id, current) = found.ok_or_else(listing_not_found)?;
    if !(1..=current).contains(&revision) {
        let reason = format!("The listing has the revisions 1 to {current}: give one of them.");
        return Err(Fault::invalid_field("to_revision", reason));
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
    context: &mut CommandContext,
    edit: &StaffEdit,
    revision: i64,
) -> Result<Vec<NewChange>, Fault> {
    let old = content_at(&mut context.connection, edit, revision).await?;
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
        Entity::Event => {
            let change = |event: &Listing<Event>| revert(event, &old, now);
            apply_change(context, edit, change).await
        }
    }
}

async fn apply_change<C: Content>(
    context: &mut CommandContext,
    edit: &StaffEdit,
    change: impl FnOnce(&Listing<C>) -> EditResult<C>,
) -> Result<Vec<NewChange>, Fault>
where
    Listing<C>: ListingTable + Publish + Serialize,
{
    let ListingName { mode, key, .. } = &edit.listing;
    let before = lock_listing::<C>(&mut context.connection, *mode, key).await?;
    let before = before.ok_or_else(listing_not_found)?;
    let current = follow_page::under_its_page(context, &before).await?;
    let Some(after) = change(&current)? else {
        return Ok(Vec::new());
    };
    if let Some(fault) = check_revision(edit.revision, before.revision) {
        return Err(fault);
    }
    let change = StaffChange {
        by: &edit.by,
        action: edit.operation.audit_action(),
        reason: &edit.reason,
        now: context.now,
    };
    update_by_staff(&mut context.connection, &before, &after, change).await?;
    // The account of an event is not public.
    let change_kind = if before.content == after.content {
        ChangeKind::OwnersChanged
    } else {
        ChangeKind::Updated
    };
    Ok(vec![listing_change(Some(&before), &after, change_kind)])
}
