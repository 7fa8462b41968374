//! Pictures of a listing: those that it has, their order and texts, and the use of an uploaded one.

use axum::Extension;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use contracts::listings::v1 as proto;
use kit::{Code, Fault};
use serde::Deserialize;
use uuid::Uuid;

use super::arrangement::{alt_path, arrangement};
use super::crop::{Prepared, UseForm, crop_page};
use super::gallery::{Answer, gallery};
use super::list::Place;
use super::{Frame, is_away, kind, path, shown};
use crate::account::record_done;
use crate::app::{App, Web};
use crate::domain::listing_kind::ListingKind;
use crate::form_body::FormBody;
use crate::notice::AfterForm;
use crate::page_error::{PageError, PageResult};
use crate::render::{form_errors, html, see_other};
use crate::upstream::listings::ListingRef;
use crate::viewer::{AccountScope, ClientInfo, Section, Viewer};

#[derive(Debug, Default, Deserialize)]
pub struct RemoveForm {
    #[serde(default)]
    url: String,
}

pub async fn show(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(scope): Extension<AccountScope>,
    Path((_, of_kind, name)): Path<(Uuid, String, String)>,
    Query(place): Query<Place>,
) -> PageResult {
    let listing = listing(&scope, &of_kind, &name)?;
    let mut frame = Frame::load(&app, &viewer, &scope, Section::Listings).await;
    frame.shell.notice = AfterForm::named(&place.done);
    gallery(&app, &scope, frame, listing, Answer::default()).await
}

/// Gives the listing an uploaded picture.
pub async fn use_picture(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(client): Extension<ClientInfo>,
    Extension(scope): Extension<AccountScope>,
    Path((_, of_kind, name, picture)): Path<(Uuid, String, String, String)>,
    FormBody(form): FormBody<UseForm>,
) -> PageResult {
    let listing = listing(&scope, &of_kind, &name)?;
    let picture = picture_kind(listing.kind, &picture)?;
    let frame = Frame::load(&app, &viewer, &scope, Section::Listings).await;
    // Places begin at 1; without one, the picture comes last.
    let place = form.place.trim().parse::<u32>().ok();
    let place = place.map(|place| place.saturating_sub(1));
    let used = match frame.admit(None) {
        Ok(()) => {
            app.listings
                .use_picture(scope.id, &form.id, (&form.alt, place))
                .await
        }
        Err(closed) => Err(closed),
    };
    match used {
        Ok(()) => Ok(record_change(&app, (&viewer, &client), &scope, listing).await),
        Err(fault) if fault.code == Code::NotFound => Err(PageError::not_found()),
        Err(fault) if fault.fields.contains_key("picture") => {
            let answer = refused_picture(&fault, picture);
            gallery(&app, &scope, frame, listing, answer).await
        }
        Err(fault) => {
            let (status, errors) = form_errors(&fault, &["alt", "place"], &[]);
            let page = crop_page(
                &scope,
                frame,
                (listing, picture),
                Prepared::typed(&form),
                errors,
            );
            Ok(html(status, &page))
        }
    }
}

pub async fn remove(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(client): Extension<ClientInfo>,
    Extension(scope): Extension<AccountScope>,
    Path((_, of_kind, name, picture)): Path<(Uuid, String, String, String)>,
    FormBody(form): FormBody<RemoveForm>,
) -> PageResult {
    let listing = listing(&scope, &of_kind, &name)?;
    let picture = picture_kind(listing.kind, &picture)?;
    let frame = Frame::load(&app, &viewer, &scope, Section::Listings).await;
    let removed = match frame.admit(None) {
        Ok(()) => {
            let of = (proto_kind(picture), name.as_str());
            app.listings.remove_picture(scope.id, of, &form.url).await
        }
        Err(closed) => Err(closed),
    };
    match removed {
        Ok(()) => Ok(record_change(&app, (&viewer, &client), &scope, listing).await),
        Err(fault) if fault.code == Code::NotFound => Err(PageError::not_found()),
        Err(fault) => {
            let (status, errors) = form_errors(&fault, &[], &[]);
            let answer = Answer {
                status,
                errors: shown(&fault, errors),
                ..Answer::default()
            };
            gallery(&app, &scope, frame, listing, answer).await
        }
    }
}

/// Gives the screenshots the typed order and texts.
pub async fn arrange(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(client): Extension<ClientInfo>,
    Extension(scope): Extension<AccountScope>,
    Path((_, of_kind, name)): Path<(Uuid, String, String)>,
    FormBody(pairs): FormBody<Vec<(String, String)>>,
) -> PageResult {
    let listing = listing(&scope, &of_kind, &name)?;
    let frame = Frame::load(&app, &viewer, &scope, Section::Listings).await;
    let arranged = arrangement(&pairs);
    let screenshots = arranged.iter().map(|it| proto::ArrangedScreenshot {
        url: it.url.clone(),
        alt: it.alt.clone(),
    });
    let done = match frame.admit(None) {
        Ok(()) => {
            let screenshots = screenshots.collect();
            app.listings
                .arrange_screenshots(scope.id, &name, screenshots)
                .await
        }
        Err(closed) => Err(closed),
    };
    match done {
        Ok(()) => Ok(record_change(&app, (&viewer, &client), &scope, listing).await),
        Err(fault) if fault.code == Code::NotFound => Err(PageError::not_found()),
        Err(fault) => {
            let names: Vec<String> = (0..arranged.len()).map(alt_path).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let (status, errors) = form_errors(&fault, &names, &[]);
            let answer = Answer {
                status,
                errors: shown(&fault, errors),
                arranged: Some(arranged),
                is_away: is_away(&fault) && frame.fault().is_none(),
            };
            gallery(&app, &scope, frame, listing, answer).await
        }
    }
}

/// The listing of a path. An event has no pictures.
pub(super) fn listing<'a>(
    scope: &AccountScope,
    of_kind: &str,
    name: &'a str,
) -> Result<ListingRef<'a>, PageError> {
    match kind(of_kind)? {
        ListingKind::Event => Err(PageError::not_found()),
        kind => Ok(ListingRef {
            account: scope.id,
            kind,
            name,
        }),
    }
}

/// The kind of picture of a path.
pub(super) fn picture_kind(kind: ListingKind, text: &str) -> Result<&'static str, PageError> {
    match (kind, text) {
        (ListingKind::Game, "cover") => Ok("cover"),
        (ListingKind::Game, "screenshot") => Ok("screenshot"),
        (ListingKind::Page, "avatar") => Ok("avatar"),
        _ => Err(PageError::not_found()),
    }
}

pub(super) fn proto_kind(picture: &str) -> proto::PictureKind {
    match picture {
        "cover" => proto::PictureKind::Cover,
        "avatar" => proto::PictureKind::Avatar,
        _ => proto::PictureKind::Screenshot,
    }
}

/// The page of a refused upload, with the error at the field of the file.
pub(super) fn refused_picture(fault: &Fault, picture: &str) -> Answer {
    let (status, mut errors) = form_errors(fault, &["picture"], &[]);
    if let Some(reason) = errors.fields.remove("picture") {
        errors.add(picture, reason);
    }
    Answer {
        status,
        errors: shown(fault, errors),
        ..Answer::default()
    }
}

async fn record_change(
    web: &Web,
    by: (&Viewer, &ClientInfo),
    scope: &AccountScope,
    listing: ListingRef<'_>,
) -> Response {
    let what = ("pictures_changed", listing.name);
    record_done(web, by, scope, what).await;
    let shown = path(scope, listing.kind, listing.name);
    see_other(&format!("{shown}/pictures?done=pictures-changed"))
}
