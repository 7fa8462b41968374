//! One endpoint: its state, its newest deliveries, and the actions of its owner.

use contracts::webhook::v1 as proto;
use contracts::webhook::v1::EndpointState;
use kit::Fault;
use pages::Choice;
use pages::webhooks::endpoints::{EndpointPage, EndpointStatus, Health, WaitingSecret};
use serde::Deserialize;
use uuid::Uuid;

use super::{EndpointId, signing_secret, words};
use crate::account::effect::Effect;
use crate::account::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::english::texts;
use crate::form_body::FormBody;
use crate::notice::AfterForm;
use crate::once_form::{self, OnceForm};
use crate::page_error::PageResult;
use crate::render::{FormState, html, see_other};
use crate::request::Section;
use crate::upstream::webhook::{ChangedState, origin};
use crate::upstream::{minute_of, time_of};
use crate::url_query::UrlQuery;

/// Deliveries that the page counts by their results.
const COUNTED: u32 = 100;
/// Deliveries that the page shows.
const SHOWN: usize = 10;
/// The event that is chosen in the form of a test event.
const DEFAULT_TEST: &str = "ping";

#[derive(Debug, Default, Deserialize)]
pub struct TestForm {
    /// An event and, after a space, a kind; empty: a ping.
    #[serde(default)]
    event: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct RotateForm {
    /// The id of the new secret that waited when the page was opened, and that ends; empty: none.
    waiting: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct SwitchForm {
    /// The id of the new secret.
    secret: String,
}

pub async fn show(
    request: MemberRequest,
    EndpointId(id): EndpointId,
    UrlQuery(after): UrlQuery<AfterForm>,
) -> PageResult {
    page(&request, id, after.notice(), FormState::default()).await
}

pub async fn pause(request: MemberRequest, EndpointId(id): EndpointId) -> PageResult {
    let paused = request.app.webhooks.pause(request.scope.id, id);
    let notice = (Action::WebhookPaused, "webhook-paused");
    change_state(&request, id, paused, notice).await
}

pub async fn resume(request: MemberRequest, EndpointId(id): EndpointId) -> PageResult {
    let resumed = request.app.webhooks.resume(request.scope.id, id);
    let notice = (Action::WebhookResumed, "webhook-resumed");
    change_state(&request, id, resumed, notice).await
}

/// Pauses or resumes an endpoint, and leads back to its page with a notice. If the form is sent
/// twice, the second one changes nothing, and has the same answer.
async fn change_state(
    request: &MemberRequest,
    id: Uuid,
    call: impl Future<Output = Result<ChangedState, Fault>>,
    (action, notice): (Action, &str),
) -> PageResult {
    let work = async {
        let changed = call.await?;
        let path = format!("{}?done={notice}", request.webhook(id));
        if changed.unchanged {
            return Ok(Effect::none(see_other(&path)));
        }
        Ok(Effect::shown_at(action, origin(&changed.endpoint.url), &path))
    };
    let page = async |state| page(request, id, None, state).await;
    request.answer(work, &[], page).await
}

/// Signs with the secret that the form names from now on. If the form is sent twice, the second one
/// has the same answer.
pub async fn switch(
    request: MemberRequest,
    EndpointId(id): EndpointId,
    FormBody(form): FormBody<SwitchForm>,
) -> PageResult {
    let work = async {
        let switched = request.app.webhooks.switch(request.scope.id, id, &form.secret).await?;
        let path = format!("{}?done=webhook-switched", request.webhook(id));
        let action = Action::WebhookSecretSwitched;
        let once = form.secret.parse().ok().map(|secret| once_form::id_in(id, secret));
        Ok(Effect::shown_at(action, origin(&switched.url), &path).once(once))
    };
    let page = async |state| page(&request, id, None, state).await;
    request.answer(work, &[], page).await
}

/// Removes an endpoint. If the form is sent twice, the second one finds no endpoint, and has the same answer.
pub async fn remove(request: MemberRequest, EndpointId(id): EndpointId) -> PageResult {
    let work = async {
        let removed = request.app.webhooks.remove(request.scope.id, id).await?;
        let path = format!("{}?done=webhook-removed", request.webhooks());
        match removed {
            Some(url) => Ok(Effect::shown_at(Action::WebhookRemoved, origin(&url), &path)),
            None => Ok(Effect::none(see_other(&path))),
        }
    };
    let page = async |state| page(&request, id, None, state).await;
    request.answer(work, &[], page).await
}

pub async fn rotate(
    request: MemberRequest,
    EndpointId(id): EndpointId,
    OnceForm(RotateForm { waiting }, sent): OnceForm<RotateForm>,
) -> PageResult {
    let work = async {
        let form = request.sent_form(sent);
        let rotated = request.app.webhooks.rotate(request.scope.id, id, form, &waiting);
        let (action, rotated) = (Action::WebhookSecretRotated, rotated.await?);
        Ok(signing_secret::shown_once(&request, action, rotated).await)
    };
    let page = async |state| page(&request, id, None, state).await;
    request.answer(work, &[], page).await
}

/// Sends a test event, and redirects to the page of its delivery.
pub async fn test(
    request: MemberRequest,
    EndpointId(id): EndpointId,
    OnceForm(form, sent): OnceForm<TestForm>,
) -> PageResult {
    let (event, kind) = form.event.split_once(' ').unwrap_or((&form.event, ""));
    let webhooks = &request.app.webhooks;
    let work = async {
        let path = request.webhook(id);
        let sent = webhooks.send_test_event(request.scope.id, id, event, kind, sent);
        let delivery = sent.await?;
        let path = format!("{path}/deliveries/{}", delivery.id);
        let id = delivery.message_id.parse().ok();
        Ok(Effect::shown_at(Action::WebhookTested, delivery.event, &path).once(id))
    };
    let page = async |state| page(&request, id, None, state).await;
    request.answer(work, &["event"], page).await
}

async fn page(
    request: &MemberRequest,
    id: Uuid,
    notice: Option<&'static str>,
    state: FormState,
) -> PageResult {
    let (webhooks, account) = (&request.app.webhooks, request.scope.id);
    let newest = proto::ListDeliveriesRequest {
        account_id: account.to_string(),
        endpoint_id: id.to_string(),
        limit: COUNTED,
        ..proto::ListDeliveriesRequest::default()
    };
    let (endpoint, deliveries, types, mut frame) = futures::join!(
        webhooks.endpoint(account, id),
        webhooks.deliveries(newest),
        webhooks.event_types(),
        request.frame(Section::Webhooks),
    );
    let (endpoint, deliveries, types) = (endpoint?, deliveries?, types?);
    frame.notice = notice;
    let now = request.app.clock.now();
    let recent = words::recent(&deliveries.deliveries);
    let rows = deliveries.deliveries.iter().take(SHOWN);
    let address_check = words::address_check(&endpoint);
    let page = EndpointPage {
        frame,
        errors: state.errors,
        base: request.webhooks(),
        status: EndpointStatus {
            label: words::endpoint_state(endpoint.state()),
            is_on: endpoint.state() == EndpointState::On,
            is_off: endpoint.state() == EndpointState::Off,
            reason: endpoint.reason,
        },
        id: endpoint.id,
        url: endpoint.url,
        events: endpoint.events,
        added: minute_of(texts(), endpoint.created_at),
        address_check,
        waiting: time_of(endpoint.rotating_until)
            .map(|at| WaitingSecret { id: endpoint.next_secret_id, until: texts().minute(at) }),
        health: health(endpoint.health.unwrap_or_default()),
        recent,
        tests: tests_of(&types),
        deliveries: rows.map(|delivery| words::delivery_row(delivery, now)).collect(),
        test_form: once_form::new_id(),
        rotate_form: once_form::new_id(),
        may_change: request.may_change_webhooks(),
    };
    Ok(html(state.status, &page))
}

fn health(health: proto::Health) -> Health {
    let failures = Some(health.failures).filter(|failures| *failures > 0);
    let minute = |at| time_of(at).map(|at| texts().minute(at));
    Health {
        queued: texts().number(health.queued),
        queued_since: minute(health.queued_since),
        failures: failures.map(|failures| texts().number(failures.into())),
        last_failure: minute(health.last_failure_at),
        last_success: minute(health.last_success_at),
    }
}

/// Every event about every kind of subject.
fn tests_of(types: &[proto::EventType]) -> Vec<Choice> {
    let choices = types.iter().flat_map(|event| {
        let name = &event.name;
        event.kinds.iter().map(move |kind| Choice {
            value: format!("{name} {kind}").trim_end().to_owned(),
            label: match kind.as_str() {
                "" => name.clone(),
                kind => format!("{name}: {kind}"),
            },
            is_chosen: name == DEFAULT_TEST,
        })
    });
    choices.collect()
}
