//! One endpoint: its state, its newest deliveries, and the actions of its owner.

use axum::extract::{Path, Query};
use contracts::webhook::v1 as proto;
use contracts::webhook::v1::EndpointState;
use kit::Fault;
use pages::webhooks::endpoints::{EndpointPage, EndpointStatus, Health, TestChoice};
use pages::when;
use serde::Deserialize;
use uuid::Uuid;

use super::{endpoint_id, origin, signing_secret, words};
use crate::account::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::notice::AfterForm;
use crate::once_form::{self, NoFields, OnceForm, sent_before};
use crate::page_error::PageResult;
use crate::page_language::PageLanguage;
use crate::render::{FormState, html, ok, see_other};
use crate::request::Section;
use crate::upstream::{minute_of, time_of};

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

pub async fn show(
    request: MemberRequest,
    Path((_, id)): Path<(Uuid, String)>,
    Query(after): Query<AfterForm>,
) -> PageResult {
    let (id, notice) = (endpoint_id(&id)?, after.notice());
    page(&request, id, notice, FormState::default()).await
}

pub async fn pause(request: MemberRequest, Path((_, id)): Path<(Uuid, String)>) -> PageResult {
    let id = endpoint_id(&id)?;
    let paused = request.app.webhooks.pause(request.scope.id, id).await;
    answer(
        &request,
        id,
        paused,
        Action::WebhookPaused,
        "webhook-paused",
    )
    .await
}

pub async fn resume(request: MemberRequest, Path((_, id)): Path<(Uuid, String)>) -> PageResult {
    let id = endpoint_id(&id)?;
    let resumed = request.app.webhooks.resume(request.scope.id, id).await;
    let (action, notice) = (Action::WebhookResumed, "webhook-resumed");
    answer(&request, id, resumed, action, notice).await
}

pub async fn switch(request: MemberRequest, Path((_, id)): Path<(Uuid, String)>) -> PageResult {
    let id = endpoint_id(&id)?;
    let switched = request.app.webhooks.switch(request.scope.id, id).await;
    let (action, notice) = (Action::WebhookSecretSwitched, "webhook-switched");
    answer(&request, id, switched, action, notice).await
}

pub async fn remove(
    request: MemberRequest,
    Path((_, id)): Path<(Uuid, String)>,
    OnceForm(NoFields {}, sent): OnceForm<NoFields>,
) -> PageResult {
    let id = endpoint_id(&id)?;
    let list = request.webhooks();
    let removed = request.once(sent, async {
        let (webhooks, account) = (&request.app.webhooks, request.scope.id);
        let endpoint = webhooks.endpoint(account, id).await?;
        webhooks.remove(account, id).await?;
        Ok(endpoint)
    });
    match removed.await {
        Ok(None) => Ok(sent_before(&list)),
        Ok(Some(endpoint)) => {
            let subject = origin(&endpoint.url);
            request.record(Action::WebhookRemoved, &subject).await;
            Ok(see_other(&format!("{list}?done=webhook-removed")))
        }
        Err(fault) => refused(&request, id, fault, &[]).await,
    }
}

pub async fn rotate(
    request: MemberRequest,
    Path((_, id)): Path<(Uuid, String)>,
    OnceForm(NoFields {}, sent): OnceForm<NoFields>,
) -> PageResult {
    let id = endpoint_id(&id)?;
    let rotated = request.app.webhooks.rotate(request.scope.id, id);
    match request.once(sent, rotated).await {
        Ok(None) => Ok(sent_before(&request.webhook(id))),
        Ok(Some((endpoint, secret))) => {
            let subject = origin(&endpoint.url);
            request.record(Action::WebhookSecretRotated, &subject).await;
            Ok(ok(&signing_secret::page(&request, endpoint, secret).await))
        }
        Err(fault) => refused(&request, id, fault, &[]).await,
    }
}

