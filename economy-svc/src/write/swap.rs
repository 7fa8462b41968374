//! Swaps between the currencies of two games, which staff import and remove.

use kit::Fault;
use kit::audit::Subject;
use kit::feed::{Producer, Transaction};
use serde_json::{Value, json};

use crate::SCHEMA;
use crate::domain::staff_action::AuthorizedAction;
use crate::store::swaps::{self, Swap};

/// What an import has done.
#[derive(Debug)]
pub(crate) struct ImportedSwaps {
    /// The ids of the swaps that were new.
    pub(crate) booked: Vec<String>,
    /// The swaps that are booked now under the ids of the import.
    pub(crate) stored: Vec<Swap>,
}

/// Books the swaps whose ids are new.
pub(crate) async fn import(
    producer: &Producer,
    by: &AuthorizedAction,
    sent: &[Swap],
) -> Result<ImportedSwaps, Fault> {
    let mut transaction = producer.begin().await?;
    let booked = swaps::insert(&mut transaction, sent).await?;
    let ids: Vec<String> = sent.iter().map(|swap| swap.id.clone()).collect();
    let stored = swaps::find(&mut transaction, &ids).await?;
    let details = json!({ "booked": booked.len() });
    commit(transaction, by, &booked, details).await?;
    Ok(ImportedSwaps { booked, stored })
}

/// Removes the swaps with these ids; returns the ids that there were. The audit has all of them, which are stored nowhere else any more.
pub(crate) async fn remove(
    producer: &Producer,
    by: &AuthorizedAction,
    ids: &[String],
    reason: &str,
) -> Result<Vec<String>, Fault> {
    let mut transaction = producer.begin().await?;
    let removed = swaps::remove(&mut transaction, ids).await?;
    let details = json!({ "removed": removed, "reason": reason });
    commit(transaction, by, &removed, details).await?;
    Ok(removed)
}

/// Commits the change of the swaps with these ids. If there are none, nothing has changed.
async fn commit(
    mut transaction: Transaction,
    by: &AuthorizedAction,
    ids: &[String],
    details: Value,
) -> Result<(), Fault> {
    let Some(first) = ids.first() else {
        return transaction.commit(&[]).await;
    };
    let subject = Subject { entity: "swap", name: first.clone(), details };
    let now = transaction.now;
    by.record(&mut *transaction, SCHEMA, subject, now).await?;
    // Last, since other imports and the follower of listings-svc wait for this row.
    swaps::count_change(&mut transaction).await?;
    transaction.commit(&[]).await
}
