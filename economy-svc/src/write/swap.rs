//! Swaps between the currencies of two games, which staff import and remove.

use kit::Fault;
use kit::audit::Subject;
use kit::feed::Producer;
use serde_json::json;

use super::rates_moved;
use crate::SCHEMA;
use crate::domain::staff_action::AuthorizedAction;
use crate::store::swaps::{self, Swap};

#[derive(Debug)]
pub enum SwapChange {
    Import(Vec<Swap>),
    /// The removal of the swaps with these ids, and its reason.
    Remove(Vec<String>, String),
}

/// Books the swaps whose ids are new, or removes those that are stored; returns their ids.
pub(crate) async fn apply(
    producer: &Producer,
    by: &AuthorizedAction,
    change: &SwapChange,
) -> Result<Vec<String>, Fault> {
    let mut transaction = producer.begin().await?;
    let now = transaction.now;
    let ids = match change {
        SwapChange::Import(swaps) => swaps::insert(&mut transaction, swaps, now).await?,
        SwapChange::Remove(ids, _) => swaps::remove(&mut transaction, ids).await?,
    };
    if ids.is_empty() {
        transaction.commit(&[]).await?;
        return Ok(ids);
    }
    by.record(&mut *transaction, SCHEMA, audit_subject(change, &ids), now)
        .await?;
    transaction.commit(&[rates_moved()]).await?;
    Ok(ids)
}

/// An import has the id of the first booked swap, a removal the ids of all removed ones, which are stored nowhere else any more.
fn audit_subject(change: &SwapChange, ids: &[String]) -> Subject {
    Subject {
        entity: "swap",
        name: ids.first().cloned().unwrap_or_default(),
        details: match change {
            SwapChange::Import(_) => json!({ "booked": ids.len() }),
            SwapChange::Remove(_, reason) => json!({ "removed": ids, "reason": reason }),
        },
    }
}
