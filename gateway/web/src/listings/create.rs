//! A new page, game or event.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::Response;
use contracts::listings::v1 as proto;
use http::StatusCode;
use kit::{Code, Fault};
use pages::listings::form::ListingFormPage;
use pages::{ApiCall, Fields};
use serde_json::Value;
use uuid::Uuid;

use super::form::{Choices, FormContext};
use super::typed::Typed;
use super::{Frame, kind, path};
use crate::account::record_done;
use crate::app::{App, Web};
use crate::domain::listing_kind::ListingKind;
use crate::form_body::FormBody;
use crate::page_error::PageResult;
use crate::render::{html, see_other};
use crate::session::once;
use crate::upstream::listings::Submission;
use crate::viewer::{AccountScope, ClientInfo, Section, Viewer};

pub async fn show(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(scope): Extension<AccountScope>,
    Path((_, of_kind)): Path<(Uuid, String)>,
) -> PageResult {
    let kind = kind(&of_kind)?;
    let (choices, frame) = futures::join!(
        Choices::load(&app, &scope, kind),
        Frame::load(&app, &viewer, &scope, Section::Listings)
    );
    let choices = choices?;
    let mut typed = Typed::default();
    typed.set("form", &once::new_id());
    if let [(handle, _), ..] = &choices.creators[..] {
        typed.set("creator", handle);
    }
    let answer = (StatusCode::OK, Fields::default());
    Ok(page(&scope, frame, (kind, &typed), &choices, answer))
}

pub async fn send(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(client): Extension<ClientInfo>,
    Extension(scope): Extension<AccountScope>,
    Path((_, of_kind)): Path<(Uuid, String)>,
    FormBody(pairs): FormBody<Vec<(String, String)>>,
) -> PageResult {
    let kind = kind(&of_kind)?;
    let mut typed = Typed::new(pairs);
    let frame = Frame::load(&app, &viewer, &scope, Section::Listings).await;
    let created = create(&app, &scope, &frame, (kind, &typed)).await;
    match created {
        Ok(written) => {
            let name = written.slug.unwrap_or_default();
            let what = ("listing_submitted", name.as_str());
            record_done(&app, (&viewer, &client), &scope, what).await;
            let shown = path(&scope, kind, &name);
            Ok(see_other(&format!("{shown}?done=listing-submitted")))
        }
        Err(mut fault) => {
            if fault.code == Code::IdempotencyMismatch {
                // The service has used the form's id, so the page gets a new one.
                typed.set("form", &once::new_id());
                let text = "This form has submitted a listing already: look at your listings. If this is meant to be another one, send it again.";
                fault = Fault::new(fault.code, text);
            }
            let choices = Choices::after(&fault, &app, (&scope, &frame), kind).await;
            let answer = choices.refusal(kind, fault);
            Ok(page(&scope, frame, (kind, &typed), &choices, answer))
        }
    }
}

async fn create(
    web: &Web,
    scope: &AccountScope,
    frame: &Frame,
    (kind, typed): (ListingKind, &Typed),
) -> Result<proto::Written, Fault> {
    frame.admit(Some(kind))?;
    let form = form_id(typed)?;
    let submission = Submission {
        account: scope.id,
        writes_per_day: frame.writes_per_day.clone()?,
        body: Value::Object(typed.body(kind)).to_string().into(),
        dry_run: false,
    };
    web.listings.create(kind, submission, form).await
}

/// The id of the form. The service accepts one submission per id.
fn form_id(typed: &Typed) -> Result<&str, Fault> {
    let id = typed.get("form");
    if id.is_empty() {
        let text = "Open the page again, and send the form from there.";
        return Err(Fault::invalid_field("form", text));
    }
    Ok(id)
}

fn page(
    scope: &AccountScope,
    frame: Frame,
    (kind, typed): (ListingKind, &Typed),
    choices: &Choices,
    (status, errors): (StatusCode, Fields),
) -> Response {
    let context = FormContext {
        kind,
        typed,
        choices,
        is_new: true,
        errors: &errors,
    };
    let call = match kind {
        ListingKind::Page => None,
        kind => Some(format!("POST /v1/{}", kind.api_list())),
    };
    let closed = frame.closed_to(kind);
    let text = match kind {
        ListingKind::Game if status == StatusCode::OK && choices.creators.is_empty() => {
            "A game stands under the page of its maker, and you have none yet: submit or claim a page first."
        }
        _ => "A person reviews it before it is public. You can change it while it waits.",
    };
    let page = ListingFormPage {
        heading: format!("Submit {}", kind.with_article()),
        text,
        action: format!("/accounts/{}/listings/new/{}", scope.id, kind.as_str()),
        hidden: vec![("form".to_owned(), typed.get("form").to_owned())],
        parts: context.form_parts(),
        button: "Submit it",
        back: format!("/accounts/{}/listings", scope.id),
        closed,
        shell: pages::Shell {
            api_call: Some(call.map_or_else(ApiCall::none, ApiCall::same)),
            ..frame.shell
        },
        errors,
    };
    html(status, &page)
}
