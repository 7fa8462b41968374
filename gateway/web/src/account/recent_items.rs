//! What has happened recently in an account: its last refused calls, its last deliveries and the last decisions of staff.

use contracts::gateway::v1::AccountsServiceListCallsRequest;
use contracts::webhook::v1::Endpoint;
use pages::accounts::TodayItem;
use time::OffsetDateTime;

use super::activity::text;
use super::page_part::part;
use crate::account::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::english::{say_of, texts};
use crate::store::activity;
use crate::upstream::time_of;
use crate::upstream::webhook::origin;

/// The most items of each kind.
const MOST: u8 = 3;

/// The items, newest first. While the log of calls cannot be read, they lack the calls. It is not read if the gateway has not answered
/// before: the page would wait for it again.
pub(super) async fn load(
    request: &MemberRequest,
    gateway_answers: bool,
    endpoints: &[Endpoint],
) -> Result<Vec<TodayItem>, sqlx::Error> {
    let (app, account) = (&request.app, request.scope.id);
    let refused = AccountsServiceListCallsRequest {
        account_id: account.to_string(),
        only_errors: true,
        limit: MOST.into(),
        ..AccountsServiceListCallsRequest::default()
    };
    let calls = async {
        if !gateway_answers {
            return None;
        }
        part(app.gateway.calls(refused)).await
    };
    let (calls, decisions) = futures::join!(
        calls,
        activity::last_of_staff(&app.pool, account, app.clock.now(), MOST.into()),
    );
    let path = request.path("/requests?errors=yes");
    let listed = calls.map(|listed| listed.calls).unwrap_or_default();
    let calls = listed.iter().filter_map(|call| {
        let what = format!("{} {} {} {}", call.method, call.target, call.status, call.code);
        Some((time_of(call.at)?, TodayItem::new(what, path.clone())))
    });
    let decisions = decisions?.into_iter().map(|it| {
        let text = say_of("today-staff", &text(&it.action, &it.subject));
        let is_of_key = [Action::KeyApproved, Action::KeyRejected].map(Action::name);
        let page = if is_of_key.contains(&&*it.action) { "/keys" } else { "/listings" };
        (it.at, TodayItem::new(text, request.path(page)))
    });
    let deliveries = newest(endpoints.iter().filter_map(|it| delivery(request, it)))
        .into_iter()
        .take(MOST.into());
    let all = newest(calls.chain(deliveries).chain(decisions)).into_iter();
    let items = all.map(|(at, item)| item.detail(texts().minute(at)));
    Ok(items.collect())
}

/// The last delivery to an endpoint, as its health knows it.
fn delivery(request: &MemberRequest, endpoint: &Endpoint) -> Option<(OffsetDateTime, TodayItem)> {
    let health = endpoint.health.as_ref()?;
    let (key, at) = if health.failures == 0 {
        ("today-delivered", health.last_success_at)
    } else {
        ("today-not-delivered", health.last_failure_at)
    };
    let path = request.path(&format!("/webhooks/{}", endpoint.id));
    let item = TodayItem::new(say_of(key, &origin(&endpoint.url)), path);
    Some((time_of(at)?, item))
}

fn newest(
    items: impl Iterator<Item = (OffsetDateTime, TodayItem)>,
) -> Vec<(OffsetDateTime, TodayItem)> {
    let mut items: Vec<_> = items.collect();
    items.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    items
}
