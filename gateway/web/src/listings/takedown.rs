//! The request that staff take a listing down.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;
use kit::Code;
use pages::Fields;
use pages::input::Area;
use pages::listings::form::TakedownPage;
use serde::Deserialize;
use tokio::time::timeout;
use uuid::Uuid;

use super::facts::Summary;
use super::{BESIDE_REFUSED, Frame, is_away, kind, path, shown};
use crate::account::record_done;
use crate::app::{App, Web};
use crate::form_body::FormBody;
use crate::page_error::{PageError, PageResult};
use crate::render::{form_errors, html, see_other};
use crate::upstream::listings::ListingRef;
use crate::viewer::{AccountScope, ClientInfo, Section, Viewer};

#[derive(Debug, Default, Deserialize)]
pub struct ReasonForm {
    #[serde(default)]
    reason: String,
}

pub async fn show(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(scope): Extension<AccountScope>,
    Path((_, of_kind, name)): Path<(Uuid, String, String)>,
) -> PageResult {
    let listing = ListingRef {
        account: scope.id,
        kind: kind(&of_kind)?,
        name: &name,
    };
    let (frame, title) = futures::join!(
        Frame::load(&app, &viewer, &scope, Section::Listings),
        title(&app, listing)
    );
    let answer = (StatusCode::OK, "", Fields::default());
    Ok(page(&scope, frame, (listing, &title?), answer))
}

pub async fn send(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(client): Extension<ClientInfo>,
    Extension(scope): Extension<AccountScope>,
    Path((_, of_kind, name)): Path<(Uuid, String, String)>,
    FormBody(form): FormBody<ReasonForm>,
) -> PageResult {
    let listing = ListingRef {
        account: scope.id,
        kind: kind(&of_kind)?,
        name: &name,
    };
    let frame = Frame::load(&app, &viewer, &scope, Section::Listings).await;
    let reason = form.reason.replace("\r\n", "\n");
    let asked = match frame.admit(None) {
        Ok(()) => app.listings.request_takedown(listing, &reason).await,
        Err(closed) => Err(closed),
    };
    match asked {
        Ok(()) => {
            let what = ("takedown_asked", name.as_str());
            record_done(&app, (&viewer, &client), &scope, what).await;
            let shown = path(&scope, listing.kind, &name);
            Ok(see_other(&format!("{shown}?done=takedown-asked")))
        }
        Err(fault) if fault.code == Code::NotFound => Err(PageError::not_found()),
        Err(fault) => {
            let title = if is_away(&fault) && frame.fault().is_none() {
                None
            } else {
                timeout(BESIDE_REFUSED, title(&app, listing)).await.ok()
            };
            let title = title.and_then(Result::ok);
            let title = title.unwrap_or_else(|| name.clone());
            let (status, errors) = form_errors(&fault, &["reason"], &[]);
            let answer = (status, reason.as_str(), shown(&fault, errors));
            Ok(page(&scope, frame, (listing, &title), answer))
        }
    }
}

async fn title(web: &Web, listing: ListingRef<'_>) -> Result<String, PageError> {
    let found = web.listings.get(listing).await?;
    let content = found.listing.as_ref().ok_or_else(PageError::not_found)?;
    Ok(Summary::of(content, &found.creator).title)
}

fn page(
    scope: &AccountScope,
    frame: Frame,
    (listing, title): (ListingRef<'_>, &str),
    (status, reason, errors): (StatusCode, &str, Fields),
) -> Response {
    let shown = path(scope, listing.kind, listing.name);
    let area = Area::new("reason", "Why should it be taken down?");
    let closed = frame.closed();
    let page = TakedownPage {
        heading: format!("Ask for the takedown of {title}"),
        action: format!("{shown}/takedown"),
        reason: area.value(reason).error_in(&errors),
        back: shown,
        closed,
        shell: frame.shell,
        errors,
    };
    html(status, &page)
}
