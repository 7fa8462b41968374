//! `staff plan …`

use clap::Subcommand;
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::staff_service_client::StaffServiceClient;

use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::table::Column;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List all plans with their limits, cheapest first
    List,
}

pub(crate) async fn list(fleet: &Fleet, output: Output) -> Result<(), Error> {
    let mut gateway = StaffServiceClient::new(fleet.gateway().await?);
    let response = gateway.list_plans(proto::ListPlansRequest {}).await?;
    output.rows("plans", &response.into_inner().plans, COLUMNS)
}

const COLUMNS: &[Column<proto::Plan>] = &[
    ("plan", |it| it.name.clone()),
    ("title", |it| it.title.clone()),
    ("calls a minute", |it| limit(it.calls_per_minute)),
    ("calls a month", |it| limit(it.calls_per_month)),
    ("keys", |it| limit(it.working_keys)),
    ("writes a day", |it| limit(it.writes_per_day)),
    ("webhook endpoints", |it| limit(it.webhook_endpoints)),
    ("webhook events", |it| output::yes_no(it.webhook_events)),
];

fn limit(limit: Option<impl ToString>) -> String {
    limit.map_or_else(|| "no limit".to_owned(), |limit| limit.to_string())
}
