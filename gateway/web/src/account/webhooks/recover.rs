//! Sends every delivery again that has failed since a time: counts them first, then asks.

use axum::extract::Path;
use contracts::webhook::v1 as proto;
use http::StatusCode;
use kit::Code;
use pages::webhooks::endpoints::RecoverPage;
use pages::{Field, Fields};
use serde::Deserialize;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::{endpoint_id, origin, time_of};
use crate::account::member_request::MemberRequest;
use crate::domain::utc_minute;
use crate::form_body::FormBody;
use crate::page_error::PageResult;
use crate::render::{form_errors, html, see_other};

#[derive(Debug, Default, Deserialize)]
pub struct SinceForm {
    #[serde(default)]
    since: String,
    /// `yes` to send the deliveries, otherwise to count them.
    #[serde(default)]
    confirmed: String,
}

/// The result of a form: errors, or a number of deliveries since a time.
#[derive(Debug, Default)]
struct Outcome {
    status: StatusCode,
    errors: Fields,
    counted: Option<(String, u64)>,
}

pub async fn show(request: MemberRequest, Path((_, id)): Path<(Uuid, String)>) -> PageResult {
    let id = endpoint_id(&id)?;
    page(&request, id, None, Outcome::default()).await
}

pub async fn send(
    request: MemberRequest,
    Path((_, id)): Path<(Uuid, String)>,
    FormBody(form): FormBody<SinceForm>,
) -> PageResult {
    let id = endpoint_id(&id)?;
    let since = match utc_minute::parse(&form.since) {
        Ok(Some(since)) => since,
        Ok(None) => return refused(&request, id, &form, "Choose a time.").await,
        Err(reason) => return refused(&request, id, &form, reason).await,
    };
    let (webhooks, account) = (&request.app.webhooks, request.scope.id);
    let is_confirmed = form.confirmed == "yes";
    let recovered = match request.app.gateway.admit_change().await {
        Ok(()) => webhooks.recover(account, id, since, !is_confirmed).await,
        Err(closed) => Err(closed),
    };
    let outcome = match recovered {
        Ok(_) if is_confirmed => {
            let endpoint = webhooks.endpoint(account, id).await?;
            request
                .record("webhook_recovered", &origin(&endpoint.url))
                .await;
            let path = request.webhook(id);
            return Ok(see_other(&format!(
                "{path}/deliveries?done=webhook-recovered"
            )));
        }
        Ok(count) => Outcome {
            counted: Some((utc_minute::format(since), count)),
            ..Outcome::default()
        },
        Err(fault) if fault.code == Code::NotFound => return Err(fault.into()),
        Err(fault) => {
            let (status, errors) = form_errors(&fault, &["since"], &[]);
            Outcome {
                status,
                errors,
                counted: None,
            }
        }
    };
    page(&request, id, Some(&form.since), outcome).await
}

async fn refused(request: &MemberRequest, id: Uuid, form: &SinceForm, reason: &str) -> PageResult {
    let outcome = Outcome {
        status: StatusCode::UNPROCESSABLE_ENTITY,
        errors: Fields::one("since", reason),
        counted: None,
    };
    page(request, id, Some(&form.since), outcome).await
}

async fn page(
    request: &MemberRequest,
    id: Uuid,
    typed: Option<&str>,
    outcome: Outcome,
) -> PageResult {
    let endpoint = request.app.webhooks.endpoint(request.scope.id, id);
    let call = format!("/deliveries/recover?endpoint={id}&since=");
    let (endpoint, shell) = futures::join!(endpoint, request.webhooks_shell(("POST", &call)));
    let endpoint = match endpoint {
        Ok(endpoint) => endpoint,
        // The page shows the typed text again.
        Err(fault) if typed.is_some() && fault.code != Code::NotFound => proto::Endpoint {
            id: id.to_string(),
            ..proto::Endpoint::default()
        },
        Err(fault) => return Err(fault.into()),
    };
    let first_failure = endpoint
        .health
        .and_then(|health| time_of(health.first_failure_at));
    let since = match typed {
        Some(typed) => typed.to_owned(),
        None => utc_minute::format(suggestion(first_failure, request.app.clock.now())),
    };
    let page = RecoverPage {
        shell,
        base: request.webhooks(),
        id: endpoint.id,
        url: endpoint.url,
        since: Field::minute("since", "Made since (UTC)")
            .hint("When your receiver began to fail. Deliveries are kept for 30 days.")
            .value(&since)
            .error_in(&outcome.errors),
        counted: outcome.counted,
        errors: outcome.errors,
    };
    Ok(html(outcome.status, &page))
}

/// A delivery fails a day after it was made. Therefore suggests the time a day before the first failure.
fn suggestion(first_failure: Option<OffsetDateTime>, now: OffsetDateTime) -> OffsetDateTime {
    first_failure.unwrap_or(now) - Duration::DAY
}
