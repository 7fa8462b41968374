//! `staff plan …`

use clap::Subcommand;
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::staff_service_client::StaffServiceClient;
use serde::Serialize;

use super::fleet::Fleet;
use super::output::{self, Output};
use super::problem::Problem;
use super::table::table;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List all plans, the cheapest first
    List,
}

/// A plan; a limit that is null is none.
#[derive(Debug, Serialize)]
struct Plan {
    name: String,
    title: String,
    calls_per_minute: Option<u32>,
    calls_per_month: Option<u64>,
    working_keys: Option<u32>,
    writes_per_day: Option<u32>,
    webhook_endpoints: Option<u32>,
    webhook_events: bool,
}

impl From<proto::Plan> for Plan {
    fn from(plan: proto::Plan) -> Self {
        Self {
            name: plan.name,
            title: plan.title,
            calls_per_minute: plan.calls_per_minute,
            calls_per_month: plan.calls_per_month,
            working_keys: plan.working_keys,
            writes_per_day: plan.writes_per_day,
            webhook_endpoints: plan.webhook_endpoints,
            webhook_events: plan.webhook_events,
        }
    }
}

pub(crate) async fn list(fleet: &Fleet, output: Output) -> Result<(), Problem> {
    let mut gateway = StaffServiceClient::new(fleet.gateway().await?);
    let answer = gateway.list_plans(proto::ListPlansRequest {}).await?;
    let plans: Vec<Plan> = answer
        .into_inner()
        .plans
        .into_iter()
        .map(Plan::from)
        .collect();
    output.answer(&serde_json::json!({ "plans": plans }), || listed(&plans))
}

fn listed(plans: &[Plan]) -> comfy_table::Table {
    let rows = plans.iter().map(|plan| {
        [
            plan.name.clone(),
            plan.title.clone(),
            limit(plan.calls_per_minute),
            limit(plan.calls_per_month),
            limit(plan.working_keys),
            limit(plan.writes_per_day),
            limit(plan.webhook_endpoints),
            output::yes(plan.webhook_events),
        ]
    });
    table(
        [
            "plan",
            "title",
            "calls a minute",
            "calls a month",
            "keys",
            "writes a day",
            "endpoints",
            "events",
        ],
        rows,
    )
}

fn limit(limit: Option<impl ToString>) -> String {
    limit.map_or_else(|| "no limit".to_owned(), |limit| limit.to_string())
}
