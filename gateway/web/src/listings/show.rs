//! One listing: its state, its reason, its fields and its history; and the withdrawal.

use axum::Extension;
use axum::extract::{Path, Query, State};
use contracts::listings::v1 as proto;
use http::StatusCode;
use kit::{Code, timestamp};
use pages::listings::{ListingActions, ListingPage, RevisionRow, TakedownText};
use pages::{Fields, when};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use uuid::Uuid;

use super::facts::Summary;
use super::list::Place;
use super::{Frame, kind, notes, path, words};
use crate::account::record_done;
use crate::app::{App, Web};
use crate::domain::listing_kind::ListingKind;
use crate::domain::role::Permission;
use crate::notice::AfterForm;
use crate::page_error::{PageError, PageResult};
use crate::render::{form_errors, html, see_other};
use crate::upstream::listings::ListingRef;
use crate::viewer::{AccountScope, ClientInfo, Section, Viewer};

pub async fn show(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(scope): Extension<AccountScope>,
    Path((_, of_kind, name)): Path<(Uuid, String, String)>,
    Query(place): Query<Place>,
) -> PageResult {
    let listing = ListingRef {
        account: scope.id,
        kind: kind(&of_kind)?,
        name: &name,
    };
    let answer = (StatusCode::OK, Fields::default());
    page(&app, &viewer, &scope, (listing, place), answer).await
}

pub async fn withdraw(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(client): Extension<ClientInfo>,
    Extension(scope): Extension<AccountScope>,
    Path((_, of_kind, name)): Path<(Uuid, String, String)>,
) -> PageResult {
    let listing = ListingRef {
        account: scope.id,
        kind: kind(&of_kind)?,
        name: &name,
    };
    let frame = Frame::load(&app, &viewer, &scope, Section::Listings).await;
    let withdrawn = match frame.admit(None) {
        Ok(()) => app.listings.withdraw(listing).await,
        Err(closed) => Err(closed),
    };
    match withdrawn {
        Ok(()) => {
            let what = ("listing_withdrawn", name.as_str());
            record_done(&app, (&viewer, &client), &scope, what).await;
            let shown = path(&scope, listing.kind, &name);
            Ok(see_other(&format!("{shown}?done=listing-withdrawn")))
        }
        Err(fault) if fault.code == Code::NotFound => Err(PageError::not_found()),
        Err(fault) => {
            let (status, errors) = form_errors(&fault, &[], &[]);
            let answer = (status, super::shown(&fault, errors));
            page(&app, &viewer, &scope, (listing, Place::default()), answer).await
        }
    }
}

pub(super) async fn page(
    web: &Web,
    viewer: &Viewer,
    scope: &AccountScope,
    (listing, place): (ListingRef<'_>, Place),
    (status, errors): (StatusCode, Fields),
) -> PageResult {
    let (frame, found, history, corrections) = futures::join!(
        Frame::load(web, viewer, scope, Section::Listings),
        web.listings.get(listing),
        web.listings.revisions(listing, &place.cursor),
        web.listings.own_notes(listing)
    );
    let (found, history, corrections) = (found?, history?, corrections?);
    let content = found.listing.as_ref().ok_or_else(PageError::not_found)?;
    let summary = Summary::of(content, &found.creator);
    let call = format!("GET /v1/{}/{}", listing.kind.api_list(), listing.name);
    let mut frame = frame.api_call(call);
    frame.shell.notice = AfterForm::named(&place.done);
    let shown = u64::try_from(corrections.notes.len()).unwrap_or(u64::MAX);
    let next = history.page.and_then(|page| page.next_cursor);
    let page = ListingPage {
        errors,
        account: scope.id.to_string(),
        kind: listing.kind.as_str(),
        name: listing.name.to_owned(),
        state: words::state(summary.state),
        actions: actions(
            &frame,
            scope,
            (listing.kind, summary.state),
            found.takedown.as_ref(),
        ),
        title: summary.title,
        reason: found.reason,
        note: found.note,
        public_url: summary.public_url,
        facts: summary.facts,
        revisions: history.revisions.iter().map(revision).collect(),
        earlier: next.map(|cursor| {
            let cursor = utf8_percent_encode(&cursor, NON_ALPHANUMERIC);
            format!(
                "{}?cursor={cursor}",
                path(scope, listing.kind, listing.name)
            )
        }),
        takedown: found.takedown.as_ref().map(takedown),
        notes_in_all: Some(corrections.total).filter(|all| *all > shown),
        notes: corrections.notes.into_iter().map(notes::row).collect(),
        shell: frame.shell,
    };
    Ok(html(status, &page))
}

fn actions(
    frame: &Frame,
    scope: &AccountScope,
    (kind, state): (ListingKind, proto::State),
    request: Option<&proto::TakedownRequest>,
) -> ListingActions {
    let may_edit = scope.role.may(Permission::Edit);
    let is_removed = state == proto::State::Removed;
    let waits = request.is_some_and(|it| it.state() == proto::TakedownState::Waiting);
    ListingActions {
        may_edit: may_edit && !is_removed,
        has_pictures: kind != ListingKind::Event && !is_removed,
        may_withdraw: may_edit && state == proto::State::Pending,
        may_ask_for_takedown: may_edit && state == proto::State::Published && !waits,
        may_close_notes: may_edit,
        closed: frame.closed().filter(|_| may_edit),
    }
}

fn revision(revision: &proto::OwnRevision) -> RevisionRow {
    let at = revision.at.and_then(timestamp::decode);
    RevisionRow {
        number: revision.revision,
        at: at.map(when::minute).unwrap_or_default(),
        by: match revision.actor_kind.as_str() {
            "account" if revision.is_own => "this account",
            "account" => "another owner",
            "staff" => "staff",
            _ => "an import",
        },
        state: words::state(revision.state()),
        reason: revision.reason.clone(),
        changes: revision.differences.iter().map(words::change).collect(),
    }
}

fn takedown(request: &proto::TakedownRequest) -> TakedownText {
    let day = |at: Option<prost_types::Timestamp>| {
        let at = at.and_then(timestamp::decode);
        at.map(when::minute).unwrap_or_default()
    };
    let (made, decided) = (day(request.made_at), day(request.decided_at));
    let text = match request.state() {
        proto::TakedownState::Granted => format!("Staff took it down: {decided}."),
        proto::TakedownState::Declined => format!("Staff declined it: {decided}."),
        proto::TakedownState::Waiting | proto::TakedownState::Unspecified => {
            format!("It waits for staff since {made}.")
        }
    };
    TakedownText {
        text,
        reason: request.reason.clone(),
        answer: request.answer.clone(),
    }
}
