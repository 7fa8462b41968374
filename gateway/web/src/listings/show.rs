//! One listing: its state, its reason and its fields; and the withdrawal.

use axum::extract::{Path, Query};
use contracts::listings::v1 as proto;
use contracts::listings::v1::get_own_listing_response::Listing;
use contracts::public::WITHDRAWN_REASON;
use kit::Code;
use pages::ApiCall;
use pages::listings::{ListingActions, ListingPage, NoteRow, TakedownText};
use pages::service_sentence::waits_for_page;
use pages::shell::Sentence;
use pages::site::Texts;
use uuid::Uuid;

use super::facts::Summary;
use super::list::PageQuery;
use super::{refused, words};
use crate::account::member_request::MemberRequest;
use crate::account::page_frame::AccountFrame;
use crate::domain::action::Action;
use crate::domain::listing_kind::ListingKind;
use crate::domain::role::Permission;
use crate::notice::AfterForm;
use crate::page_error::{PageError, PageResult};
use crate::page_language::PageLanguage;
use crate::render::{FormState, html, see_other};
use crate::upstream::listings::ListingRef;
use crate::upstream::minute_of;
use crate::viewer::Section;

pub async fn show(
    request: MemberRequest,
    Path((_, of_kind, name)): Path<(Uuid, String, String)>,
    Query(query): Query<PageQuery>,
) -> PageResult {
    let listing = request.listing(&of_kind, &name)?;
    page(&request, listing, &query, FormState::default()).await
}

pub async fn withdraw(
    request: MemberRequest,
    Path((_, of_kind, name)): Path<(Uuid, String, String)>,
) -> PageResult {
    let listing = request.listing(&of_kind, &name)?;
    let frame = request.frame(Section::Listings).await;
    let withdrawn = async {
        frame.admit(None)?;
        request.app.listings.withdraw(listing).await
    };
    match withdrawn.await {
        Ok(()) => {
            request.record(Action::ListingWithdrawn, &name).await;
            let shown = request.listing_path(listing.kind, &name);
            Ok(see_other(&format!("{shown}?done=listing-withdrawn")))
        }
        Err(fault) if fault.code == Code::NotFound => Err(PageError::not_found()),
        Err(fault) => {
            let query = PageQuery::default();
            let refused = refused(request.language(), &fault, &[]);
            page(&request, listing, &query, refused).await
        }
    }
}

pub(super) async fn page(
    request: &MemberRequest,
    listing: ListingRef<'_>,
    query: &PageQuery,
    state: FormState,
) -> PageResult {
    let listings = &request.app.listings;
    let (mut frame, found, corrections) = futures::join!(
        request.frame(Section::Listings),
        listings.get(listing),
        listings.own_notes(listing)
    );
    let (found, corrections) = (found?, corrections?);
    let content = found.listing.as_ref().ok_or_else(PageError::not_found)?;
    let language = request.language();
    let texts = language.texts();
    let summary = Summary::of(texts, content, &found.creator);
    let (kind, name) = (listing.kind, listing.name);
    let call = api_call(language, kind, name, summary.public_url.is_some());
    frame.shell.api_call = call;
    frame.shell.notice = AfterForm::named(&query.done);
    let shown = u64::try_from(corrections.notes.len()).unwrap_or(u64::MAX);
    let mut actions = actions(
        request,
        &frame,
        kind,
        summary.state,
        found.takedown.as_ref(),
    );
    actions.lacks_cover = actions.may_edit && lacks_cover(content);
    let page = ListingPage {
        errors: state.errors.in_language(language.language),
        account: request.scope.id.to_string(),
        kind: kind.as_str(),
        name: name.to_owned(),
        state: words::state(texts, summary.state, &found.reason),
        is_withdrawn: found.reason == WITHDRAWN_REASON,
        actions,
        title: summary.title,
        reason: words::rejection(&found.reason).to_owned(),
        is_waiting: waits_for_page(&found.note),
        note: Sentence::translated(found.note, language.language),
        public_url: summary.public_url,
        facts: summary.facts,
        takedown: found.takedown.as_ref().map(|it| takedown(texts, it)),
        notes_in_all: Some(corrections.total).filter(|all| *all > shown),
        notes: (corrections.notes.into_iter())
            .map(|note| note_row(texts, note))
            .collect(),
        shell: frame.shell,
    };
    Ok(html(state.status, &page))
}

/// Whether it is a game without a cover.
fn lacks_cover(listing: &Listing) -> bool {
    matches!(listing, Listing::Game(game) if game.cover_url.is_none())
}

/// The call that reads the listing. The public API has it once it is public; until then, no call has a page.
pub(super) fn api_call(
    language: PageLanguage,
    kind: ListingKind,
    name: &str,
    is_public: bool,
) -> Option<ApiCall> {
    let call = match (kind, is_public) {
        (kind, true) => ApiCall::same(format!("GET /v1/{}/{name}", kind.api_list())),
        (ListingKind::Page, false) => return None,
        (ListingKind::Game | ListingKind::Event, false) => {
            ApiCall::new(language.say("listing-api-state"), "GET /v1/me/listings")
        }
    };
    Some(call)
}

fn note_row(texts: &Texts, note: proto::ListingNote) -> NoteRow {
    NoteRow {
        id: note.id,
        made: minute_of(texts, note.made_at),
        text: note.text,
        email: note.email,
    }
}

fn actions(
    request: &MemberRequest,
    frame: &AccountFrame,
    kind: ListingKind,
    state: proto::State,
    takedown: Option<&proto::TakedownRequest>,
) -> ListingActions {
    let may_edit = request.may(Permission::Edit);
    let is_removed = state == proto::State::Removed;
    let waits = takedown.is_some_and(|it| it.state() == proto::TakedownState::Waiting);
    ListingActions {
        may_edit: may_edit && !is_removed,
        has_pictures: kind != ListingKind::Event && !is_removed,
        lacks_cover: false,
        may_withdraw: may_edit && state == proto::State::Pending,
        may_ask_for_takedown: may_edit && state == proto::State::Published && !waits,
        may_close_notes: may_edit,
        closed: frame.closed().filter(|_| may_edit),
    }
}

fn takedown(texts: &Texts, request: &proto::TakedownRequest) -> TakedownText {
    let (key, at) = match request.state() {
        proto::TakedownState::Granted => ("takedown-state-granted", request.decided_at),
        proto::TakedownState::Declined => ("takedown-state-declined", request.decided_at),
        proto::TakedownState::Waiting => ("takedown-state-waits", request.made_at),
        proto::TakedownState::Unspecified => ("takedown-state-unknown", request.made_at),
    };
    TakedownText {
        text: texts.say_of(key, &minute_of(texts, at)),
        reason: request.reason.clone(),
        answer: request.answer.clone(),
    }
}

#[cfg(test)]
mod tests {
    use pages::site::Language;

    use super::*;

    #[test]
    fn a_takedown_in_an_unknown_state_is_not_said_to_wait() {
        let text = |state: i32| {
            let request = proto::TakedownRequest {
                state,
                ..proto::TakedownRequest::default()
            };
            takedown(Texts::of(Language::English), &request).text
        };
        let waits = text(proto::TakedownState::Waiting.into());
        assert!(waits.contains("waits for staff"), "{waits}");
        for state in [i32::from(proto::TakedownState::Unspecified), 99] {
            let unknown = text(state);
            assert!(unknown.contains("not known"), "{unknown}");
        }
    }
}
