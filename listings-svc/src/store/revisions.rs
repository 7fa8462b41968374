//! Revisions: the changes of each listing.

use serde_json::Value;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::entity::Entity;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    /// An import of this file.
    Import(String),
    /// This member of the staff.
    Staff(String),
    /// This account.
    Account(Uuid),
}

impl Actor {
    pub(super) fn columns(&self) -> (&'static str, String) {
        match self {
            Self::Import(file) => ("import", file.clone()),
            Self::Staff(member) => ("staff", member.clone()),
            Self::Account(id) => ("account", id.to_string()),
        }
    }
}

#[derive(Debug, Clone)]
pub struct Revision {
    pub id: Uuid,
    pub number: i64,
    pub actor: Actor,
    /// The old values of the changed fields, and the old `state`; `None` for the first revision.
    pub before: Option<Value>,
    /// The new values of the changed fields, and the new `state`; the whole listing for the first revision.
    pub after: Value,
    pub reason: Option<String>,
}

/// Appends revisions of listings of one kind.
pub async fn append(
    connection: &mut PgConnection,
    entity: Entity,
    at: OffsetDateTime,
    revisions: Vec<Revision>,
) -> Result<(), sqlx::Error> {
    let (mut ids, mut numbers) = (Vec::new(), Vec::new());
    let (mut actor_kinds, mut actors) = (Vec::new(), Vec::new());
    let (mut befores, mut afters) = (Vec::new(), Vec::new());
    let mut reasons = Vec::new();
    for revision in revisions {
        ids.push(revision.id);
        numbers.push(revision.number);
        let (actor_kind, actor) = revision.actor.columns();
        actor_kinds.push(actor_kind.to_owned());
        actors.push(actor);
        befores.push(revision.before);
        afters.push(revision.after);
        reasons.push(revision.reason);
    }
    sqlx::query!(
        "insert into listings.revision (entity, id, revision, at, actor_kind, actor, before, after, reason)
         select $1, id, revision, $2, actor_kind, actor, before, after, reason
         from unnest($3::uuid[], $4::bigint[], $5::text[], $6::text[], $7::jsonb[], $8::jsonb[], $9::text[])
             as row (id, revision, actor_kind, actor, before, after, reason)",
        entity.as_str(),
        at,
        &ids,
        &numbers,
        &actor_kinds,
        &actors,
        &befores as &[Option<Value>],
        &afters,
        &reasons as &[Option<String>],
    )
    .execute(connection)
    .await?;
    Ok(())
}
