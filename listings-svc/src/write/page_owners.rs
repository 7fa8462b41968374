//! The owners of pages. Staff change them, and every change of a page on the feed names them.

use kit::Fault;
use kit::audit::{AuthorizedAction, Subject};
use kit::feed::NewChange;
use serde_json::json;
use sqlx::PgConnection;
use uuid::Uuid;

use super::CommandDependencies;
use super::absent::page_not_found;
use crate::SCHEMA;
use crate::domain::audit_action::AuditAction;
use crate::domain::entity::Entity;
use crate::domain::listing::Listing;
use crate::domain::listing_name::ListingName;
use crate::domain::state::OwnershipChange;
use crate::feed;
use crate::feed::decisions::{DecisionKind, StaffDecision};
use crate::store::listings;
use crate::store::page_owners::{self as store, GrantSource, Owner};

/// Staff add or remove an owner of a page.
#[derive(Debug)]
pub struct OwnerChange {
    pub handle: String,
    pub account: Uuid,
    /// Whether the account becomes an owner; otherwise it is one no longer.
    pub is_added: bool,
    pub by: AuthorizedAction<AuditAction>,
}

/// Returns the owners after the change.
pub async fn apply(
    commands: &CommandDependencies,
    change: &OwnerChange,
) -> Result<Vec<Owner>, Fault> {
    let mut context = commands.begin().await?;
    let (account, now) = (change.account, context.now);
    let page = lock(&mut context.connection, &change.handle).await?;
    let is_changed = if change.is_added {
        store::add(
            &mut context.connection,
            page.id,
            account,
            GrantSource::Staff,
            now,
        )
        .await?
    } else {
        store::remove(&mut context.connection, page.id, account).await?
    };
    let owners = store::list(&mut *context.connection, page.id).await?;
    let mut changes = Vec::new();
    if is_changed {
        let subject = Subject {
            entity: Entity::Page.as_str(),
            name: change.handle.clone(),
            details: json!({ "account": account }),
        };
        let by = &change.by;
        by.record(&mut *context.connection, SCHEMA, subject, now)
            .await?;
        let accounts: Vec<Uuid> = owners.iter().map(|owner| owner.account_id).collect();
        changes.push(feed::silent_change(&page, &accounts));
        let kind = if change.is_added {
            OwnershipChange::AddOwner
        } else {
            OwnershipChange::RemoveOwner
        };
        let readers = accounts.into_iter().chain([account]);
        changes.extend(decision(kind, &page, account, readers));
    }
    context.commit(changes).await?;
    Ok(owners)
}

/// Announces a new owner of a page, or a removed one, to the owners before and after: each of them may change the page and take it down.
pub(super) fn decision(
    change: OwnershipChange,
    page: &Listing,
    account: Uuid,
    owners: impl IntoIterator<Item = Uuid>,
) -> Option<NewChange> {
    let kind = match change {
        OwnershipChange::RemoveOwner => DecisionKind::OwnerRemoved,
        _ => DecisionKind::OwnerAdded,
    };
    let readers = change.recipients().among(owners, Some(account));
    let decision = StaffDecision {
        named: Some(account),
        ..StaffDecision::on(page, kind, readers)
    };
    decision.change()
}

/// Locks the live page with this handle.
pub(super) async fn lock(connection: &mut PgConnection, handle: &str) -> Result<Listing, Fault> {
    let page = listings::lock(connection, &ListingName::page(handle)).await?;
    page.ok_or_else(page_not_found)
}
