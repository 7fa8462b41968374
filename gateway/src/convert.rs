//! Plans, as messages and as settings that callers see.

use contracts::gateway::v1 as proto;
use contracts::public::ApiPlan;

use crate::domain::plan::{Plan, Plans};

impl From<&Plan> for proto::Plan {
    fn from(plan: &Plan) -> Self {
        Self {
            name: plan.name.clone(),
            title: plan.title.clone(),
            calls_per_minute: plan.calls_per_minute,
            calls_per_month: plan.calls_per_month,
            working_keys: plan.working_keys,
            writes_per_day: plan.writes_per_day,
            webhook_endpoints: plan.webhook_endpoints,
            webhook_events: plan.webhook_events,
            coming: plan.coming,
        }
    }
}

impl From<&Plans> for proto::ListPlansResponse {
    fn from(plans: &Plans) -> Self {
        Self { plans: plans.iter().map(Into::into).collect() }
    }
}

impl From<&Plans> for proto::Plans {
    fn from(plans: &Plans) -> Self {
        Self { plans: plans.iter().map(Into::into).collect() }
    }
}

impl From<&Plan> for ApiPlan {
    fn from(plan: &Plan) -> Self {
        Self {
            name: plan.name.clone(),
            title: plan.title.clone(),
            calls_per_minute: plan.calls_per_minute,
            calls_per_month: plan.calls_per_month,
            working_keys: plan.working_keys,
            writes_per_day: plan.writes_per_day,
            webhook_endpoints: plan.webhook_endpoints,
            webhook_events: plan.webhook_events,
            coming: plan.coming,
            lacks: plan.lacks.iter().cloned().collect(),
        }
    }
}
