//! Deliveries to an endpoint, by pages and by state.

use contracts::webhook::v1 as proto;
use kit::Code;
use pages::webhooks::deliveries::DeliveryListPage;
use pages::{Choice, Fields};
use serde::Deserialize;
use url::form_urlencoded;
use uuid::Uuid;

use super::{EndpointId, words};
use crate::account::member_request::MemberRequest;
use crate::english::say;
use crate::notice::AfterForm;
use crate::page_error::PageResult;
use crate::render::{FormState, html};
use crate::request::Section;
use crate::url_query::UrlQuery;

/// Rows of a page.
const ROWS: u32 = 100;

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct DeliveryQuery {
    /// A name of [`words::STATES`]; empty: all.
    state: String,
    cursor: String,
}

impl DeliveryQuery {
    /// `None` if there is no such state.
    fn request(&self, account: Uuid, endpoint: Uuid) -> Option<proto::ListDeliveriesRequest> {
        let state = words::STATES.iter().find(|(name, ..)| *name == self.state);
        if state.is_none() && !self.state.is_empty() {
            return None;
        }
        Some(proto::ListDeliveriesRequest {
            account_id: account.to_string(),
            endpoint_id: endpoint.to_string(),
            state: state.map_or(0, |(_, state, _)| (*state).into()),
            limit: ROWS,
            cursor: self.cursor.clone(),
        })
    }

    /// The query of the next page.
    fn with_cursor(&self, cursor: &str) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        if !self.state.is_empty() {
            query.append_pair("state", &self.state);
        }
        query.append_pair("cursor", cursor).finish()
    }
}

pub async fn show(
    request: MemberRequest,
    EndpointId(id): EndpointId,
    UrlQuery(query): UrlQuery<DeliveryQuery>,
    UrlQuery(after): UrlQuery<AfterForm>,
) -> PageResult {
    let (webhooks, account) = (&request.app.webhooks, request.scope.id);
    let deliveries = async {
        let state = match query.request(account, id) {
            Some(request) => match webhooks.deliveries(request).await {
                Ok(listed) => return Ok((FormState::default(), listed)),
                Err(fault) if fault.code == Code::Invalid => FormState::refused(&fault, &[]),
                Err(fault) => return Err(fault),
            },
            None => FormState::invalid(Fields::general(say("delivery-no-state"))),
        };
        Ok((state, proto::ListDeliveriesResponse::default()))
    };
    let (endpoint, deliveries, mut frame) = futures::join!(
        webhooks.endpoint(account, id),
        deliveries,
        request.frame(Section::Webhooks),
    );
    let (endpoint, (state, listed)) = (endpoint?, deliveries?);
    let FormState { status, errors } = state;
    frame.notice = after.notice();
    let next = Some(&listed.next_cursor).filter(|cursor| !cursor.is_empty());
    let path = format!("{}/deliveries", request.webhook(id));
    let now = request.app.clock.now();
    let page = DeliveryListPage {
        frame,
        base: request.webhooks(),
        id: endpoint.id,
        url: endpoint.url,
        states: words::STATES
            .iter()
            .map(|&(name, _, key)| Choice {
                value: name.to_owned(),
                label: say(key).to_owned(),
                is_chosen: name == query.state,
            })
            .collect(),
        is_filtered: !query.state.is_empty(),
        rows: (listed.deliveries.iter())
            .map(|delivery| words::delivery_row(delivery, now))
            .collect(),
        next: next.map(|cursor| format!("{path}?{}", query.with_cursor(cursor))),
        errors,
    };
    Ok(html(status, &page))
}
