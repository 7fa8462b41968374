//! Pictures of a listing: those that it has, their order and texts.

use axum::extract::{Path, Query};
use axum::response::Response;
use contracts::listings::v1 as proto;
use serde::Deserialize;
use uuid::Uuid;

use super::arrangement::{alt_path, arrangement};
use super::gallery::{Answer, gallery};
use super::list::PageQuery;
use super::picture_target::{PictureTarget, with_pictures};
use crate::account::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::form_body::FormBody;
use crate::notice::AfterForm;
use crate::page_error::PageResult;
use crate::render::see_other;
use crate::request::Section;
use crate::upstream::listings::ListingRef;

#[derive(Debug, Default, Deserialize)]
pub struct RemoveForm {
    #[serde(default)]
    url: String,
}

pub async fn show(
    request: MemberRequest,
    Path((_, of_kind, name)): Path<(Uuid, String, String)>,
    Query(query): Query<PageQuery>,
) -> PageResult {
    let listing = with_pictures(&request, &of_kind, &name)?;
    let mut context = request.context(Section::Listings).await;
    context.frame.notice = AfterForm::named(&query.done);
    gallery(&request, context, listing, Answer::default()).await
}

pub async fn remove(
    request: MemberRequest,
    Path((_, of_kind, name, picture)): Path<(Uuid, String, String, String)>,
    FormBody(form): FormBody<RemoveForm>,
) -> PageResult {
    let target = PictureTarget::parse(&request, &of_kind, &name, &picture)?;
    let context = request.context(Section::Listings).await;
    let (listings, account) = (&request.app.listings, request.scope.id);
    let per_day = context.writes_per_day()?;
    let removed = listings.remove_picture(account, target.proto_kind(), &name, &form.url, per_day);
    match removed.await {
        Ok(()) => Ok(record_change(&request, target.listing).await),
        Err(fault) => {
            let answer = Answer {
                state: request.refused(fault, &[])?,
                arranged: None,
            };
            gallery(&request, context, target.listing, answer).await
        }
    }
}

/// Gives the screenshots the typed order and texts.
pub async fn arrange(
    request: MemberRequest,
    Path((_, of_kind, name)): Path<(Uuid, String, String)>,
    FormBody(pairs): FormBody<Vec<(String, String)>>,
) -> PageResult {
    let listing = with_pictures(&request, &of_kind, &name)?;
    let context = request.context(Section::Listings).await;
    let arranged = arrangement(&pairs);
    let screenshots = arranged.iter().map(|it| proto::ArrangedScreenshot {
        url: it.url.clone(),
        alt: it.alt.clone(),
    });
    let (listings, account) = (&request.app.listings, request.scope.id);
    let per_day = context.writes_per_day()?;
    let done = listings.arrange_screenshots(account, &name, screenshots.collect(), per_day);
    match done.await {
        Ok(()) => Ok(record_change(&request, listing).await),
        Err(fault) => {
            let names: Vec<String> = (0..arranged.len()).map(alt_path).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let answer = Answer {
                state: request.refused(fault, &names)?,
                arranged: Some(arranged),
            };
            gallery(&request, context, listing, answer).await
        }
    }
}

pub(super) async fn record_change(request: &MemberRequest, listing: ListingRef<'_>) -> Response {
    request.record(Action::PicturesChanged, listing.name).await;
    let shown = request.listing_path(listing.kind, listing.name);
    see_other(&format!("{shown}/pictures?done=pictures-changed"))
}
