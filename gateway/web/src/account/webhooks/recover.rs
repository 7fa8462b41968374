//! Sends every delivery again that has failed since a time: counts them first, then asks.

use contracts::webhook::v1 as proto;
use kit::Fault;
use pages::webhooks::endpoints::RecoverPage;
use pages::{Field, Fields};
use serde::Deserialize;
use time::OffsetDateTime;
use uuid::Uuid;

use super::EndpointId;
use super::utc_minute;
use crate::account::effect::refused_form;
use crate::account::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::english::say;
use crate::form_body::FormBody;
use crate::page_error::PageResult;
use crate::render::{FormState, html, see_other};
use crate::request::Section;
use crate::upstream::time_of;
use crate::upstream::webhook::origin;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct SinceForm {
    since: String,
    /// `yes` to send the deliveries, otherwise to count them.
    confirmed: String,
}

/// The result of a form: errors, or a number of deliveries since a time.
#[derive(Debug, Default)]
struct Outcome {
    state: FormState,
    counted: Option<(String, u64)>,
}

impl From<FormState> for Outcome {
    fn from(state: FormState) -> Self {
        Self {
            state,
            counted: None,
        }
    }
}

/// What a form led to: only a count, or deliveries that are sent again.
#[derive(Debug, Clone, Copy)]
enum Recovery {
    Counted(u64),
    /// With the notice that says when they are sent.
    Recovered(&'static str),
}

/// Proposes the time at which the first delivery has failed.
pub async fn show(request: MemberRequest, EndpointId(id): EndpointId) -> PageResult {
    let (app, account) = (&request.app, request.scope.id);
    let (since, outcome) = match app.webhooks.count_failed(account, id, None).await {
        Ok(failed) => (time_of(failed.oldest), Outcome::default()),
        Err(fault) => (None, refused_form(fault, &["since"])?.into()),
    };
    let since = utc_minute::format(since.unwrap_or_else(|| app.clock.now()));
    page(&request, id, &since, outcome).await
}

pub async fn send(
    request: MemberRequest,
    EndpointId(id): EndpointId,
    FormBody(form): FormBody<SinceForm>,
) -> PageResult {
    let since = match utc_minute::parse(&form.since) {
        Ok(Some(since)) => since,
        Ok(None) => return invalid(&request, id, &form, "recover-choose").await,
        Err(key) => return invalid(&request, id, &form, key).await,
    };
    let outcome = match count_or_recover(&request, id, since, &form).await {
        Ok(Recovery::Recovered(notice)) => {
            let path = request.webhook(id);
            return Ok(see_other(&format!("{path}/deliveries?done={notice}")));
        }
        Ok(Recovery::Counted(count)) => Outcome {
            counted: Some((utc_minute::format(since), count)),
            ..Outcome::default()
        },
        Err(fault) => refused_form(fault, &["since"])?.into(),
    };
    page(&request, id, &form.since, outcome).await
}

/// Sends the deliveries if the form is confirmed. Otherwise counts them.
async fn count_or_recover(
    request: &MemberRequest,
    id: Uuid,
    since: OffsetDateTime,
    form: &SinceForm,
) -> Result<Recovery, Fault> {
    let (webhooks, account) = (&request.app.webhooks, request.scope.id);
    if form.confirmed != "yes" {
        let counted = webhooks.count_failed(account, id, Some(since)).await?;
        return Ok(Recovery::Counted(counted.deliveries));
    }
    webhooks.recover(account, id, since).await?;
    let endpoint = webhooks.endpoint(account, id).await?;
    let subject = origin(&endpoint.url);
    request.record(Action::WebhookRecovered, &subject).await;
    Ok(Recovery::Recovered(match endpoint.state() {
        proto::EndpointState::Paused => "webhook-recovered-paused",
        _ => "webhook-recovered",
    }))
}

async fn invalid(
    request: &MemberRequest,
    id: Uuid,
    form: &SinceForm,
    key: &'static str,
) -> PageResult {
    let reason = say(key);
    let state = FormState::invalid(Fields::one("since", reason));
    page(request, id, &form.since, state.into()).await
}

async fn page(request: &MemberRequest, id: Uuid, since: &str, outcome: Outcome) -> PageResult {
    let endpoint = request.app.webhooks.endpoint(request.scope.id, id);
    let (endpoint, frame) = futures::join!(endpoint, request.frame(Section::Webhooks));
    let endpoint = endpoint?;
    let FormState { status, errors } = outcome.state;
    let page = RecoverPage {
        frame,
        base: request.webhooks(),
        id: endpoint.id,
        url: endpoint.url,
        since: Field::minute("since", say("recover-since"))
            .hint(say("recover-since-hint"))
            .value(since)
            .error_in(&errors),
        counted: outcome.counted,
        errors,
    };
    Ok(html(status, &page))
}