/// Sends a test event, and redirects to the page of its delivery.
pub async fn test(
    request: MemberRequest,
    Path((_, id)): Path<(Uuid, String)>,
    OnceForm(form, sent): OnceForm<TestForm>,
) -> PageResult {
    let id = endpoint_id(&id)?;
    let (event, kind) = form.event.split_once(' ').unwrap_or((&form.event, ""));
    let webhooks = &request.app.webhooks;
    let delivery = webhooks.send_test_event(request.scope.id, id, event, kind);
    let path = request.webhook(id);
    match request.once(sent, delivery).await {
        Ok(None) => Ok(sent_before(&path)),
        Ok(Some(delivery)) => {
            request.record(Action::WebhookTested, &delivery.event).await;
            Ok(see_other(&format!("{path}/deliveries/{}", delivery.id)))
        }
        Err(fault) => refused(&request, id, fault, &["event"]).await,
    }
}

/// Records an action, and leads back to the page of the endpoint with a notice.
async fn answer(
    request: &MemberRequest,
    id: Uuid,
    result: Result<proto::Endpoint, Fault>,
    action: Action,
    notice: &str,
) -> PageResult {
    match result {
        Ok(endpoint) => {
            request.record(action, &origin(&endpoint.url)).await;
            let path = request.webhook(id);
            Ok(see_other(&format!("{path}?done={notice}")))
        }
        Err(fault) => refused(request, id, fault, &[]).await,
    }
}

async fn refused(request: &MemberRequest, id: Uuid, fault: Fault, fields: &[&str]) -> PageResult {
    page(request, id, None, request.refused(fault, fields)?).await
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
    let (now, language) = (request.app.clock.now(), request.language());
    let texts = language.texts();
    let recent = words::recent(&deliveries.deliveries, language);
    let rows = deliveries.deliveries.iter().take(SHOWN);
    let page = EndpointPage {
        frame,
        errors: state.errors,
        base: request.webhooks(),
        status: EndpointStatus {
            label: words::endpoint_state(endpoint.state(), language),
            is_on: endpoint.state() == EndpointState::On,
            is_off: endpoint.state() == EndpointState::Off,
            reason: endpoint.reason,
        },
        id: endpoint.id,
        url: endpoint.url,
        events: endpoint.events,
        added: minute_of(texts, endpoint.created_at),
        address_check: words::address_check(&endpoint.address_check),
        rotating_until: time_of(endpoint.rotating_until).map(|at| when::minute(texts, at)),
        health: health(endpoint.health.unwrap_or_default(), language),
        recent,
        tests: tests_of(&types),
        deliveries: rows
            .map(|delivery| words::delivery_row(delivery, now, language))
            .collect(),
        test_form: once_form::new_id(),
        rotate_form: once_form::new_id(),
        remove_form: once_form::new_id(),
        may_change: request.may_change_webhooks(),
    };
    Ok(html(state.status, &page))
}

fn health(health: proto::Health, language: PageLanguage) -> Health {
    let texts = language.texts();
    let failures = Some(health.failures).filter(|failures| *failures > 0);
    let minute = |at| time_of(at).map(|at| when::minute(texts, at));
    Health {
        queued: texts.number(health.queued),
        queued_since: minute(health.queued_since),
        failures: failures.map(|failures| texts.number(failures.into())),
        last_failure: minute(health.last_failure_at),
        last_success: minute(health.last_success_at),
    }
}

/// Every event about every kind of subject.
fn tests_of(types: &[proto::EventType]) -> Vec<TestChoice> {
    let mut choices = Vec::new();
    for event in types {
        for kind in &event.kinds {
            let name = &event.name;
            let has_kind = !kind.is_empty();
            choices.push(TestChoice {
                value: if has_kind {
                    format!("{name} {kind}")
                } else {
                    name.clone()
                },
                label: if has_kind {
                    format!("{name}: {kind}")
                } else {
                    name.clone()
                },
                is_chosen: name == DEFAULT_TEST,
            });
        }
    }
    choices
}
