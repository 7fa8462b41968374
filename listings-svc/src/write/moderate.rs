//! Moderation: staff approve, reject, take down and restore listings.

use kit::Fault;
use kit::feed::NewChange;
use kit::rpc::staff::Member;
use serde::Serialize;
use uuid::Uuid;

use super::absent::listing_not_found;
use super::record_change::{StaffChange, check_revision, update_by_staff};
use super::{CommandContext, CommandDependencies, follow_page, lock_listing};
use crate::domain::audit_action::AuditAction;
use crate::domain::content::Content;
use crate::domain::entity::Entity;
use crate::domain::event::Event;
use crate::domain::game::Game;
use crate::domain::listing::Listing;
use crate::domain::listing_name::ListingName;
use crate::domain::page::Page;
use crate::domain::state::{ListingState, Transition};
use crate::feed::decisions::{DecisionKind, StaffDecision};
use crate::feed::{ChangeKind, Publish};
use crate::store::{ListingTable, listings};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moderation {
    pub listing: ListingName,
    pub transition: Transition,
    /// May be empty.
    pub reason: String,
    /// The revision that the member has seen. The decision is refused when the listing has another.
    pub revision: Option<i64>,
    pub by: Member,
}

/// What a [`Moderation`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moderated {
    /// `false`: the listing was in that state before.
    pub is_changed: bool,
    /// The page, if it has more games than follow it in one transaction.
    pub unfinished: Option<Uuid>,
}

pub async fn apply(
    commands: &CommandDependencies,
    moderation: &Moderation,
) -> Result<Moderated, Fault> {
    match moderation.listing.entity {
        Entity::Page => moderate::<Page>(commands, moderation).await,
        Entity::Game => moderate::<Game>(commands, moderation).await,
        Entity::Event => moderate::<Event>(commands, moderation).await,
    }
}

async fn moderate<C>(
    commands: &CommandDependencies,
    moderation: &Moderation,
) -> Result<Moderated, Fault>
where
    C: Content,
    Listing<C>: ListingTable + Publish + Serialize,
{
    let mut context = commands.begin().await?;
    let ListingName { mode, key, .. } = &moderation.listing;
    let before = lock_listing::<C>(&mut context.connection, *mode, key).await?;
    let before = before.ok_or_else(listing_not_found)?;
    let Some(state) = before.state.apply(moderation.transition) else {
        return Err(transition_refused(before.state, moderation.transition));
    };
    let current = follow_page::under_its_page(&mut context, &before).await?;
    let Some(after) = current.with_state(state, context.now) else {
        context.commit(Vec::new()).await?;
        return Ok(Moderated {
            is_changed: false,
            unfinished: None,
        });
    };
    if let Some(fault) = check_revision(moderation.revision, before.revision) {
        return Err(fault);
    }
    let change = StaffChange {
        by: &moderation.by,
        action: audit_action(moderation.transition),
        reason: &moderation.reason,
        now: context.now,
    };
    update_by_staff(&mut context.connection, &before, &after, change).await?;
    let change_kind = match moderation.transition {
        Transition::Approve => ChangeKind::Approved,
        Transition::Reject => ChangeKind::Rejected,
        Transition::TakeDown => ChangeKind::Removed,
        Transition::Restore => ChangeKind::Restored,
    };
    let following = follow_page::changes(&mut context, &before, &after, change_kind);
    let (unfinished, mut changes) = following.await?;
    let kind = decision_kind(moderation.transition, after.is_visible());
    changes.extend(decision(&mut context, moderation, kind, after.id).await?);
    context.commit(changes).await?;
    Ok(Moderated {
        is_changed: true,
        unfinished,
    })
}

/// The decision on a listing, for its owners.
async fn decision(
    context: &mut CommandContext,
    moderation: &Moderation,
    kind: DecisionKind,
    listing: Uuid,
) -> Result<Option<NewChange>, sqlx::Error> {
    let ListingName { entity, key, .. } = &moderation.listing;
    let named = listings::title_and_owners(&mut context.connection, *entity, listing);
    let (title, accounts) = named.await?;
    let decision = StaffDecision {
        kind,
        entity: *entity,
        name: key,
        title: &title,
        reason: &moderation.reason,
        accounts,
    };
    Ok(decision.change())
}

/// `is_public` is whether the public sees the listing after the transition.
const fn decision_kind(transition: Transition, is_public: bool) -> DecisionKind {
    match transition {
        Transition::Approve | Transition::Restore if is_public => DecisionKind::ListingPublished,
        Transition::Approve | Transition::Restore => DecisionKind::ListingApproved,
        Transition::Reject => DecisionKind::ListingRejected,
        Transition::TakeDown => DecisionKind::ListingRemoved,
    }
}

pub const fn audit_action(transition: Transition) -> AuditAction {
    match transition {
        Transition::Approve => AuditAction::Approve,
        Transition::Reject => AuditAction::Reject,
        Transition::TakeDown => AuditAction::TakeDown,
        Transition::Restore => AuditAction::Restore,
    }
}

fn transition_refused(state: ListingState, transition: Transition) -> Fault {
    let current = state.phrase();
    let rule = match transition {
        Transition::Approve | Transition::Reject => {
            "Only a pending listing is approved or rejected. A rejected one is pending again once its account changes it, and a \
             public one is taken down and restored."
        }
        Transition::TakeDown | Transition::Restore => {
            "Only a public listing is taken down, and only a listing that was taken down is restored."
        }
    };
    Fault::invalid_field("name", format!("This listing {current}. {rule}"))
}
