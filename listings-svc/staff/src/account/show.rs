//! `staff account show`: what an account has used of its plan

use contracts::gateway::v1 as proto;
use contracts::json;
use contracts::listings::v1::GetAccountWritesRequest;
use contracts::listings::v1::staff_listing_service_client::StaffListingServiceClient;
use contracts::web::v1::AccountPerson;
use contracts::webhook::v1::CountEndpointsRequest;
use contracts::webhook::v1::staff_service_client::StaffServiceClient;
use prost_types::Timestamp;
use serde::Serialize;

use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::table::Column;
use crate::team;

/// An account, and what it has used of its plan.
#[derive(Debug, Serialize)]
struct AccountUse {
    #[serde(flatten)]
    account: proto::Account,
    people: Vec<AccountPerson>,
    month: LimitUse,
    /// When the calls of the month are counted from 0 again.
    #[serde(serialize_with = "json::timestamp")]
    month_resets_at: Option<Timestamp>,
    /// Those of this UTC day.
    writes: LimitUse,
    working_keys: LimitUse,
    endpoints: LimitUse,
}

#[derive(Debug, Serialize)]
struct LimitUse {
    used: u64,
    /// `None`: no limit.
    limit: Option<u64>,
}

impl LimitUse {
    fn new(used: u64, limit: Option<impl Into<u64>>) -> Self {
        Self {
            used,
            limit: limit.map(Into::into),
        }
    }

    fn text(&self) -> String {
        match self.limit {
            Some(limit) => format!("{} of {limit}", self.used),
            None => format!("{}, no limit", self.used),
        }
    }
}

const COLUMNS: &[Column<AccountUse>] = &[
    ("id", |it| it.account.id.clone()),
    ("name", |it| it.account.name.clone()),
    ("plan", |it| it.account.plan.clone()),
    ("created", |it| output::format_time(it.account.created_at)),
    ("people", |it| team::in_words(&it.people)),
    ("calls this month", |it| it.month.text()),
    ("until", |it| output::format_time(it.month_resets_at)),
    ("writes today", |it| it.writes.text()),
    ("working keys", |it| it.working_keys.text()),
    ("endpoints", |it| it.endpoints.text()),
];

/// Prints an account that the gateway has found.
pub(super) async fn print(
    found: proto::GetAccountResponse,
    fleet: &Fleet,
    output: Output,
) -> Result<(), Error> {
    let account = found.account.unwrap_or_default();
    let (plan, month) = (
        found.plan.unwrap_or_default(),
        found.month.unwrap_or_default(),
    );
    let mut listings = StaffListingServiceClient::new(fleet.listings().await?);
    let request = GetAccountWritesRequest {
        account_id: account.id.clone(),
    };
    let writes = listings.get_account_writes(request).await?.into_inner();
    let mut webhooks = StaffServiceClient::new(fleet.webhook().await?);
    let request = CountEndpointsRequest {
        account_id: account.id.clone(),
    };
    let endpoints = webhooks.count_endpoints(request).await?.into_inner();
    let people = team::people(fleet, account.id.clone()).await?;
    let account = AccountUse {
        account,
        people,
        month: LimitUse::new(month.used, month.limit),
        month_resets_at: month.resets_at,
        writes: LimitUse::new(writes.writes_today.into(), plan.writes_per_day),
        working_keys: LimitUse::new(found.working_keys.into(), plan.working_keys),
        endpoints: LimitUse::new(endpoints.endpoints.into(), plan.webhook_endpoints),
    };
    output.row("account", &account, COLUMNS)
}
