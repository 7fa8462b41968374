//! The owners of pages, inside the writer's transaction. Staff change them, and every change of a page on the feed names them.

use std::collections::HashMap;

use contracts::listings::v1 as proto;
use kit::Fault;
use kit::audit::{self, Action as _, Entry};
use kit::feed::{ApplyError, ApplyResult, NewChange};
use kit::rpc::staff::Member;
use prost::Message as _;
use serde_json::{Value, json};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::lock_listing;
use crate::SCHEMA;
use crate::domain::audit_action::AuditAction;
use crate::domain::entity::Entity;
use crate::domain::listing::Listing;
use crate::domain::mode::Mode;
use crate::domain::page::Page;
use crate::feed::{ChangeKind, PublicUrl, Publish as _};
use crate::store::page_owners::{self as store, GrantSource, Owner};

#[derive(Debug)]
pub struct OwnerChange {
    pub operation: OwnerOperation,
    pub by: Member,
}

#[derive(Debug)]
pub enum OwnerOperation {
    /// Makes the account an owner of the page with this handle.
    Add(String, Uuid),
    /// Removes the account from the owners of the page with this handle.
    Remove(String, Uuid),
}

pub(super) async fn apply(
    connection: &mut PgConnection,
    change: &OwnerChange,
    public_url: &PublicUrl,
    now: OffsetDateTime,
) -> ApplyResult<Vec<Owner>> {
    let mut context = OwnerContext {
        connection,
        by: &change.by,
        public_url,
        now,
    };
    match &change.operation {
        OwnerOperation::Add(handle, account) => context.reassign(handle, *account, true).await,
        OwnerOperation::Remove(handle, account) => context.reassign(handle, *account, false).await,
    }
}

struct OwnerContext<'a> {
    connection: &'a mut PgConnection,
    by: &'a Member,
    public_url: &'a PublicUrl,
    now: OffsetDateTime,
}

impl OwnerContext<'_> {
    async fn reassign(
        &mut self,
        handle: &str,
        account: Uuid,
        is_added: bool,
    ) -> ApplyResult<Vec<Owner>> {
        let page = lock(self.connection, handle).await?;
        let changed = if is_added {
            store::add(
                self.connection,
                page.id,
                account,
                GrantSource::Staff,
                self.now,
            )
            .await?
        } else {
            store::remove(self.connection, page.id, account).await?
        };
        let mut changes = Vec::new();
        if changed {
            let action = if is_added {
                AuditAction::AddOwner
            } else {
                AuditAction::RemoveOwner
            };
            self.record(action, handle, json!({"account": account}))
                .await?;
            changes.push(self.change(&page));
        }
        let owners = store::of_page(&mut *self.connection, page.id).await?;
        Ok((owners, changes))
    }

    fn change(&self, page: &Listing<Page>) -> NewChange {
        page.change(ChangeKind::OwnersChanged, false, self.public_url)
    }

    async fn record(
        &mut self,
        action: AuditAction,
        handle: &str,
        details: Value,
    ) -> Result<(), sqlx::Error> {
        let entry = Entry {
            member: &self.by.name,
            role: self.by.role.as_str(),
            action: action.as_str(),
            entity: Entity::Page.as_str(),
            name: handle,
            refused: false,
            details,
        };
        audit::append(&mut *self.connection, SCHEMA, entry, self.now).await
    }
}

/// Locks the live page with this handle.
pub(super) async fn lock(
    connection: &mut PgConnection,
    handle: &str,
) -> Result<Listing<Page>, ApplyError> {
    let page = lock_listing::<Page>(connection, Mode::Live, handle).await?;
    Ok(page.ok_or_else(page_not_found)?)
}

pub fn page_not_found() -> Fault {
    Fault::not_found("There is no page with this handle.")
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
