//! Webhooks of today: addresses that are switched off, and deliveries that fail.

use contracts::webhook::v1 as proto;
use contracts::webhook::v1::{DeliveryState, EndpointState};
use futures::future::join_all;
use kit::Fault;
use pages::accounts::NewsItem;
use pages::shell::Sentence;
use pages::webhooks::ServiceText;

use super::News;
use crate::account::member_request::MemberRequest;
use crate::account::webhooks::{advice, origin, service_text};

/// The most endpoints for which the page shows the newest failure.
const MAX_FAILING_ENDPOINTS: usize = 3;

#[derive(Debug)]
pub(super) struct WebhookNews {
    pub(super) has_address: bool,
    pub(super) news: News,
}

pub(super) async fn load(request: &MemberRequest) -> Result<WebhookNews, Fault> {
    let endpoints = request.app.webhooks.endpoints(request.scope.id).await?;
    let endpoints = endpoints.endpoints;
    let failing = endpoints.iter().filter(|it| {
        let failures = it.health.as_ref().map_or(0, |health| health.failures);
        it.state() == EndpointState::Off || failures > 0
    });
    let failing = failing.take(MAX_FAILING_ENDPOINTS);
    let failed = join_all(failing.map(|endpoint| item(request, endpoint))).await;
    Ok(WebhookNews {
        has_address: !endpoints.is_empty(),
        news: News {
            failed,
            ..News::default()
        },
    })
}

/// An address that fails, with the advice for its newest failed delivery.
async fn item(request: &MemberRequest, endpoint: &proto::Endpoint) -> NewsItem {
    let newest = proto::ListDeliveriesRequest {
        account_id: request.scope.id.to_string(),
        endpoint_id: endpoint.id.clone(),
        state: DeliveryState::Failed.into(),
        limit: 1,
        ..proto::ListDeliveriesRequest::default()
    };
    // Without the delivery, the page leads to the address.
    let listed = request.app.webhooks.deliveries(newest).await;
    let newest = listed.unwrap_or_default().deliveries.into_iter().next();
    let path = request.path(&format!("/webhooks/{}", endpoint.id));
    let href = newest.as_ref().map_or_else(
        || path.clone(),
        |delivery| format!("{path}/deliveries/{}", delivery.id),
    );
    let host = origin(&endpoint.url);
    let language = request.language();
    let texts = language.texts();
    let text = if endpoint.state() == EndpointState::Off {
        texts.say_of("today-address-off", &host)
    } else {
        texts.say_of("today-address-fails", &host)
    };
    let reason = service_text::reason(&endpoint.reason, language);
    let mut item = NewsItem::new(text, href).sentence(sentence(reason, ""));
    let attempt = newest.as_ref().and_then(|it| it.last_attempt.as_ref());
    if let Some(attempt) = attempt {
        let reason = service_text::reason(&attempt.reason, language);
        item = item
            .detail(texts.say("today-newest-delivery"))
            .sentence(sentence(reason, "."));
    }
    let newest = newest.as_ref();
    let advice = newest.and_then(|delivery| advice::of_delivery(delivery, language));
    item.detail(advice.unwrap_or_default())
}

/// A text of webhook-svc with its end.
fn sentence(text: ServiceText, end: &str) -> Sentence {
    Sentence {
        is_english: !text.is_translated,
        text: text.text + end,
    }
}
