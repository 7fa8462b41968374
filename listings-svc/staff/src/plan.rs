//! `staff plan …`

use clap::Subcommand;
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::staff_service_client::StaffServiceClient;

use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::table::table;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List all plans with their limits, cheapest first
    List,
}

pub(crate) async fn list(fleet: &Fleet, output: Output) -> Result<(), Error> {
    let mut gateway = StaffServiceClient::new(fleet.gateway().await?);
    let response = gateway.list_plans(proto::ListPlansRequest {}).await?;
    let plans = response.into_inner().plans;
    output.answer(&serde_json::json!({ "plans": plans }), || {
        plan_table(&plans)
    })
}

fn plan_table(plans: &[proto::Plan]) -> comfy_table::Table {
    let rows = plans.iter().map(|plan| {
        [
            plan.name.clone(),
            plan.title.clone(),
            limit(plan.calls_per_minute),
            limit(plan.calls_per_month),
            limit(plan.working_keys),
            limit(plan.writes_per_day),
            limit(plan.webhook_endpoints),
            output::yes_no(plan.webhook_events),
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
            "webhook endpoints",
            "webhook events",
        ],
        rows,
    )
}

fn limit(limit: Option<impl ToString>) -> String {
    limit.map_or_else(|| "no limit".to_owned(), |limit| limit.to_string())
}
