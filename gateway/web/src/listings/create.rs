//! A new page, game or event.

use axum::Extension;
use axum::extract::{Path, State};
use contracts::listings::v1 as proto;
use http::StatusCode;
use kit::{Code, Fault};
use pages::listings::form::ListingFormPage;
use pages::{ApiCall, Fields};
use serde_json::Value;
use uuid::Uuid;

use super::form::{FormContext, names};
use super::typed::{Typed, beside_fields};
use super::{Frame, kind, path, shown};
use crate::account::record;
use crate::app::{App, Web};
use crate::domain::listing_kind::ListingKind;
use crate::form_body::FormBody;
use crate::page_error::PageResult;
use crate::render::{form_errors, html, see_other};
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
    let creators = creators(&app, &scope, kind).await?;
    let mut typed = Typed::default();
    typed.set("form", &once::new_id());
    if let [(handle, _), ..] = &creators[..] {
        typed.set("creator", handle);
    }
    let frame = Frame::load(&app, &viewer, &scope, Section::Listings).await;
    let answer = (StatusCode::OK, Fields::default());
    page(&app, &scope, frame, (kind, &typed), &creators, answer).await
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
            record(&app.pool, (&viewer, &client), &scope, what, app.clock.now()).await?;
            let shown = path(&scope, kind, &name);
            Ok(see_other(&format!("{shown}?done=listing-submitted")))
        }
        Err(mut fault) => {
            if fault.code == Code::IdempotencyMismatch {
                // The same form can submit nothing else, so it becomes another one.
                typed.set("form", &once::new_id());
                let text = "This form has submitted a listing already: look at your listings. If this is meant to be another one, send it again.";
                fault = Fault::new(fault.code, text);
            }
            let answer = refusal(&app, kind, fault).await;
            let creators = creators(&app, &scope, kind).await.unwrap_or_default();
            page(&app, &scope, frame, (kind, &typed), &creators, answer).await
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

/// The id of the form, under which the service submits it once.
fn form_id(typed: &Typed) -> Result<&str, Fault> {
    let id = typed.get("form");
    if id.is_empty() {
        let text = "Open the page again, and send the form from there.";
        return Err(Fault::invalid_field("form", text));
    }
    Ok(id)
}

/// The status and the errors of a form of this kind.
pub(super) async fn refusal(web: &Web, kind: ListingKind, fault: Fault) -> (StatusCode, Fields) {
    let values = web.listings.field_values().await.unwrap_or_default();
    let names = names(kind, &values);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let fault = beside_fields(fault);
    let (status, errors) = form_errors(&fault, &names, &[]);
    (status, shown(&fault, errors))
}

/// The pages that a game may stand under, as handle and name.
pub(super) async fn creators(
    web: &Web,
    scope: &AccountScope,
    kind: ListingKind,
) -> Result<Vec<(String, String)>, Fault> {
    if kind != ListingKind::Game {
        return Ok(Vec::new());
    }
    let own = web.listings.pages(scope.id).await?.pages.into_iter();
    let usable = own.filter(|page| {
        matches!(
            page.state(),
            proto::State::Pending | proto::State::Published
        )
    });
    Ok(usable.map(|page| (page.handle, page.name)).collect())
}

async fn page(
    web: &Web,
    scope: &AccountScope,
    frame: Frame,
    (kind, typed): (ListingKind, &Typed),
    creators: &[(String, String)],
    (status, errors): (StatusCode, Fields),
) -> PageResult {
    let values = match web.listings.field_values().await {
        Ok(values) => values,
        // What was typed is not lost.
        Err(_) if status != StatusCode::OK => proto::ListFieldValuesResponse::default(),
        Err(fault) => return Err(fault.into()),
    };
    let context = FormContext {
        kind,
        typed,
        values: &values,
        creators,
        is_new: true,
        errors: &errors,
    };
    let call = match kind {
        ListingKind::Page => None,
        kind => Some(format!("POST /v1/{}", kind.api_list())),
    };
    let closed = frame.closed_to(kind);
    let text = match kind {
        ListingKind::Game if creators.is_empty() => {
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
            api_call: call.map(ApiCall::same),
            ..frame.shell
        },
        errors,
    };
    Ok(html(status, &page))
}
