//! Edits of listings by staff: fields, among them the page of a game and the account of an event.

use kit::Fault;
use kit::feed::{NewChange, Transaction};
use kit::rpc::staff::Member;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::CommandDependencies;
use super::absent::listing_not_found;
use super::record_change::{StaffChange, check_revision, update_by_staff};
use crate::domain::audit_action::AuditAction;
use crate::domain::difference;
use crate::domain::entity::Entity;
use crate::domain::fields;
use crate::domain::game;
use crate::domain::listing::{Content, Listing};
use crate::domain::listing_name::ListingName;
use crate::domain::reference_data::ReferenceData;
use crate::domain::slug;
use crate::domain::state::{ListingState, OwnershipChange};
use crate::feed::decisions::StaffDecision;
use crate::feed::listing_change;
use crate::store::{history, listings};

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
    /// Restores the content of an earlier revision.
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

/// What a return to an earlier revision leaves as it is: pictures, whose files may be gone, and what staff decide by other calls.
const NOT_REVERTED: [&str; 6] =
    ["avatar_url", "cover_url", "screenshots", "featured", "verified", "page_id"];

/// Edits a listing. Its state stays.
pub async fn apply(commands: &CommandDependencies, edit: &StaffEdit) -> Result<(), Fault> {
    let mut transaction = commands.producer.begin().await?;
    let changes = edit_listing(&mut transaction, edit).await?;
    transaction.commit(&changes).await
}

async fn edit_listing(
    transaction: &mut Transaction,
    edit: &StaffEdit,
) -> Result<Vec<NewChange>, Fault> {
    // The page is locked before the game.
    let page = new_page(transaction, edit).await?;
    let before = listings::lock(transaction, &edit.listing).await?.ok_or_else(listing_not_found)?;
    let after = match &edit.operation {
        EditOperation::SetFields(changes, reference, _) => {
            let mut reference = ReferenceData::clone(reference);
            if let Some(page) = &page {
                reference.creators.insert(page.name().to_owned(), page.id);
            }
            let content =
                fields::read_edit(changes, &reference, &before).map_err(Fault::invalid)?;
            check_featured(&before, &content)?;
            let edited =
                before.apply_staff_edit(content, transaction.now).map(|listing| match &page {
                    Some(page) => listing.under_page(page.is_visible(), transaction.now),
                    None => listing,
                });
            given_to(&before, edited, changes)?
        }
        EditOperation::Revert(revision) => {
            let old = content_at(transaction, &before, *revision).await?;
            before.apply_staff_edit(reverted(&before, &old)?, transaction.now)
        }
    };
    let Some(after) = after else {
        return Ok(Vec::new());
    };
    if let Some(fault) = check_revision(edit.revision, before.revision) {
        return Err(fault);
    }
    let change = StaffChange {
        by: &edit.by,
        action: edit.operation.audit_action(),
        reason: &edit.reason,
        now: transaction.now,
    };
    update_by_staff(transaction, &before, &after, change).await?;
    let owners = listings::owners(transaction, before.id).await?;
    let changed = listing_change(Some(&before), &after, &owners);
    let moved = if before.submitter != after.submitter {
        event_moved(&before, &after)
    } else if let Some(page) = page {
        game_moved(transaction, &before, &after, &page, owners).await?
    } else {
        None
    };
    Ok([changed].into_iter().chain(moved).collect())
}

/// The move of an event to another account, for both accounts.
fn event_moved(before: &Listing, after: &Listing) -> Option<NewChange> {
    let change = OwnershipChange::MoveEvent;
    let owners = before.submitter.into_iter().chain(after.submitter);
    let readers = change.recipients().among(owners, None);
    let decision = StaffDecision {
        named: after.submitter,
        former: before.submitter,
        ..StaffDecision::on(after, change.into(), readers)
    };
    decision.change()
}

