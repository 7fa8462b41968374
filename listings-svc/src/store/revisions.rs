//! Revisions: what each change of a listing was.

use serde_json::Value;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::entity::Entity;

/// Who made a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    /// An import of this file.
    Import(String),
    /// This member of the staff.
    Staff(String),
}

impl Actor {
    fn parts(&self) -> (&'static str, &str) {
        match self {
            Self::Import(file) => ("import", file),
            Self::Staff(member) => ("staff", member),
        }
    }
}

/// A change of one listing.
#[derive(Debug, Clone)]
pub struct Revision {
    /// Which listing.
    pub id: Uuid,
    /// Which change of it.
    pub number: i64,
    /// What it was; `None` for the first.
    pub before: Option<Value>,
    /// What it became.
    pub after: Value,
    /// Why, where somebody gave a reason.
    pub reason: Option<String>,
}

/// Keeps changes that one actor made to listings of one kind.
pub async fn append(
    connection: &mut PgConnection,
    entity: Entity,
    actor: &Actor,
    at: OffsetDateTime,
    revisions: Vec<Revision>,
) -> Result<(), sqlx::Error> {
    let (actor_kind, actor) = actor.parts();
    let (mut ids, mut numbers) = (Vec::new(), Vec::new());
    let (mut befores, mut afters) = (Vec::new(), Vec::new());
    let mut reasons = Vec::new();
    for revision in revisions {
        ids.push(revision.id);
        numbers.push(revision.number);
        befores.push(revision.before);
        afters.push(revision.after);
        reasons.push(revision.reason);
    }
    sqlx::query!(
        "insert into listings.revision (entity, id, revision, at, actor_kind, actor, before, after, reason)
         select $1, id, revision, $2, $3, $4, before, after, reason
         from unnest($5::uuid[], $6::bigint[], $7::jsonb[], $8::jsonb[], $9::text[])
             as row (id, revision, before, after, reason)",
        entity.as_str(),
        at,
        actor_kind,
        actor,
        &ids,
        &numbers,
        &befores as &[Option<Value>],
        &afters,
        &reasons as &[Option<String>],
    )
    .execute(connection)
    .await?;
    Ok(())
}
