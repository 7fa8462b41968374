//! What staff made of a listing, written inside the writer's transaction: the listing, its revision and the deed.

use kit::Fault;
use kit::rpc::staff::Member;
use serde::Serialize;
use serde_json::json;
use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::domain::deed::Deed;
use crate::domain::difference;
use crate::domain::listing::Listing;
use crate::domain::record::Record as _;
use crate::feed::Publish;
use crate::store::revisions::{self, Actor, Revision};
use crate::store::{Changed, audit, to_row};

/// A deed that is about to be kept.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kept<'a> {
    /// Who of them.
    pub(crate) by: &'a Member,
    /// What.
    pub(crate) deed: Deed,
    /// Why; may be empty.
    pub(crate) reason: &'a str,
    /// When.
    pub(crate) now: OffsetDateTime,
}

/// Writes what a listing has become.
pub(crate) async fn keep<C>(
    connection: &mut PgConnection,
    before: &Listing<C>,
    after: &Listing<C>,
    kept: Kept<'_>,
) -> Result<(), sqlx::Error>
where
    Listing<C>: Changed + Publish + Serialize,
{
    let (old, new) = (to_row(before)?, to_row(after)?);
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
        "reason": kept.reason,
    });
    let (was, fields) = difference::kept(Some(old), new);
    let revision = Revision {
        id: after.id,
        number: after.revision,
        actor: Actor::Staff(kept.by.name.clone()),
        before: was,
        after: fields.clone(),
        reason: Some(kept.reason.to_owned()).filter(|reason| !reason.is_empty()),
    };
    let entity = Listing::<C>::ENTITY;
    Listing::<C>::update(connection, &[after.id], vec![fields]).await?;
    revisions::append(connection, entity, kept.now, vec![revision]).await?;
    let entry = audit::Entry {
        member: kept.by,
        deed: kept.deed,
        entity: entity.as_str(),
        name: after.key(),
        refused: false,
        details,
    };
    audit::append(connection, entry, kept.now).await
}

/// Refuses a decision on what is not any more as it was looked at.
pub(crate) fn overtaken(seen: Option<i64>, stands: i64) -> Option<Fault> {
    let seen = seen.filter(|seen| *seen != stands)?;
    Some(Fault::invalid_field(
        "revision",
        format!(
            "the listing has changed since it was looked at: it stands at revision {stands}, not {seen}. Look again, then decide"
        ),
    ))
}
