//! Claims of pages: accounts make them, and staff decide on them.

use kit::audit::{self, AuthorizedAction};
use kit::feed::{NewChange, Transaction};
use kit::rpc::staff::Member;
use kit::{Fault, ids};
use serde_json::json;
use uuid::Uuid;

use super::{CommandDependencies, limits, page_owners};
use crate::SCHEMA;
use crate::domain::audit_action::AuditAction;
use crate::domain::claim::ClaimState;
use crate::domain::entity::Entity;
use crate::domain::listing::Listing;
use crate::domain::listing_name::ListingName;
use crate::domain::state::OwnershipChange;
use crate::feed::decisions::{DecisionKind, StaffDecision};
use crate::store::claims::{self as store, Claim};
use crate::store::page_owners as owners;
use crate::store::{accounts, listings};

/// The reason of the rejection of claims of an account without people.
const ACCOUNT_CLOSED: &str = "The account was closed.";

/// An account claims a public page that it does not own yet, within its limit. Returns the claim.
pub async fn make(
    commands: &CommandDependencies,
    account: Uuid,
    handle: &str,
    evidence: &str,
) -> Result<Claim, Fault> {
    let mut transaction = commands.producer.begin().await?;
    let now = transaction.now;
    let connection = &mut *transaction;
    // Locked, so that its waiting claims are counted exactly.
    accounts::lock(connection, account, now.date(), 0).await?;
    let found = listings::find(&mut *connection, &ListingName::page(handle)).await?;
    let not_found = || Fault::not_found("There is no public page with this handle.");
    let page = found.filter(Listing::is_visible).ok_or_else(not_found)?.id;
    let owners = owners::list(&mut *connection, page).await?;
    if owners.iter().any(|owner| owner.account_id == account) {
        return Err(Fault::invalid_field("handle", "You own this page already."));
    }
    let others = store::count_others(connection, page, account).await?;
    limits::check_claims(others)?;
    let id = store::insert(connection, ids::row_id(), (page, account), evidence, now).await?;
    finish(transaction, id, Vec::new()).await
}

/// Staff grant a claim, or reject it with a reason. Returns the claim.
pub async fn decide(
    commands: &CommandDependencies,
    id: Uuid,
    state: ClaimState,
    reason: &str,
    by: Member,
) -> Result<Claim, Fault> {
    let mut transaction = commands.producer.begin().await?;
    let now = transaction.now;
    let claim = store::lock(&mut transaction, id).await?.ok_or_else(no_claim)?;
    if claim.state == state {
        return finish(transaction, id, Vec::new()).await;
    }
    if claim.state != ClaimState::Waiting {
        let before = claim.state.as_str();
        let problem = format!("This claim was {before} before: add or remove the owner instead.");
        return Err(Fault::invalid_field("id", problem));
    }
    let mut changes = Vec::new();
    let (kind, action) = if state == ClaimState::Granted {
        let page = page_owners::lock(&mut transaction, &claim.handle).await?;
        let (change, account) = (OwnershipChange::GrantClaim, claim.account_id);
        let granted = page_owners::change_owners(&mut transaction, change, &page, account, now);
        changes.extend(granted.await?);
        (DecisionKind::ClaimGranted, change.audit_action())
    } else {
        (DecisionKind::ClaimRejected, AuditAction::RejectClaim)
    };
    store::decide(&mut transaction, id, state, reason, now).await?;
    let subject = audit::Subject {
        entity: Entity::Page.as_str(),
        name: claim.handle.clone(),
        details: json!({ "reason": reason, "claim": id, "account": claim.account_id }),
    };
    AuthorizedAction { member: by, action }.record(&mut *transaction, SCHEMA, subject, now).await?;
    let decision = StaffDecision {
        kind,
        entity: Entity::Page,
        name: &claim.handle,
        title: &claim.name,
        reason,
        accounts: vec![claim.account_id],
        named: None,
        former: None,
        pages: None,
    };
    changes.extend(decision.change());
    finish(transaction, id, changes).await
}

/// An account withdraws a claim of its own that waits. Nobody has decided on it, so its row is deleted.
///
/// Returns the claim; `None` if the account has no such claim that waits.
pub async fn withdraw(
    commands: &CommandDependencies,
    account: Uuid,
    id: Uuid,
) -> Result<Option<Claim>, Fault> {
    let mut transaction = commands.producer.begin().await?;
    let claim = store::lock(&mut transaction, id).await?;
    let own = claim.filter(|claim| claim.account_id == account);
    if let Some(claim) = &own
        && claim.state == ClaimState::Granted
    {
        let reason =
            "This claim was granted: the account owns the page. Write to staff to change that.";
        return Err(Fault::invalid_field("id", reason));
    }
    let waiting = own.filter(|claim| claim.state == ClaimState::Waiting);
    if waiting.is_some() {
        store::delete(&mut transaction, id).await?;
    }
    transaction.commit(&[]).await?;
    Ok(waiting)
}

/// Commits; returns the claim after that.
async fn finish(
    mut transaction: Transaction,
    id: Uuid,
    changes: Vec<NewChange>,
) -> Result<Claim, Fault> {
    let claim = store::find(&mut *transaction, id).await?;
    transaction.commit(&changes).await?;
    claim.ok_or_else(no_claim)
}

/// Rejects the waiting claims of an account that has no people any more: nobody would own the page.
pub async fn reject_all_waiting(
    commands: &CommandDependencies,
    account: Uuid,
) -> Result<(), Fault> {
    let mut transaction = commands.producer.begin().await?;
    let now = transaction.now;
    let connection = &mut *transaction;
    // A claim that is being made comes first.
    accounts::lock(connection, account, now.date(), 0).await?;
    store::reject_waiting(connection, account, ACCOUNT_CLOSED, now).await?;
    transaction.commit(&[]).await
}

fn no_claim() -> Fault {
    Fault::not_found("There is no claim with this id.")
}
