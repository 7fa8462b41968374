//! Claims of pages: accounts make them, and staff decide on them.

use kit::audit::{self, AuthorizedAction};
use kit::feed::NewChange;
use kit::rpc::staff::Member;
use kit::{Fault, ids};
use serde_json::json;
use uuid::Uuid;

use super::{CommandContext, CommandDependencies, limits, page_owners};
use crate::SCHEMA;
use crate::domain::audit_action::AuditAction;
use crate::domain::claim::ClaimState;
use crate::domain::entity::Entity;
use crate::domain::listing::Listing;
use crate::domain::listing_name::ListingName;
use crate::feed::decisions::{DecisionKind, StaffDecision};
use crate::feed::{self, ChangeKind};
use crate::store::claims::{self as store, Claim};
use crate::store::page_owners::{self as owners, GrantSource};
use crate::store::{accounts, listings};

/// The reason of the rejection of a claim that a person of its account withdrew.
const WITHDRAWN: &str = "Withdrawn by its account.";

/// The reason of the rejection of claims of an account without people.
const ACCOUNT_CLOSED: &str = "The account was closed.";

#[derive(Debug)]
pub enum ClaimChange {
    /// An account claims the page with this handle.
    Make {
        account: Uuid,
        handle: String,
        evidence: String,
    },
    /// Staff grant or reject a claim.
    Decide {
        claim: Uuid,
        state: ClaimState,
        /// Of a rejection; empty otherwise.
        reason: String,
        by: Member,
    },
    /// An account withdraws a claim of its own.
    Withdraw { account: Uuid, claim: Uuid },
}

/// Returns the claim after the change.
pub async fn apply(commands: &CommandDependencies, change: &ClaimChange) -> Result<Claim, Fault> {
    let mut context = commands.begin().await?;
    let (id, changes) = match change {
        ClaimChange::Make {
            account,
            handle,
            evidence,
        } => {
            let id = make(&mut context, *account, handle, evidence).await?;
            (id, Vec::new())
        }
        ClaimChange::Decide {
            claim,
            state,
            reason,
            by,
        } => {
            let changes = decide(&mut context, *claim, *state, reason, by).await?;
            (*claim, changes)
        }
        ClaimChange::Withdraw { account, claim } => {
            withdraw(&mut context, *account, *claim).await?;
            (*claim, Vec::new())
        }
    };
    let claim = store::find(&mut *context.connection, id).await?;
    let claim = claim.ok_or_else(no_claim)?;
    context.commit(changes).await?;
    Ok(claim)
}

/// Claims a public page that the account does not own yet, within the limit of the account.
async fn make(
    context: &mut CommandContext,
    account: Uuid,
    handle: &str,
    evidence: &str,
) -> Result<Uuid, Fault> {
    let (connection, now) = (&mut *context.connection, context.now);
    // Locked, so that its waiting claims are counted exactly.
    accounts::lock(connection, account, now.date(), 0).await?;
    let found = listings::find(&mut *connection, &ListingName::page(handle)).await?;
    let not_found = || Fault::not_found("There is no public page with this handle.");
    let page = found.filter(Listing::is_visible).ok_or_else(not_found)?.id;
    let owners = owners::of_page(&mut *connection, page).await?;
    if owners.iter().any(|owner| owner.account_id == account) {
        return Err(Fault::invalid_field("handle", "You own this page already."));
    }
    let others = store::count_others(connection, page, account).await?;
    limits::check_claims(others)?;
    Ok(store::insert(connection, ids::row_id(), (page, account), evidence, now).await?)
}

async fn decide(
    context: &mut CommandContext,
    id: Uuid,
    state: ClaimState,
    reason: &str,
    by: &Member,
) -> Result<Vec<NewChange>, Fault> {
    let claim = store::lock(&mut context.connection, id).await?;
    let claim = claim.ok_or_else(no_claim)?;
    if claim.state == state {
        return Ok(Vec::new());
    }
    if claim.state != ClaimState::Waiting {
        let before = claim.state.as_str();
        let problem = format!("This claim was {before} before: add or remove the owner instead.");
        return Err(Fault::invalid_field("id", problem));
    }
    let mut changes = Vec::new();
    let (kind, action) = if state == ClaimState::Granted {
        changes.extend(grant_page(context, &claim).await?);
        (DecisionKind::ClaimGranted, AuditAction::GrantClaim)
    } else {
        (DecisionKind::ClaimRejected, AuditAction::RejectClaim)
    };
    store::decide(&mut context.connection, id, state, reason, context.now).await?;
    let subject = audit::Subject {
        entity: Entity::Page.as_str(),
        name: claim.handle.clone(),
        details: json!({ "reason": reason, "claim": id, "account": claim.account_id }),
    };
    let member = by.clone();
    AuthorizedAction { member, action }
        .record(&mut *context.connection, SCHEMA, subject, context.now)
        .await?;
    let decision = StaffDecision {
        kind,
        entity: Entity::Page,
        name: &claim.handle,
        title: &claim.name,
        reason,
        accounts: vec![claim.account_id],
        named: None,
        former: None,
    };
    changes.extend(decision.change());
    Ok(changes)
}

/// Makes the account of a claim an owner of the page. The other owners learn of it.
async fn grant_page(context: &mut CommandContext, claim: &Claim) -> Result<Vec<NewChange>, Fault> {
    let (connection, now) = (&mut *context.connection, context.now);
    let page = page_owners::lock(connection, &claim.handle).await?;
    let (account, source) = (claim.account_id, GrantSource::Claim);
    let others = listings::owners(connection, page.id).await?;
    if !owners::add(connection, page.id, account, source, now).await? {
        return Ok(Vec::new());
    }
    let owners_changed = feed::change(&page, ChangeKind::OwnersChanged, false);
    let told = page_owners::owner_added(&page, account, others);
    Ok([owners_changed].into_iter().chain(told).collect())
}

async fn withdraw(context: &mut CommandContext, account: Uuid, id: Uuid) -> Result<(), Fault> {
    let (connection, now) = (&mut *context.connection, context.now);
    let claim = store::lock(connection, id).await?;
    let own = claim.filter(|claim| claim.account_id == account);
    match own.ok_or_else(no_claim)?.state {
        ClaimState::Waiting => {
            Ok(store::decide(connection, id, ClaimState::Rejected, WITHDRAWN, now).await?)
        }
        ClaimState::Rejected => Ok(()),
        ClaimState::Granted => Err(Fault::invalid_field(
            "id",
            "This claim was granted: the account owns the page. Write to staff to change that.",
        )),
    }
}

/// Rejects the waiting claims of an account that has no people any more: nobody would own the page.
pub async fn withdraw_all(commands: &CommandDependencies, account: Uuid) -> Result<(), Fault> {
    let mut context = commands.begin().await?;
    let (connection, now) = (&mut *context.connection, context.now);
    // A claim that is being made comes first.
    accounts::lock(connection, account, now.date(), 0).await?;
    store::reject_waiting(connection, account, ACCOUNT_CLOSED, now).await?;
    context.commit(Vec::new()).await
}

fn no_claim() -> Fault {
    Fault::not_found("There is no claim with this id.")
}