/// The move of a game to a page, for the owners of both pages; `None` when the game was under the page before.
async fn game_moved(
    transaction: &mut Transaction,
    before: &Listing,
    after: &Listing,
    page: &Listing,
    owners: Vec<Uuid>,
) -> Result<Option<NewChange>, Fault> {
    let former = before.content.game().map(|game| game.page_id);
    let Some(former) = former.filter(|former| *former != page.id) else {
        return Ok(None);
    };
    let owners_before = listings::owners(transaction, former).await?;
    let former =
        listings::find_by_id(&mut **transaction, former).await?.map(|page| page.name().to_owned());
    let change = OwnershipChange::MoveGame;
    let owners = owners_before.into_iter().chain(owners);
    let readers = change.recipients().among(owners, None);
    let decision = StaffDecision {
        pages: Some([former.unwrap_or_default(), page.name().to_owned()]),
        ..StaffDecision::on(after, change.into(), readers)
    };
    Ok(decision.change())
}

/// The page that an edit moves a game to. It is locked against a takedown.
async fn new_page(
    transaction: &mut Transaction,
    edit: &StaffEdit,
) -> Result<Option<Listing>, Fault> {
    let (Entity::Game, EditOperation::SetFields(changes, ..)) =
        (edit.listing.entity, &edit.operation)
    else {
        return Ok(None);
    };
    let Some(handle) = game::creator(changes).filter(|handle| slug::is_valid(handle)) else {
        return Ok(None);
    };
    let name =
        ListingName { entity: Entity::Page, mode: edit.listing.mode, key: handle.to_owned() };
    let page = listings::lock(transaction, &name).await?;
    let accepts_games =
        |page: &Listing| matches!(page.state, ListingState::Pending | ListingState::Published);
    let page = page.filter(accepts_games).ok_or_else(|| {
        let reason =
            "No page has this handle, or the page was rejected or taken down: give another.";
        Fault::invalid_field("creator", reason)
    })?;
    Ok(Some(page))
}

/// Refuses to feature a game that is not public.
fn check_featured(before: &Listing, after: &Content) -> Result<(), Fault> {
    let is_featured = |content: &Content| content.game().is_some_and(|game| game.featured);
    if is_featured(after) && !is_featured(&before.content) && !before.is_visible() {
        let reason = "This game is not public: only a published game can be featured.";
        return Err(Fault::invalid_field("featured", reason));
    }
    Ok(())
}

/// The event with the account that the changes give it to; `edited` for every other edit.
fn given_to(
    before: &Listing,
    edited: Option<Listing>,
    changes: &Map<String, Value>,
) -> Result<Option<Listing>, Fault> {
    let account = changes.get("account");
    let Some(account) = account.filter(|_| before.content.event().is_some()) else {
        return Ok(edited);
    };
    let account = account.as_str().and_then(|id| id.parse::<Uuid>().ok());
    let account =
        account.ok_or_else(|| Fault::invalid_field("account", "Give the id of an account."))?;
    if before.submitter == Some(account) {
        return Ok(edited);
    }
    Ok(Some(Listing {
        submitter: Some(account),
        revision: before.revision + 1,
        ..edited.unwrap_or_else(|| before.clone())
    }))
}

/// Refuses a revision that a listing at the revision `current` does not have.
pub fn check_exists(field: &str, revision: i64, current: i64) -> Result<(), Fault> {
    if (1..=current).contains(&revision) {
        return Ok(());
    }
    let reason = format!("The listing has the revisions 1 to {current}: give one of them.");
    Err(Fault::invalid_field(field, reason))
}

/// The fields of the listing at a revision.
async fn content_at(
    transaction: &mut Transaction,
    listing: &Listing,
    revision: i64,
) -> Result<Map<String, Value>, Fault> {
    check_exists("to_revision", revision, listing.revision)?;
    let versions = history::versions(&mut **transaction, listing.id, revision).await?;
    Ok(difference::content(&versions.ok_or_else(listing_not_found)?.then))
}

/// The content with the fields of an earlier revision.
fn reverted(listing: &Listing, old: &Map<String, Value>) -> Result<Content, Fault> {
    let internal = |error: serde_json::Error| Fault::internal(&error);
    let mut fields = difference::stored(listing).map_err(internal)?;
    for (name, value) in fields.as_object_mut().into_iter().flatten() {
        if let Some(old) = old.get(name)
            && !NOT_REVERTED.contains(&name.as_str())
        {
            *value = old.clone();
        }
    }
    Content::read(listing.entity(), fields).map_err(internal)
}
