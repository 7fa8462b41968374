//! One listing: its state, its reason and its fields; and its takedown.

use axum::extract::Path;
use contracts::listings::v1 as proto;
use contracts::listings::v1::get_own_listing_response::Listing;
use pages::ApiCall;
use pages::listings::{ListingActions, ListingPage};
use uuid::Uuid;

use super::facts::Summary;
use super::words;
use crate::account::choice::account_name;
use crate::account::effect::Effect;
use crate::account::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::domain::listing_kind::ListingKind;
use crate::domain::role::Permission;
use crate::english::{say, say_of, say_of_two, texts};
use crate::notice::AfterForm;
use crate::page_error::{PageError, PageResult};
use crate::render::{FormState, html};
use crate::request::Section;
use crate::upstream::listings::ListingRef;
use crate::upstream::minute_of;
use crate::url_query::UrlQuery;

pub async fn show(
    request: MemberRequest,
    Path((_, of_kind, name)): Path<(Uuid, String, String)>,
    UrlQuery(after): UrlQuery<AfterForm>,
) -> PageResult {
    let listing = request.listing(&of_kind, &name)?;
    page(&request, listing, after.notice(), FormState::default()).await
}

pub async fn take_down(
    request: MemberRequest,
    Path((_, of_kind, name)): Path<(Uuid, String, String)>,
) -> PageResult {
    let listing = request.listing(&of_kind, &name)?;
    let work = async {
        request.app.listings.take_down(listing).await?;
        let shown = request.listing_path(listing.kind, &name);
        let path = format!("{shown}?done=listing-taken-down");
        Ok(Effect::shown_at(Action::ListingTakenDown, &name, &path))
    };
    let page = async |state| page(&request, listing, None, state).await;
    request.answer(work, &[], page).await
}

async fn page(
    request: &MemberRequest,
    listing: ListingRef<'_>,
    notice: Option<&'static str>,
    state: FormState,
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
    let taken_down = if summary.state == proto::State::Removed {
        taken_down(request, &found).await
    } else {
        String::new()
    };
    let mut actions = actions(request, kind, summary.state);
    actions.lacks_cover = actions.may_edit && lacks_cover(content);
    let page = ListingPage {
        errors: state.errors,
        account: request.scope.id.to_string(),
        kind: kind.as_str(),
        name: name.to_owned(),
        state: words::state(summary.state),
        actions,
        title: summary.title,
        reason: found.reason,
        note: found.note,
        taken_down,
        staff_mail: request.app.staff_mail.clone(),
        public_url: summary.public_url,
        facts: summary.facts,
        frame,
    };
    Ok(html(state.status, &page))
}

/// Who has taken a listing down, and when.
async fn taken_down(request: &MemberRequest, found: &proto::GetOwnListingResponse) -> String {
    let at = minute_of(texts(), found.removed_at);
    match found.removed_by.parse() {
        Err(_no_account) => say_of("listing-taken-down-by-staff", &at),
        Ok(account) if account == request.scope.id => say_of("listing-taken-down-by-you", &at),
        Ok(account) => {
            let name = account_name(&request.app, account).await;
            say_of_two("listing-taken-down-by", &name, &at)
        }
    }
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

fn actions(request: &MemberRequest, kind: ListingKind, state: proto::State) -> ListingActions {
    let may_edit = request.may(Permission::Edit);
    let is_removed = state == proto::State::Removed;
    let may_take_down = matches!(state, proto::State::Pending | proto::State::Published);
    ListingActions {
        may_edit: may_edit && !is_removed,
        has_pictures: kind != ListingKind::Event && !is_removed,
        lacks_cover: false,
        may_take_down: may_edit && may_take_down,
    }
}
