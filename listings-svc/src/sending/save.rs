//! Saves what was decided.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use serde_json::{Value, json};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::desk::{Change, Desk};
use crate::domain::difference;
use crate::domain::listing::Listing;
use crate::domain::record::Record;
use crate::store::revisions::{self, Actor, Revision};
use crate::store::{Changed, Stored as _, accounts, idempotency, owners, to_row};

/// Saves all of it, each table at once.
pub(super) async fn all(connection: &mut PgConnection, desk: Desk) -> Result<(), sqlx::Error> {
    let now = desk.now;
    listings(connection, desk.sheets.changes, now).await?;
    if !desk.new_owners.is_empty() {
        owners::found(connection, &desk.new_owners, now).await?;
    }
    listings(connection, desk.games.changes, now).await?;
    listings(connection, desk.events.changes, now).await?;
    let wrote = (desk.accounts.into_iter())
        .filter(|(_, account)| account.wrote)
        .map(|(id, account)| (id, account.writes));
    let mut wrote = wrote.peekable();
    if wrote.peek().is_some() {
        accounts::save(connection, wrote).await?;
    }
    let mut kept = desk.kept;
    let answers: Vec<_> = (desk.to_keep.into_iter())
        .filter_map(|name| kept.remove(&name).map(|kept| (name, kept)))
        .collect();
    if !answers.is_empty() {
        idempotency::save(connection, &answers, now).await?;
    }
    Ok(())
}

async fn listings<C>(
    connection: &mut PgConnection,
    changes: Vec<Change<C>>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error>
where
    C: Clone + PartialEq,
    Listing<C>: Record + Changed + Serialize,
{
    if changes.is_empty() {
        return Ok(());
    }
    // In the order of their slugs, so that two replicas never wait for each other's.
    let mut new: BTreeMap<String, Value> = BTreeMap::new();
    let mut changed: HashMap<Uuid, Value> = HashMap::new();
    let mut kept = Vec::with_capacity(changes.len());
    for change in changes {
        let before = change.before.as_deref().map(to_row).transpose()?;
        let (before, after) = difference::kept(before, to_row(&*change.after)?);
        if before.is_none() {
            new.insert(change.after.key().to_owned(), after.clone());
        } else {
            // Of several changes of one field the last is what it is.
            let fields = changed.entry(change.after.id).or_insert_with(|| json!({}));
            if let (Value::Object(fields), Value::Object(after)) = (fields, &after) {
                fields.extend(after.clone());
            }
        }
        kept.push(Revision {
            id: change.after.id,
            number: change.after.revision,
            actor: Actor::Account(change.account),
            before,
            after,
            reason: None,
        });
    }
    if !new.is_empty() {
        Listing::<C>::save(connection, &new.into_values().collect()).await?;
    }
    if !changed.is_empty() {
        let (ids, fields): (Vec<Uuid>, Vec<Value>) = changed.into_iter().unzip();
        Listing::<C>::update(connection, &ids, fields).await?;
    }
    revisions::append(connection, Listing::<C>::ENTITY, now, kept).await
}
