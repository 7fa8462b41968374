//! The owners of pages. Staff change them, and every change of a page on the feed names them.

use std::collections::HashMap;

use contracts::listings::v1 as proto;
use kit::Fault;
use kit::audit::{AuthorizedAction, Subject};
use kit::feed::NewChange;
use prost::Message as _;
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
use crate::feed::decisions::{DecisionKind, StaffDecision};
use crate::feed;
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
    let owners_before = listings::owners(&mut context.connection, page.id).await?;
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
        changes.push(feed::silent_change(&page));
        let kind = if change.is_added {
            OwnershipChange::AddOwner
        } else {
            OwnershipChange::RemoveOwner
        };
        let owners = owners_before.into_iter().chain([account]);
        changes.extend(decision(kind, &page, account, owners));
    }
    let owners = store::of_page(&mut *context.connection, page.id).await?;
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

/// Appends the owners to changes of pages. In protobuf, appending an encoded field is the same as encoding it with the other fields.
pub(super) async fn append_owners(
    connection: &mut PgConnection,
    changes: &mut [NewChange],
) -> Result<(), sqlx::Error> {
    let page_id = |change: &NewChange| {
        let is_page = change.entity == Entity::Page.as_str();
        is_page.then(|| change.id.parse::<Uuid>().ok()).flatten()
    };
    let pages: Vec<Uuid> = changes.iter().filter_map(page_id).collect();
    if pages.is_empty() {
        return Ok(());
    }
    let owners: HashMap<Uuid, Vec<Uuid>> = store::of_pages(connection, &pages)
        .await?
        .into_iter()
        .collect();
    for change in changes {
        let Some(accounts) = page_id(change).and_then(|id| owners.get(&id)) else {
            continue;
        };
        let only_owners = proto::Page {
            owners: accounts.iter().map(Uuid::to_string).collect(),
            ..proto::Page::default()
        };
        change.state.extend(only_owners.encode_to_vec());
    }
    Ok(())
}
