//! One delivery with its attempts.

use axum::extract::Path;
use contracts::webhook::v1::{DeliveryState, EndpointState};
use http::header::REFRESH;
use pages::webhooks::deliveries::DeliveryPage;
use serde::Deserialize;
use time::Duration;
use uuid::Uuid;

use super::{EndpointId, words};
use super::{curl, json_text};
use crate::account::effect::Effect;
use crate::account::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::domain::shell_word::quoted;
use crate::form_body::FormBody;
use crate::notice::AfterForm;
use crate::page_error::{PageError, PageResult};
use crate::render::{FormState, html, see_other};
use crate::request::Section;
use crate::upstream::time_of;
use crate::upstream::webhook::origin;
use crate::url_query::UrlQuery;

/// While the first attempt is made, the page is loaded again after these seconds, so that its result appears.
const RELOAD: u16 = 2;
/// How long the first attempt of a delivery may take.
const FIRST_TRY: Duration = Duration::seconds(30);

/// How many attempts the page has shown: if more have ended by then, nothing is sent, so that a
/// form that is sent twice sends once.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct AgainForm {
    tries: u32,
}

pub async fn show(
    request: MemberRequest,
    EndpointId(endpoint): EndpointId,
    Path((_, _, id)): Path<(Uuid, String, String)>,
    UrlQuery(after): UrlQuery<AfterForm>,
) -> PageResult {
    page(&request, endpoint, parse(&id)?, after.notice(), FormState::default()).await
}

pub async fn send_again(
    request: MemberRequest,
    EndpointId(endpoint): EndpointId,
    Path((_, _, id)): Path<(Uuid, String, String)>,
    FormBody(form): FormBody<AgainForm>,
) -> PageResult {
    let id = parse(&id)?;
    let (webhooks, account) = (&request.app.webhooks, request.scope.id);
    let work = async {
        let path = format!("{}/deliveries/{id}", request.webhook(endpoint));
        if !webhooks.send_again(account, endpoint, id, form.tries).await? {
            return Ok(Effect::none(see_other(&format!("{path}?done=webhook-attempted"))));
        }
        // Only the endpoint has the address, and it may be removed by now.
        let found = webhooks.endpoint(account, endpoint).await;
        let subject = found.map_or_else(|_gone| String::new(), |it| origin(&it.url));
        Ok(Effect::shown_at(Action::WebhookSentAgain, subject, &path))
    };
    let page = async |state| page(&request, endpoint, id, None, state).await;
    request.answer(work, &[], page).await
}

/// The id of a delivery.
fn parse(id: &str) -> Result<i64, PageError> {
    id.parse().map_err(|_not_an_id| PageError::not_found())
}

async fn page(
    request: &MemberRequest,
    endpoint: Uuid,
    id: i64,
    notice: Option<&'static str>,
    state: FormState,
) -> PageResult {
    let (webhooks, account) = (&request.app.webhooks, request.scope.id);
    let (found, delivery, mut frame) = futures::join!(
        webhooks.endpoint(account, endpoint),
        webhooks.delivery(account, endpoint, id),
        request.frame(Section::Webhooks),
    );
    let (found, delivery) = (found?, delivery?);
    frame.notice = notice;
    let body = String::from_utf8_lossy(&delivery.body).into_owned();
    let (attempts, delivery) = (delivery.attempts, delivery.delivery);
    let delivery = delivery.ok_or_else(PageError::not_found)?;
    let webhook = curl::Webhook {
        url: &found.url,
        event: &delivery.event,
        id: &delivery.message_id,
        body: &body,
    };
    let now = request.app.clock.now();
    let age = time_of(delivery.created_at).map(|created| (now - created).abs());
    let is_first_try = delivery.tries == 0
        && delivery.state() == DeliveryState::Waiting
        && found.state() == EndpointState::On
        && age.is_some_and(|age| age < FIRST_TRY);
    let attempts = attempts.iter().map(words::attempt_row);
    let page = DeliveryPage {
        frame,
        errors: state.errors,
        base: request.webhooks(),
        endpoint: endpoint.to_string(),
        row: words::delivery_row(&delivery, now),
        message_id: delivery.message_id.clone(),
        explanation: words::explanation(&delivery, found.state(), now),
        cancelled: words::cancelled(&delivery),
        send_again: words::send_again(&delivery, found.state()),
        attempts: attempts.collect(),
        body: json_text::indented(&body),
        curl: curl::signed(webhook),
        listing_call: listing_call(&request.app.api_url, &body),
        may_change: request.may_change_webhooks(),
        url: found.url,
    };
    let mut response = html(state.status, &page);
    if is_first_try {
        response.headers_mut().insert(REFRESH, RELOAD.into());
    }
    Ok(response)
}

/// A call that reads the listing of a message.
fn listing_call(api_url: &str, body: &str) -> Option<String> {
    let body: serde_json::Value = serde_json::from_str(body).ok()?;
    let path = body.get("data")?.get("api")?.as_str()?;
    let url = quoted(&format!("{api_url}{path}"));
    Some(format!("curl -H \"Authorization: Bearer $SERVICE_API_KEY\" {url}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curl_command_reads_the_listing_of_a_delivery() {
        let call = |body| listing_call("https://mchezo.example/v1", body);
        assert_eq!(
            call(r#"{"data":{"api":"/games/it's"}}"#).unwrap(),
            r#"curl -H "Authorization: Bearer $SERVICE_API_KEY" 'https://mchezo.example/v1/games/it'\''s'"#
        );
        assert_eq!(call(r#"{"data":{"message":"hello"}}"#), None);
        assert_eq!(call("odd"), None);
    }
}
