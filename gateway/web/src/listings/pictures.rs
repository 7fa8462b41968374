//! Pictures of a listing: those that it has, their order and texts.
//!
//! The page is one form with several buttons: a picture that is uploaded or removed leaves typed
//! texts and a typed order as they are.

use axum::extract::Path;
use contracts::listings::v1 as proto;
use contracts::listings::v1::get_own_listing_response::Listing;
use kit::{Code, Fault};
use uuid::Uuid;

use super::arrangement::{Arrangement, Conflicts, alt_path};
use super::conflict::conflict;
use super::gallery::{SentForm, gallery};
use super::picture_target::{PictureTarget, with_pictures};
use crate::account::effect::refused_form;
use crate::account::member_request::MemberRequest;
use crate::account::page_context::AccountContext;
use crate::domain::action::Action;
use crate::english::{say, say_of};
use crate::form_body::FormBody;
use crate::notice::AfterForm;
use crate::page_error::PageResult;
use crate::render::see_other;
use crate::request::Section;
use crate::upstream::listings::ListingRef;
use crate::url_query::UrlQuery;

/// How often a change is made again because somebody else has changed the game at the same moment.
const ATTEMPTS: u32 = 4;
/// The field of a service's error about the file.
pub(super) const PICTURE: &str = "picture";

pub async fn show(
    request: MemberRequest,
    Path((_, of_kind, name)): Path<(Uuid, String, String)>,
    UrlQuery(after): UrlQuery<AfterForm>,
) -> PageResult {
    let listing = with_pictures(&request, &of_kind, &name)?;
    let mut context = request.context(Section::Listings).await;
    context.frame.notice = after.notice();
    gallery(&request, context, listing, SentForm::default()).await
}

/// Removes the picture that the pressed button names.
pub async fn remove(
    request: MemberRequest,
    Path((_, of_kind, name, picture)): Path<(Uuid, String, String, String)>,
    FormBody(pairs): FormBody<Vec<(String, String)>>,
) -> PageResult {
    let target = PictureTarget::parse(&request, &of_kind, &name, &picture)?;
    let context = request.context(Section::Listings).await;
    let (listings, account) = (&request.app.listings, request.scope.id);
    let (kind, per_day) = (target.proto_kind(), context.writes_per_day()?);
    let removed = pairs.iter().find(|(name, _)| name == "remove");
    let url = removed.map(|(_, url)| url.as_str()).unwrap_or_default();
    let mut form = Arrangement::read(&pairs);
    let work = listings.remove_picture(account, kind, &name, url, per_day).await;
    if work.is_ok() && kind == proto::PictureKind::Screenshot {
        form.remove(url);
    }
    changed(&request, context, target, (work, form)).await
}

/// The answer of a form that changed a picture. What is typed and not saved stays on the page.
pub(super) async fn changed(
    request: &MemberRequest,
    mut context: AccountContext,
    target: PictureTarget<'_>,
    (work, form): (Result<(), Fault>, Arrangement),
) -> PageResult {
    let is_edited = form.is_edited();
    let mut sent = SentForm { arrangement: Some(form), ..SentForm::default() };
    if let Err(fault) = work {
        sent.state = refused_form(fault, &[PICTURE])?;
        // The error stands at the field of the file, which has the name of the picture.
        sent.state.errors = sent.state.errors.renamed(|name| match name.as_str() {
            PICTURE => target.picture.to_owned(),
            _ => name,
        });
    } else {
        request.record(Action::PicturesChanged, target.listing.name).await;
        if !is_edited {
            return Ok(see_other(&pictures_changed(request, target.listing)));
        }
        context.frame.notice = Some("done-pictures-changed-unsaved");
    }
    gallery(request, context, target.listing, sent).await
}

/// Gives the screenshots the typed order and texts.
pub async fn arrange(
    request: MemberRequest,
    Path((_, of_kind, name)): Path<(Uuid, String, String)>,
    FormBody(pairs): FormBody<Vec<(String, String)>>,
) -> PageResult {
    let listing = with_pictures(&request, &of_kind, &name)?;
    let context = request.context(Section::Listings).await;
    let mut form = Arrangement::read(&pairs);
    match save(&request, listing, &mut form, context.writes_per_day()?).await {
        Ok(is_new) => {
            if is_new {
                request.record(Action::PicturesChanged, &name).await;
            }
            Ok(see_other(&pictures_changed(&request, listing)))
        }
        Err(fault) => {
            let names: Vec<String> = (0..form.rows.len()).map(alt_path).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let state = refused_form(fault, &names)?;
            let sent = SentForm { state, arrangement: Some(form) };
            gallery(&request, context, listing, sent).await
        }
    }
}

/// Saves what the person has changed, as a change of the newest game. Returns false if nothing
/// changed.
async fn save(
    request: &MemberRequest,
    listing: ListingRef<'_>,
    form: &mut Arrangement,
    writes_per_day: Option<u32>,
) -> Result<bool, Fault> {
    let listings = &request.app.listings;
    for _ in 0..ATTEMPTS {
        let Some(Listing::Game(game)) = listings.get(listing).await?.listing else {
            return Err(Fault::not_found("There is no such game."));
        };
        let conflicts = form.merge(&game.screenshots);
        if !conflicts.is_empty() {
            form.rebase(&game.screenshots);
            return Err(changed_by_both(&conflicts));
        }
        // This form was sent twice, or somebody else has saved the same.
        if !form.differs_from(&game.screenshots) {
            return Ok(false);
        }
        let screenshots = form
            .rows
            .iter()
            .map(|row| proto::ArrangedScreenshot { url: row.url.clone(), alt: row.alt.clone() })
            .collect();
        let call = proto::ArrangeScreenshotsRequest {
            account_id: listing.account.to_string(),
            name: listing.name.to_owned(),
            screenshots,
            writes_per_day,
            revision: game.revision,
        };
        match listings.arrange_screenshots(call).await {
            Err(fault) if fault.code == Code::PreconditionFailed => {}
            saved => return saved.map(|()| true),
        }
    }
    Err(Fault::invalid_field("*", say("listing-edit-busy")))
}

/// The fault of a form whose texts or order somebody else has changed too.
fn changed_by_both(conflicts: &Conflicts) -> Fault {
    let texts = conflicts.texts.iter();
    let texts = texts.map(|(index, theirs)| (alt_path(*index), conflict(theirs)));
    let order = conflicts.order.then(|| ("order".to_owned(), say("picture-order-both").to_owned()));
    let lost = conflicts.lost.iter().enumerate();
    let lost =
        lost.map(|(index, text)| (format!("lost.{index}"), say_of("picture-text-lost", text)));
    Fault::invalid(texts.chain(order).chain(lost).collect())
}

fn pictures_changed(request: &MemberRequest, listing: ListingRef<'_>) -> String {
    let shown = request.listing_path(listing.kind, listing.name);
    format!("{shown}/pictures?done=pictures-changed")
}
