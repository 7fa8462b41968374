//! Sends every delivery again that has failed since a time: counts them first, then asks.

use contracts::webhook::v1 as proto;
use pages::webhooks::endpoints::RecoverPage;
use pages::{Field, Fields};
use serde::Deserialize;
use time::format_description::BorrowedFormatItem;
use time::macros::format_description;
use time::{OffsetDateTime, PrimitiveDateTime, UtcOffset};
use uuid::Uuid;

use super::EndpointId;
use crate::account::effect::{Effect, refused_form};
use crate::account::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::english::say;
use crate::form_body::FormBody;
use crate::page_error::PageResult;
use crate::render::{FormState, html};
use crate::request::Section;
use crate::upstream::time_of;
use crate::upstream::webhook::origin;

/// The values of a field `datetime-local`. The page says that they are in UTC.
const MINUTES: &[BorrowedFormatItem<'_>] =
    format_description!("[year]-[month]-[day]T[hour]:[minute]");

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct SinceForm {
    since: String,
    /// `yes` to send the deliveries, otherwise to count them.
    confirmed: String,
}

/// Proposes the time at which the first delivery has failed.
pub async fn show(request: MemberRequest, EndpointId(id): EndpointId) -> PageResult {
    let (app, account) = (&request.app, request.scope.id);
    let (since, state) = match app.webhooks.count_failed(account, id, None).await {
        Ok(failed) => (time_of(failed.oldest), FormState::default()),
        Err(fault) => (None, refused_form(fault, &["since"])?),
    };
    let since = minutes(since.unwrap_or_else(|| app.clock.now()));
    page(&request, id, &since, (state, None)).await
}

pub async fn send(
    request: MemberRequest,
    EndpointId(id): EndpointId,
    FormBody(form): FormBody<SinceForm>,
) -> PageResult {
    let (webhooks, account) = (&request.app.webhooks, request.scope.id);
    let Ok(since) = PrimitiveDateTime::parse(form.since.trim(), MINUTES) else {
        let state = FormState::invalid(Fields::one("since", say("recover-choose")));
        return page(&request, id, &form.since, (state, None)).await;
    };
    let since = since.assume_utc();
    if form.confirmed != "yes" {
        let counted = webhooks.count_failed(account, id, Some(since)).await;
        let outcome = match counted {
            Ok(counted) => (FormState::default(), Some((minutes(since), counted.deliveries))),
            Err(fault) => (refused_form(fault, &["since"])?, None),
        };
        return page(&request, id, &form.since, outcome).await;
    }
    let work = async {
        webhooks.recover(account, id, since).await?;
        let endpoint = webhooks.endpoint(account, id).await?;
        let notice = match endpoint.state() {
            proto::EndpointState::Paused => "webhook-recovered-paused",
            _ => "webhook-recovered",
        };
        let path = format!("{}/deliveries?done={notice}", request.webhook(id));
        let (action, subject) = (Action::WebhookRecovered, origin(&endpoint.url));
        Ok(Effect::shown_at(action, subject, &path))
    };
    let page = async |state| page(&request, id, &form.since, (state, None)).await;
    request.answer(work, &["since"], page).await
}

fn minutes(at: OffsetDateTime) -> String {
    at.to_offset(UtcOffset::UTC).format(MINUTES).unwrap_or_default()
}

/// The page with the errors of the form, or with the number of deliveries that have failed since a time.
async fn page(
    request: &MemberRequest,
    id: Uuid,
    since: &str,
    (state, counted): (FormState, Option<(String, u64)>),
) -> PageResult {
    let endpoint = request.app.webhooks.endpoint(request.scope.id, id);
    let (endpoint, frame) = futures::join!(endpoint, request.frame(Section::Webhooks));
    let endpoint = endpoint?;
    let FormState { status, errors } = state;
    let page = RecoverPage {
        frame,
        base: request.webhooks(),
        id: endpoint.id,
        url: endpoint.url,
        since: Field::minute("since", say("recover-since"))
            .hint(say("recover-since-hint"))
            .value(since)
            .error_in(&errors),
        counted,
        errors,
    };
    Ok(html(status, &page))
}
