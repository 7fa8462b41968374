//! Records a change of a listing: the listing, its revision and, for a change by staff, the audit entry.

use kit::Fault;
use kit::audit::{AuthorizedAction, Subject};
use kit::rpc::staff::Member;
use serde::Serialize;
use serde_json::json;
use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::SCHEMA;
use crate::domain::audit_action::AuditAction;
use crate::domain::difference;
use crate::domain::listing::Listing;
use crate::domain::record::Importable as _;
use crate::feed::Publish;
use crate::store::constraints;
use crate::store::revisions::{self, Actor, Revision};
use crate::store::{ListingTable, RecordTable as _, to_json_row};

pub(super) async fn insert<C>(
    connection: &mut PgConnection,
    listing: &Listing<C>,
    actor: Actor,
    now: OffsetDateTime,
) -> Result<(), Fault>
where
    Listing<C>: ListingTable + Publish + Serialize,
{
    let row = to_json_row(listing)?;
    Listing::<C>::save(connection, &json!([row]))
        .await
        .map_err(refused)?;
    let revision = Revision {
        id: listing.id,
        number: listing.revision,
        actor,
        before: None,
        after: row,
        reason: None,
    };
    revisions::append(connection, Listing::<C>::ENTITY, now, vec![revision]).await?;
    Ok(())
}

/// The fault of a row that PostgreSQL refuses.
pub(super) fn refused(error: sqlx::Error) -> Fault {
    match constraints::field_errors(&error) {
        Some(problems) => Fault::invalid(problems),
        None => error.into(),
    }
}

/// Records a change: writes the changed fields, and the revision.
pub(super) async fn update<C>(
    connection: &mut PgConnection,
    before: &Listing<C>,
    after: &Listing<C>,
    actor: Actor,
    reason: Option<String>,
    now: OffsetDateTime,
) -> Result<(), Fault>
where
    Listing<C>: ListingTable + Publish + Serialize,
{
    let (before, fields) =
        difference::changed_fields(Some(to_json_row(before)?), to_json_row(after)?);
    let revision = Revision {
        id: after.id,
        number: after.revision,
        actor,
        before,
        after: fields,
        reason,
    };
    Listing::<C>::update(connection, now, revision)
        .await
        .map_err(refused)
}

/// A change by staff.
#[derive(Debug, Clone, Copy)]
pub(super) struct StaffChange<'a> {
    pub(super) by: &'a Member,
    pub(super) action: AuditAction,
    /// May be empty.
    pub(super) reason: &'a str,
    pub(super) now: OffsetDateTime,
}

/// Records a change by staff.
pub(super) async fn update_by_staff<C>(
    connection: &mut PgConnection,
    before: &Listing<C>,
    after: &Listing<C>,
    change: StaffChange<'_>,
) -> Result<(), Fault>
where
    Listing<C>: ListingTable + Publish + Serialize,
{
    let (old, new) = (to_json_row(before)?, to_json_row(after)?);
    let changed: Vec<String> =
        difference::between(&difference::content(&old), &difference::content(&new))
            .into_iter()
            .map(|difference| difference.path)
            .collect();
    let details = json!({
        "mode": after.mode,
        "title": new.get("title").or_else(|| new.get("name")),
        "revision": after.revision,
        "state": after.state,
        "changed": changed,
        "reason": change.reason,
    });
    let actor = Actor::Staff(change.by.name.clone());
    let reason = Some(change.reason.to_owned()).filter(|reason| !reason.is_empty());
    update(connection, before, after, actor, reason, change.now).await?;
    let subject = Subject {
        entity: Listing::<C>::ENTITY.as_str(),
        name: after.key().to_owned(),
        details,
    };
    let done = AuthorizedAction {
        member: change.by.clone(),
        action: change.action,
    };
    done.record(connection, SCHEMA, subject, change.now).await?;
    Ok(())
}

/// Refuses a decision on a revision that is no longer current.
pub(super) fn check_revision(seen: Option<i64>, current: i64) -> Option<Fault> {
    let seen = seen.filter(|seen| *seen != current)?;
    Some(Fault::invalid_field(
        "revision",
        format!(
            "The listing has changed: its revision is {current}, not {seen}. Read it again, then decide."
        ),
    ))
}
