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

/// Staff add an owner to the page with this handle, or remove one. Returns the owners after that.
pub async fn apply(
    commands: &CommandDependencies,
    handle: &str,
    account: Uuid,
    is_added: bool,
    by: AuthorizedAction<AuditAction>,
) -> Result<Vec<Owner>, Fault> {
    let mut context = commands.begin().await?;
    let now = context.now;
    let page = lock(&mut context.connection, handle).await?;
    let is_changed = if is_added {
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
            name: handle.to_owned(),
            details: json!({ "account": account }),
        };
        by.record(&mut *context.connection, SCHEMA, subject, now)
            .await?;
        let accounts: Vec<Uuid> = owners.iter().map(|owner| owner.account_id).collect();
        changes.push(feed::silent_change(&page, &accounts));
        let kind = if is_added {
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
