//! `staff plan …`

use clap::Subcommand;
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::staff_service_client::StaffServiceClient;

use super::fleet::Fleet;
use super::output::{self, Output};
use super::problem::Problem;
use super::table::table;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List all plans, the cheapest first
    List,
}

pub(crate) async fn list(fleet: &Fleet, output: Output) -> Result<(), Problem> {
    let mut gateway = StaffServiceClient::new(fleet.gateway().await?);
    let answer = gateway.list_plans(proto::ListPlansRequest {}).await?;
    let plans = answer.into_inner().plans;
    output.answer(&serde_json::json!({ "plans": plans }), || listed(&plans))
}

fn listed(plans: &[proto::Plan]) -> comfy_table::Table {
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
