//! One listing: its state, who ended it, and its fields; its withdrawal and its takedown.

use axum::extract::Path;
use contracts::listings::v1 as proto;
use contracts::listings::v1::get_own_listing_response::Listing;
use kit::Fault;
use pages::ApiCall;
use pages::listings::{ListingActions, ListingPage};
use serde::Deserialize;
use uuid::Uuid;

use super::ended::on_page;
use super::facts::Summary;
use super::words;
use crate::account::effect::Effect;
use crate::account::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::domain::listing_kind::ListingKind;
use crate::domain::role::Permission;
use crate::english::say;
use crate::form_body::FormBody;
use crate::notice::AfterForm;
use crate::page_error::{PageError, PageResult};
use crate::render::{FormState, html, see_other};
use crate::request::Section;
use crate::upstream::listings::ListingRef;
use crate::url_query::UrlQuery;

pub async fn show(
    request: MemberRequest,
    Path((_, of_kind, name)): Path<(Uuid, String, String)>,
    UrlQuery(after): UrlQuery<AfterForm>,
) -> PageResult {
    let listing = request.listing(&of_kind, &name)?;
    page(&request, listing, after.notice(), FormState::default()).await
}

/// The listing that the person saw.
#[derive(Debug, Default, Deserialize)]
pub struct SeenForm {
    #[serde(default)]
    revision: String,
}

impl SeenForm {
    /// No listing has revision 0.
    fn revision(&self) -> i64 {
        self.revision.parse().unwrap_or_default()
    }
}

/// Withdraws a listing in review, or puts away one that staff rejected.
pub async fn withdraw(
    request: MemberRequest,
    Path((_, of_kind, name)): Path<(Uuid, String, String)>,
    FormBody(form): FormBody<SeenForm>,
) -> PageResult {
    let listing = request.listing(&of_kind, &name)?;
    let call = request.app.listings.withdraw(listing, form.revision());
    end(&request, listing, call, (Action::ListingWithdrawn, "listing-withdrawn")).await
}

pub async fn take_down(
    request: MemberRequest,
    Path((_, of_kind, name)): Path<(Uuid, String, String)>,
    FormBody(form): FormBody<SeenForm>,
) -> PageResult {
    let listing = request.listing(&of_kind, &name)?;
    let call = request.app.listings.take_down(listing, form.revision());
    end(&request, listing, call, (Action::ListingTakenDown, "listing-taken-down")).await
}

/// Ends a listing by a call that returns whether it changed the listing. A form that is sent twice
/// has the same answer. If the listing is not as the person saw it, the page shows it as it is now.
async fn end(
    request: &MemberRequest,
    listing: ListingRef<'_>,
    call: impl Future<Output = Result<bool, Fault>>,
    (action, done): (Action, &str),
) -> PageResult {
    let work = async {
        let is_changed = call.await?;
        let shown = request.listing_path(listing.kind, listing.name);
        let path = format!("{shown}?done={done}");
        Ok(if is_changed {
            Effect::shown_at(action, listing.name, &path)
        } else {
            Effect::none(see_other(&path))
        })
    };
    let page = async |state| page(request, listing, None, state).await;
    request.answer(work, &[], page).await
}

async fn page(
    request: &MemberRequest,
    listing: ListingRef<'_>,
    notice: Option<&'static str>,
    form: FormState,
) -> PageResult {
    let listings = &request.app.listings;
    let (mut frame, found) =
        futures::join!(request.frame(Section::Listings), listings.get(listing));
    let found = found?;
    let content = found.listing.as_ref().ok_or_else(PageError::not_found)?;
    let site = &request.app.public_url;
    let summary = Summary::of(site, content, &found.creator);
    let (kind, name) = (listing.kind, listing.name);
    let call = api_call(kind, name, summary.public_url.is_some());
    frame.api_call = call;
    frame.notice = notice;
    let state = summary.state;
    let ended = match &found.ended {
        Some(ended) => Some(on_page(request, state, ended).await),
        None => None,
    };
    let rejection = match &found.rejection {
        Some(rejection) => Some(on_page(request, state, rejection).await),
        None => None,
    };
    let is_by_staff = ended.as_ref().is_some_and(|ended| ended.is_by_staff);
    let mut actions = actions(request, kind, (state, is_by_staff));
    actions.lacks_cover = actions.may_edit && lacks_cover(content);
    let page = ListingPage {
        errors: form.errors,
        account: request.scope.id.to_string(),
        kind: kind.as_str(),
        name: name.to_owned(),
        state: words::state(state, is_by_staff),
        revision: summary.revision,
        is_removed: state == proto::State::Removed,
        actions,
        title: summary.title,
        ended,
        rejection,
        note: found.note,
        staff_mail: request.app.staff_mail.clone(),
        public_url: summary.public_url,
        facts: summary.facts,
        frame,
    };
    Ok(html(form.status, &page))
}

/// Whether it is a game without a cover.
fn lacks_cover(listing: &Listing) -> bool {
    matches!(listing, Listing::Game(game) if game.cover_url.is_none())
}

/// The call that reads the listing. The public API has it once it is public; until then, no call has a page.
pub(super) fn api_call(kind: ListingKind, name: &str, is_public: bool) -> Option<ApiCall> {
    let call = match (kind, is_public) {
        (kind, true) => ApiCall::same(format!("GET /v1/{}/{name}", kind.api_list())),
        (ListingKind::Page, false) => return None,
        (ListingKind::Game | ListingKind::Event, false) => {
            ApiCall::new(say("listing-api-state"), "GET /v1/me/listings")
        }
    };
    Some(call)
}

fn actions(
    request: &MemberRequest,
    kind: ListingKind,
    (state, is_by_staff): (proto::State, bool),
) -> ListingActions {
    let may_edit = request.may(Permission::Edit);
    let is_removed = state == proto::State::Removed;
    ListingActions {
        may_edit: may_edit && !is_removed,
        has_pictures: kind != ListingKind::Event && !is_removed,
        lacks_cover: false,
        may_withdraw: may_edit && state == proto::State::Pending,
        may_put_away: may_edit && state == proto::State::Rejected && is_by_staff,
        may_take_down: may_edit && state == proto::State::Published,
    }
}
