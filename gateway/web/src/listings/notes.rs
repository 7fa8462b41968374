//! Corrections that visitors suggest. An owner or an editor marks one as done, or as dismissed.

use axum::extract::Path;
use contracts::listings::v1 as proto;
use kit::Code;
use serde::Deserialize;
use uuid::Uuid;

use super::list::PageQuery;
use super::{refused, show};
use crate::account::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::form_body::FormBody;
use crate::page_error::{PageError, PageResult};
use crate::render::see_other;
use crate::viewer::Section;

#[derive(Debug, Default, Deserialize)]
pub struct CloseForm {
    /// `done` or `dismissed`.
    #[serde(default)]
    state: String,
}

pub async fn close(
    request: MemberRequest,
    Path((_, of_kind, name, note)): Path<(Uuid, String, String, String)>,
    FormBody(form): FormBody<CloseForm>,
) -> PageResult {
    let listing = request.listing(&of_kind, &name)?;
    let note = Uuid::try_parse(&note).map_err(|_bad| PageError::not_found())?;
    let (state, action) = match form.state.as_str() {
        "done" => (proto::NoteState::Done, Action::CorrectionDone),
        "dismissed" => (proto::NoteState::Dismissed, Action::CorrectionDismissed),
        // listings-svc refuses this value.
        _ => (proto::NoteState::Unspecified, Action::CorrectionDone),
    };
    let frame = request.frame(Section::Listings).await;
    let closed = async {
        frame.admit(None)?;
        let (listings, note) = (&request.app.listings, note.to_string());
        listings.close_note(listing, &note, state).await
    };
    match closed.await {
        Ok(()) => {
            request.record(action, &name).await;
            let shown = request.listing_path(listing.kind, &name);
            Ok(see_other(&format!("{shown}?done=note-closed")))
        }
        Err(fault) if fault.code == Code::NotFound => Err(PageError::not_found()),
        Err(fault) => {
            let query = PageQuery::default();
            let refused = refused(request.language(), &fault, &[]);
            show::page(&request, listing, &query, refused).await
        }
    }
}
