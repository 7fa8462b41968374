//! Plans: told to the world where they are news.

use contracts::gateway::v1 as proto;
use kit::feed::{Applied, NewChange};
use prost::Message as _;
use sqlx::PgConnection;

use super::{Done, Outcome};
use crate::domain::plan::{Plan, Plans};
use crate::store::plans;

pub(super) async fn tell(connection: &mut PgConnection, known: &Plans) -> Outcome {
    let mut changes = Vec::new();
    // By name, so that processes that start together take their locks in one order.
    let mut told: Vec<&Plan> = known.iter().collect();
    told.sort_by(|a, b| a.name.cmp(&b.name));
    for plan in &told {
        let state = proto::Plan::from(*plan).encode_to_vec();
        if let Some(revision) = plans::tell(connection, &plan.name, &state).await? {
            let event = if revision == 1 { "created" } else { "updated" };
            changes.push(change(plan.name.clone(), revision, event, state));
        }
    }
    let names: Vec<String> = told.iter().map(|plan| plan.name.clone()).collect();
    for gone in plans::withdraw(connection, &names).await? {
        changes.push(change(gone.name, gone.revision, "removed", gone.state));
    }
    Ok(Applied::Done(Done::Told, changes))
}

fn change(name: String, revision: i64, event: &'static str, state: Vec<u8>) -> NewChange {
    NewChange {
        entity: "plan",
        id: name,
        revision,
        event,
        announced: false,
        happening: false,
        state,
    }
}
