//! Claims of pages, inside the writer's transaction: accounts make them, and staff decide on them.

use kit::Fault;
use kit::audit::{self, Action as _, Entry};
use kit::feed::{ApplyError, ApplyResult, NewChange};
use kit::ids;
use kit::rpc::staff::Member;
use serde_json::json;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{limits, page_owners};
use crate::SCHEMA;
use crate::domain::audit_action::AuditAction;
use crate::domain::entity::Entity;
use crate::domain::listing::Listing;
use crate::domain::mode::Mode;
use crate::domain::page::Page;
use crate::domain::slug;
use crate::feed::{ChangeKind, PublicUrl, Publish as _};
use crate::store::claims::{self as store, Claim};
use crate::store::page_owners::{self as owners, GrantSource};
use crate::store::{ListingTable as _, accounts};

#[derive(Debug)]
pub enum ClaimChange {
    /// An account claims the page with this handle.
    Make {
        account: Uuid,
        handle: String,
        evidence: String,
    },
    /// Staff grant the claim with this id, or reject it for a reason.
    Decide {
        claim: Uuid,
        decision: ClaimDecision,
        by: Member,
    },
}

#[derive(Debug)]
pub enum ClaimDecision {
    Grant,
    Reject(String),
}

/// Returns the claim after the change.
pub(super) async fn apply(
    connection: &mut PgConnection,
    change: &ClaimChange,
    public_url: &PublicUrl,
    now: OffsetDateTime,
) -> ApplyResult<Claim> {
    match change {
        ClaimChange::Make {
            account,
            handle,
            evidence,
        } => {
            let claim = make(connection, *account, (handle, evidence), now).await?;
            Ok((claim, Vec::new()))
        }
        ClaimChange::Decide {
            claim,
            decision,
            by,
        } => decide(connection, *claim, (decision, by), public_url, now).await,
    }
}

async fn make(
    connection: &mut PgConnection,
    account: Uuid,
    (handle, evidence): (&str, &str),
    now: OffsetDateTime,
) -> Result<Claim, ApplyError> {
    let not_found = || Fault::not_found("There is no public page with this handle.");
    if !slug::is_valid(handle) {
        return Err(not_found().into());
    }
    // Locked, so that the claims of the account are counted exactly.
    let locked = accounts::lock(connection, account, now.date(), 0).await?;
    locked.ok_or(ApplyError::Busy)?;
    let found = Listing::<Page>::find(connection, Mode::Live, &[handle.to_owned()]).await?;
    let mut found = found.into_iter();
    let page = found.find(Listing::is_visible).ok_or_else(not_found)?;
    let owners = owners::of_page(&mut *connection, page.id).await?;
    if owners.iter().any(|owner| owner.account_id == account) {
        return Err(Fault::invalid_field("handle", "You own this page already.").into());
    }
    let others = store::count_waiting_of(connection, account, page.id).await?;
    limits::check_waiting_claims(others)?;
    Ok(store::insert(connection, ids::row_id(), page.id, account, evidence, now).await?)
}

async fn decide(
    connection: &mut PgConnection,
    id: Uuid,
    (decision, by): (&ClaimDecision, &Member),
    public_url: &PublicUrl,
    now: OffsetDateTime,
) -> ApplyResult<Claim> {
    let (state, reason, action) = match decision {
        ClaimDecision::Grant => ("granted", "", AuditAction::GrantClaim),
        ClaimDecision::Reject(reason) => ("rejected", reason.as_str(), AuditAction::RejectClaim),
    };
    let claim = store::lock(connection, id).await?;
    let claim = claim.ok_or_else(|| Fault::not_found("There is no claim with this id."))?;
    if claim.state == state {
        return Ok((claim, Vec::new()));
    }
    if claim.state != "waiting" {
        let problem = format!(
            "This claim was {} before: add or remove the owner instead.",
            claim.state
        );
        return Err(Fault::invalid_field("id", problem).into());
    }
    let mut changes: Vec<NewChange> = Vec::new();
    if let ClaimDecision::Grant = decision {
        let page = page_owners::lock(connection, &claim.handle).await?;
        let source = GrantSource::Claim;
        if owners::add(connection, page.id, claim.account_id, source, now).await? {
            changes.push(page.change(ChangeKind::OwnersChanged, false, public_url));
        }
    }
    store::decide(connection, id, state, reason, now).await?;
    let entry = Entry {
        member: &by.name,
        role: by.role.as_str(),
        action: action.as_str(),
        entity: Entity::Page.as_str(),
        name: &claim.handle,
        refused: false,
        details: json!({"claim": id, "account": claim.account_id, "reason": reason}),
    };
    audit::append(connection, SCHEMA, entry, now).await?;
    let decided = Claim {
        state: state.to_owned(),
        reason: reason.to_owned(),
        decided_at: Some(now),
        ..claim
    };
    Ok((decided, changes))
}
