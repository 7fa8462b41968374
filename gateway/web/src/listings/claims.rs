//! Claims of pages that are in the directory already.

use axum::Extension;
use axum::extract::{Query, State};
use axum::response::Response;
use contracts::listings::v1 as proto;
use http::StatusCode;
use kit::{Code, Fault, timestamp};
use pages::input::Area;
use pages::listings::StateText;
use pages::listings::claims::{ClaimRow, OwnClaimsPage};
use pages::{Field, Fields, when};
use serde::Deserialize;
use tokio::time::timeout;

use super::{BESIDE_REFUSED, Frame, is_away, shown};
use crate::account::record_done;
use crate::app::App;
use crate::domain::role::Permission;
use crate::form_body::FormBody;
use crate::notice::AfterForm;
use crate::page_error::PageResult;
use crate::render::{form_errors, html, see_other};
use crate::viewer::{AccountScope, ClientInfo, Section, Viewer};

#[derive(Debug, Default, Deserialize)]
pub struct ClaimForm {
    #[serde(default)]
    handle: String,
    #[serde(default)]
    evidence: String,
}

#[derive(Debug, Default, Deserialize)]
pub struct ClaimQuery {
    /// The page that a link of the public site names.
    #[serde(default)]
    handle: String,
    /// The action that the notice is about.
    #[serde(default)]
    done: String,
}

pub async fn show(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(scope): Extension<AccountScope>,
    Query(query): Query<ClaimQuery>,
) -> PageResult {
    let (mut frame, claims) = futures::join!(
        Frame::load(&app, &viewer, &scope, Section::Listings),
        app.listings.claims(scope.id)
    );
    frame.shell.notice = AfterForm::named(&query.done);
    let form = ClaimForm {
        handle: query.handle,
        ..ClaimForm::default()
    };
    let answer = (StatusCode::OK, &form, Fields::default());
    Ok(page(&scope, frame, claims?, answer))
}

pub async fn send(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(client): Extension<ClientInfo>,
    Extension(scope): Extension<AccountScope>,
    FormBody(form): FormBody<ClaimForm>,
) -> PageResult {
    let frame = Frame::load(&app, &viewer, &scope, Section::Listings).await;
    let form = ClaimForm {
        handle: form.handle.trim().to_owned(),
        evidence: form.evidence.replace("\r\n", "\n"),
    };
    let claimed = match frame.admit(None) {
        Ok(()) => {
            app.listings
                .claim(scope.id, &form.handle, &form.evidence)
                .await
        }
        Err(closed) => Err(closed),
    };
    match claimed {
        Ok(()) => {
            let what = ("page_claimed", form.handle.as_str());
            record_done(&app, (&viewer, &client), &scope, what).await;
            Ok(see_other(&format!(
                "/accounts/{}/claims?done=page-claimed",
                scope.id
            )))
        }
        Err(fault) => {
            // The 404 of the service is about the typed page, not about this one.
            let fault = match fault.code {
                Code::NotFound => Fault::invalid_field("handle", fault.message),
                _ => fault,
            };
            let (status, errors) = form_errors(&fault, &["handle", "evidence"], &[]);
            let answer = (status, &form, shown(&fault, errors));
            let claims = if is_away(&fault) && frame.fault().is_none() {
                None
            } else {
                let claims = app.listings.claims(scope.id);
                timeout(BESIDE_REFUSED, claims).await.ok()
            };
            let claims = claims.and_then(Result::ok).unwrap_or_default();
            Ok(page(&scope, frame, claims, answer))
        }
    }
}

fn page(
    scope: &AccountScope,
    frame: Frame,
    claims: Vec<proto::Claim>,
    (status, form, errors): (StatusCode, &ClaimForm, Fields),
) -> Response {
    let handle = Field::text("handle", "Handle of the page");
    let handle = handle.hint("The last part of its address, for example maliyo-games.");
    let evidence = Area::new("evidence", "How staff can check that it is yours");
    let evidence = evidence.hint(
        "For example a mail address on its website, or a post there that names this account.",
    );
    let closed = frame.closed();
    let page = OwnClaimsPage {
        account: scope.id.to_string(),
        claims: claims.into_iter().map(row).collect(),
        handle: handle.value(&form.handle).error_in(&errors),
        evidence: evidence.value(&form.evidence).error_in(&errors),
        may_edit: scope.role.may(Permission::Edit),
        closed,
        shell: frame.shell,
        errors,
    };
    html(status, &page)
}

fn row(claim: proto::Claim) -> ClaimRow {
    let (text, tone) = match claim.state() {
        proto::ClaimState::Granted => ("granted", "good"),
        proto::ClaimState::Rejected => ("rejected", "bad"),
        proto::ClaimState::Waiting | proto::ClaimState::Unspecified => ("waits for staff", ""),
    };
    let made = claim.made_at.and_then(timestamp::decode);
    ClaimRow {
        handle: claim.handle,
        made: made.map(when::minute).unwrap_or_default(),
        evidence: claim.evidence,
        state: StateText { text, tone },
        reason: claim.reason,
    }
}
