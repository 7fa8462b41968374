//! Plans: published where they differ from what the feed last said of them.

use contracts::gateway::v1 as proto;
use kit::feed::NewChange;
use prost::Message as _;
use sqlx::PgConnection;

use super::{Done, Stop, change};
use crate::domain::plan::{Plan, Plans};
use crate::store::plans;

pub(super) async fn tell(
    connection: &mut PgConnection,
    known: &Plans,
) -> Result<(Done, Vec<NewChange>), Stop> {
    let mut changes = Vec::new();
    // By name, so that processes that start together take their locks in one order.
    let mut told: Vec<&Plan> = known.iter().collect();
    told.sort_by(|a, b| a.name.cmp(&b.name));
    for plan in &told {
        let state = proto::Plan::from(*plan).encode_to_vec();
        if let Some(revision) = plans::tell(connection, &plan.name, &state).await? {
            let event = if revision == 1 { "created" } else { "updated" };
            changes.push(change("plan", plan.name.clone(), revision, event, state));
        }
    }
    let names: Vec<String> = told.iter().map(|plan| plan.name.clone()).collect();
    for gone in plans::withdraw(connection, &names).await? {
        changes.push(change(
            "plan",
            gone.name,
            gone.revision,
            "removed",
            gone.state,
        ));
    }
    Ok((Done::Told, changes))
}
