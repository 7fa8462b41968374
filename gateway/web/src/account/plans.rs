//! The plans, and how to request another one.

use contracts::gateway::v1 as proto;
use pages::ApiCall;
use pages::plans::{ComparisonPage, PlanColumn};

use crate::account::member_request::MemberRequest;
use crate::domain::percent::encoded;
use crate::english::{say, texts};
use crate::page_error::{PageError, PageResult};
use crate::render::ok;
use crate::request::Section;

pub async fn show(request: MemberRequest) -> PageResult {
    let (gateway, scope) = (&request.app.gateway, &request.scope);
    let (found, plans) = futures::join!(gateway.account(scope.id), gateway.plans());
    let (found, plans) = (found?, plans?);
    let account = found.account.ok_or_else(PageError::not_found)?;
    // As in the gateway, an account on a plan that the table lacks counts as on the cheapest plan.
    let own = found.plan.map_or(account.plan, |plan| plan.name);
    let mut frame = scope.frame(&request.viewer, &account.name, Section::Usage);
    frame.api_call = Some(ApiCall::new(say("plan-api"), "GET /v1/me"));
    let own_place = plans.iter().position(|plan| plan.name == own);
    let columns = plans.iter().enumerate().map(|(place, plan)| {
        let is_own = own_place == Some(place);
        // Plans are sorted, cheapest first.
        let is_larger = own_place.is_none_or(|own| place > own);
        PlanColumn {
            is_own,
            may_be_asked_for: is_larger && !plan.coming,
            mailto: mailto(request.app.staff_mail.as_deref(), &plan.title, scope.id),
            ..column(plan)
        }
    });
    Ok(ok(&ComparisonPage {
        account: scope.id.to_string(),
        plans: columns.collect(),
        staff_mail: request.app.staff_mail.clone(),
        frame,
    }))
}

fn column(plan: &proto::Plan) -> PlanColumn {
    let owned = |key| say(key).to_owned();
    let limit = |limit: Option<u32>| {
        let limit = limit.map(|limit| texts().number(limit.into()));
        limit.unwrap_or_else(|| owned("plan-no-limit"))
    };
    let per_month = plan.calls_per_month.map(|calls| texts().number(calls));
    PlanColumn {
        title: plan.title.clone(),
        is_own: false,
        is_coming: plan.coming,
        may_be_asked_for: false,
        mailto: String::new(),
        calls_per_minute: limit(plan.calls_per_minute),
        calls_per_month: per_month.unwrap_or_else(|| owned("plan-no-limit-per-month")),
        keys: limit(plan.working_keys),
        writes_per_day: limit(plan.writes_per_day),
        webhooks: limit(plan.webhook_endpoints),
        events: say(if plan.webhook_events { "plan-real-events" } else { "plan-test-events" }),
    }
}

/// A link that opens a mail to staff, in English.
fn mailto(staff: Option<&str>, plan: &str, account: uuid::Uuid) -> String {
    let Some(staff) = staff else {
        return String::new();
    };
    let subject = format!("Plan {plan} for account {account}");
    let subject = encoded(&subject);
    format!("mailto:{staff}?subject={subject}")
}
