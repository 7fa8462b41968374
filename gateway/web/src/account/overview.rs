//! The overview of an account.

use pages::ApiCall;
use pages::accounts::OverviewPage;
use pages::when::grouped;

use super::member_request::MemberRequest;
use crate::domain::role::Permission;
use crate::page_error::{PageError, PageResult};
use crate::render::ok;
use crate::viewer::Section;

pub async fn show(request: MemberRequest) -> PageResult {
    let (gateway, scope) = (&request.app.gateway, &request.scope);
    let (found, keys) = futures::join!(gateway.account(scope.id), gateway.keys(scope.id));
    let found = found?;
    let account = found.account.ok_or_else(PageError::not_found)?;
    let keys = keys?.iter().filter(|key| key.revoked_at.is_none()).count();
    let plan = found.plan.map_or(account.plan, |plan| plan.title);
    let mut shell = scope.shell(&request.viewer, &account.name, Section::Overview);
    shell.api_call = Some(ApiCall::same("GET /v1/me"));
    Ok(ok(&OverviewPage {
        shell,
        id: scope.id.to_string(),
        name: account.name,
        plan,
        role: scope.role.as_str(),
        calls: found.month.as_ref().map(|month| grouped(month.used)),
        month_limit: found.month.and_then(|month| month.limit).map(grouped),
        keys: u64::try_from(keys).unwrap_or_default(),
        may_make_keys: request.may(Permission::Develop),
        is_owner: request.may(Permission::Manage),
    }))
}
