//! Publishes plans that differ from their last state on the feed.

use contracts::gateway::v1 as proto;
use kit::Fault;
use kit::feed::Producer;
use prost::Message as _;

use super::feed_row;
use crate::domain::plan::{Plan, Plans};
use crate::store::plans;

pub async fn publish(producer: &Producer, configured: &Plans) -> Result<(), Fault> {
    let mut transaction = producer.begin().await?;
    let mut changes = Vec::new();
    // Sorted by name, so that processes that start together lock the rows in one order.
    let mut sorted: Vec<&Plan> = configured.iter().collect();
    sorted.sort_by(|a, b| a.name.cmp(&b.name));
    for plan in &sorted {
        let state = proto::Plan::from(*plan).encode_to_vec();
        if let Some(revision) = plans::upsert(&mut transaction, &plan.name, &state).await? {
            let event = if revision == 1 { "created" } else { "updated" };
            changes.push(feed_row("plan", plan.name.clone(), revision, event, state));
        }
    }
    let names: Vec<String> = sorted.iter().map(|plan| plan.name.clone()).collect();
    for withdrawn in plans::withdraw(&mut transaction, &names).await? {
        changes.push(feed_row(
            "plan",
            withdrawn.name,
            withdrawn.revision,
            "removed",
            withdrawn.state,
        ));
    }
    transaction.commit(&changes).await
}
