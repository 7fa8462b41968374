//! The endpoints of an account.

use contracts::webhook::v1 as proto;
use pages::webhooks::endpoints::{EndpointRow, WebhooksPage};

use super::words;
use crate::account::member_request::MemberRequest;
use crate::english::texts;
use crate::notice::AfterForm;
use crate::page_error::PageResult;
use crate::render::ok;
use crate::request::Section;
use crate::upstream::time_of;
use crate::url_query::UrlQuery;

pub async fn show(request: MemberRequest, UrlQuery(after): UrlQuery<AfterForm>) -> PageResult {
    let webhooks = &request.app.webhooks;
    let listed = webhooks.endpoints(request.scope.id);
    let (listed, mut frame) = futures::join!(listed, request.frame(Section::Webhooks));
    let listed = listed?;
    frame.notice = after.notice();
    let endpoints = listed.endpoints.iter().map(row);
    Ok(ok(&WebhooksPage {
        frame,
        base: request.webhooks(),
        most: listed.most.map(u64::from),
        has_room: has_room(&listed),
        real_events: listed.real_events,
        endpoints: endpoints.collect(),
        may_change: request.may_change_webhooks(),
    }))
}

/// Whether the plan includes another address.
pub(super) fn has_room(listed: &proto::ListEndpointsResponse) -> bool {
    let count = u32::try_from(listed.endpoints.len()).unwrap_or(u32::MAX);
    listed.most.is_none_or(|most| count < most)
}

fn row(endpoint: &proto::Endpoint) -> EndpointRow {
    let health = endpoint.health.unwrap_or_default();
    EndpointRow {
        id: endpoint.id.clone(),
        url: endpoint.url.clone(),
        events: endpoint.events.join(", "),
        state: words::endpoint_state(endpoint.state()),
        queued: texts().number(health.queued),
        last_success: time_of(health.last_success_at).map(|at| texts().minute(at)),
    }
}
