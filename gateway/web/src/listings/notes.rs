//! Corrections that visitors suggest. An owner or an editor marks one as done, or as dismissed.

use axum::Extension;
use axum::extract::{Path, State};
use contracts::listings::v1 as proto;
use kit::{Code, timestamp};
use pages::listings::NoteRow;
use pages::when;
use serde::Deserialize;
use uuid::Uuid;

use super::list::Place;
use super::{Frame, kind, path, show};
use crate::account::record_done;
use crate::app::App;
use crate::form_body::FormBody;
use crate::page_error::{PageError, PageResult};
use crate::render::{form_errors, see_other};
use crate::upstream::listings::ListingRef;
use crate::viewer::{AccountScope, ClientInfo, Section, Viewer};

#[derive(Debug, Default, Deserialize)]
pub struct CloseForm {
    /// `done` or `dismissed`.
    #[serde(default)]
    state: String,
}

pub async fn close(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(client): Extension<ClientInfo>,
    Extension(scope): Extension<AccountScope>,
    Path((_, of_kind, name, note)): Path<(Uuid, String, String, String)>,
    FormBody(form): FormBody<CloseForm>,
) -> PageResult {
    let listing = ListingRef {
        account: scope.id,
        kind: kind(&of_kind)?,
        name: &name,
    };
    let note = Uuid::try_parse(&note).map_err(|_bad| PageError::not_found())?;
    let (state, action) = match form.state.as_str() {
        "done" => (proto::NoteState::Done, "correction_done"),
        "dismissed" => (proto::NoteState::Dismissed, "correction_dismissed"),
        // listings-svc refuses this value.
        _ => (proto::NoteState::Unspecified, ""),
    };
    let frame = Frame::load(&app, &viewer, &scope, Section::Listings).await;
    let closed = match frame.admit(None) {
        Ok(()) => {
            let listings = &app.listings;
            listings.close_note(listing, &note.to_string(), state).await
        }
        Err(closed) => Err(closed),
    };
    match closed {
        Ok(()) => {
            let what = (action, name.as_str());
            record_done(&app, (&viewer, &client), &scope, what).await;
            let shown = path(&scope, listing.kind, &name);
            Ok(see_other(&format!("{shown}?done=note-closed")))
        }
        Err(fault) if fault.code == Code::NotFound => Err(PageError::not_found()),
        Err(fault) => {
            let (status, errors) = form_errors(&fault, &[], &[]);
            let answer = (status, super::shown(&fault, errors));
            show::page(&app, &viewer, &scope, (listing, Place::default()), answer).await
        }
    }
}

pub(super) fn row(note: proto::ListingNote) -> NoteRow {
    let made = note.made_at.and_then(timestamp::decode);
    NoteRow {
        id: note.id,
        made: made.map(when::minute).unwrap_or_default(),
        text: note.text,
        email: note.email,
    }
}
