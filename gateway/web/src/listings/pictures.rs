//! Pictures of a listing: those that it has, their order and texts.

use axum::extract::Path;
use contracts::listings::v1 as proto;
use serde::Deserialize;
use uuid::Uuid;

use super::arrangement::{alt_path, arrangement};
use super::gallery::gallery;
use super::picture_target::{PictureTarget, with_pictures};
use crate::account::effect::Effect;
use crate::account::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::form_body::FormBody;
use crate::notice::AfterForm;
use crate::page_error::PageResult;
use crate::render::FormState;
use crate::request::Section;
use crate::upstream::listings::ListingRef;
use crate::url_query::UrlQuery;

#[derive(Debug, Default, Deserialize)]
pub struct RemoveForm {
    #[serde(default)]
    url: String,
}

pub async fn show(
    request: MemberRequest,
    Path((_, of_kind, name)): Path<(Uuid, String, String)>,
    UrlQuery(after): UrlQuery<AfterForm>,
) -> PageResult {
    let listing = with_pictures(&request, &of_kind, &name)?;
    let mut context = request.context(Section::Listings).await;
    context.frame.notice = after.notice();
    let answer = (FormState::default(), None);
    gallery(&request, context, listing, answer).await
}

pub async fn remove(
    request: MemberRequest,
    Path((_, of_kind, name, picture)): Path<(Uuid, String, String, String)>,
    FormBody(form): FormBody<RemoveForm>,
) -> PageResult {
    let target = PictureTarget::parse(&request, &of_kind, &name, &picture)?;
    let context = request.context(Section::Listings).await;
    let (listings, account) = (&request.app.listings, request.scope.id);
    let (kind, per_day) = (target.proto_kind(), context.writes_per_day()?);
    let work = async {
        listings.remove_picture(account, kind, &name, &form.url, per_day).await?;
        Ok(pictures_changed(&request, target.listing))
    };
    let page = async |state| gallery(&request, context, target.listing, (state, None)).await;
    request.answer(work, &[], page).await
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
    let screenshots = arranged
        .iter()
        .map(|it| proto::ArrangedScreenshot { url: it.url.clone(), alt: it.alt.clone() });
    let (screenshots, per_day) = (screenshots.collect(), context.writes_per_day()?);
    let (listings, account) = (&request.app.listings, request.scope.id);
    let work = async {
        listings.arrange_screenshots(account, &name, screenshots, per_day).await?;
        Ok(pictures_changed(&request, listing))
    };
    let names: Vec<String> = (0..arranged.len()).map(alt_path).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let page = async |state| gallery(&request, context, listing, (state, Some(arranged))).await;
    request.answer(work, &names, page).await
}

pub(super) fn pictures_changed(request: &MemberRequest, listing: ListingRef<'_>) -> Effect {
    let shown = request.listing_path(listing.kind, listing.name);
    let path = format!("{shown}/pictures?done=pictures-changed");
    Effect::shown_at(Action::PicturesChanged, listing.name, &path)
}
