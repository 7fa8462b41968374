//! Moderation: staff approve, reject, take down and restore listings.

use kit::Fault;
use kit::rpc::staff::Member;

use super::absent::listing_not_found;
use super::record_change::{StaffChange, check_revision, update_by_staff};
use super::{CommandDependencies, page_games};
use crate::domain::listing_name::ListingName;
use crate::domain::state::{ListingState, StateCause, Transition};
use crate::feed::decisions::{DecisionKind, StaffDecision};
use crate::store::listings;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moderation {
    pub listing: ListingName,
    pub transition: Transition,
    /// May be empty.
    pub reason: String,
    /// The revision that the member has seen, which an approval must name. The decision is refused when the listing has another.
    pub revision: Option<i64>,
    pub by: Member,
}

/// Returns whether the listing changed: false when it was in that state before.
pub async fn apply(commands: &CommandDependencies, moderation: &Moderation) -> Result<bool, Fault> {
    let mut transaction = commands.producer.begin().await?;
    let before = listings::lock(&mut transaction, &moderation.listing)
        .await?
        .ok_or_else(listing_not_found)?;
    let transition = moderation.transition;
    let Some((state, recipients)) = transition.rule().after(before.state) else {
        return Err(transition_refused(before.state, transition));
    };
    let cause = StateCause::staff(transaction.now, &moderation.reason);
    let Some(after) = before.with_state(state, cause) else {
        transaction.commit(&[]).await?;
        return Ok(false);
    };
    if let Some(fault) = check_revision(moderation.revision, before.revision) {
        return Err(fault);
    }
    let change = StaffChange {
        by: &moderation.by,
        action: transition.audit_action(),
        reason: &moderation.reason,
        now: transaction.now,
    };
    update_by_staff(&mut transaction, &before, &after, change).await?;
    let owners = listings::owners(&mut transaction, after.id).await?;
    let mut changes = page_games::changes(&mut transaction, &before, &after, &owners).await?;
    let kind = decision_kind(transition, after.is_visible());
    let decision = StaffDecision {
        reason: &moderation.reason,
        ..StaffDecision::on(&after, kind, recipients.among(owners, None))
    };
    changes.extend(decision.change());
    transaction.commit(&changes).await?;
    Ok(true)
}

/// `is_public` is whether the public sees the listing after the transition.
const fn decision_kind(transition: Transition, is_public: bool) -> DecisionKind {
    match transition {
        Transition::Approve if is_public => DecisionKind::ListingPublished,
        Transition::Approve => DecisionKind::ListingApproved,
        Transition::Restore => DecisionKind::ListingRestored,
        Transition::Reject => DecisionKind::ListingRejected,
        Transition::TakeDown => DecisionKind::ListingRemoved,
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
