//! The owners of pages. Staff change them, and every change of a page on the feed names them.

use kit::Fault;
use kit::audit::{AuthorizedAction, Subject};
use kit::feed::NewChange;
use serde_json::json;
use sqlx::PgConnection;
use time::OffsetDateTime;
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
use crate::feed::decisions::StaffDecision;
use crate::store::listings;
use crate::store::page_owners::{self as store, GrantSource, Owner};

/// Staff change the owners of the page with this handle. Returns the owners after that.
pub async fn apply(
    commands: &CommandDependencies,
    change: OwnershipChange,
    handle: &str,
    account: Uuid,
    by: AuthorizedAction<AuditAction>,
) -> Result<Vec<Owner>, Fault> {
    let mut transaction = commands.producer.begin().await?;
    let now = transaction.now;
    let page = lock(&mut transaction, handle).await?;
    let changes = change_owners(&mut transaction, change, &page, account, now).await?;
    if !changes.is_empty() {
        let subject = Subject {
            entity: Entity::Page.as_str(),
            name: handle.to_owned(),
            details: json!({ "account": account }),
        };
        by.record(&mut *transaction, SCHEMA, subject, now).await?;
    }
    let owners = store::list(&mut *transaction, page.id).await?;
    transaction.commit(&changes).await?;
    Ok(owners)
}

/// Adds an account to the owners of a page, or removes it. Returns the changes to publish; none if the owners stay.
///
/// The owners before and after the change get a mail: each of them may change the page and take it down.
pub(super) async fn change_owners(
    connection: &mut PgConnection,
    change: OwnershipChange,
    page: &Listing,
    account: Uuid,
    now: OffsetDateTime,
) -> Result<Vec<NewChange>, Fault> {
    let is_changed = match change {
        OwnershipChange::AddOwner => {
            store::add(connection, page.id, account, GrantSource::Staff, now).await?
        }
        OwnershipChange::GrantClaim => {
            store::add(connection, page.id, account, GrantSource::Claim, now).await?
        }
        OwnershipChange::RemoveOwner => store::remove(connection, page.id, account).await?,
        // Moves change no owner of a page.
        OwnershipChange::MoveGame | OwnershipChange::MoveEvent => false,
    };
    if !is_changed {
        return Ok(Vec::new());
    }
    let owners = listings::owners(connection, page.id).await?;
    let owners_changed = feed::silent_change(page, &owners);
    let readers = owners.into_iter().chain([account]);
    let readers = change.recipients().among(readers, Some(account));
    let decision =
        StaffDecision { named: Some(account), ..StaffDecision::on(page, change.into(), readers) };
    Ok([owners_changed].into_iter().chain(decision.change()).collect())
}

/// Locks the live page with this handle.
pub(super) async fn lock(connection: &mut PgConnection, handle: &str) -> Result<Listing, Fault> {
    let page = listings::lock(connection, &ListingName::page(handle)).await?;
    page.ok_or_else(page_not_found)
}
