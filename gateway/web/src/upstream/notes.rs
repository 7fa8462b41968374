//! listings-svc: notes of visitors about listings.

use contracts::listings::v1 as proto;
use kit::Fault;

use super::Listings;
use super::clients::Notes;
use super::listings::ListingRef;

impl Listings {
    /// Sends a note. A second call with the same form changes nothing.
    pub async fn create_note(
        &self,
        note: proto::CreateNoteRequest,
    ) -> Result<proto::CreateNoteResponse, Fault> {
        self.0.read(Notes::create_note, note).await
    }

    /// The open corrections of a listing of an account, oldest first.
    pub async fn own_notes(
        &self,
        listing: ListingRef<'_>,
    ) -> Result<proto::ListOwnNotesResponse, Fault> {
        let request = proto::ListOwnNotesRequest {
            account_id: listing.account.to_string(),
            kind: listing.kind.as_str().to_owned(),
            name: listing.name.to_owned(),
        };
        self.0.read(Notes::list_own_notes, request).await
    }

    /// Closes a correction. A second call changes nothing.
    pub async fn close_note(
        &self,
        listing: ListingRef<'_>,
        id: &str,
        state: proto::NoteState,
    ) -> Result<(), Fault> {
        let request = proto::CloseOwnNoteRequest {
            account_id: listing.account.to_string(),
            kind: listing.kind.as_str().to_owned(),
            name: listing.name.to_owned(),
            id: id.to_owned(),
            state: state.into(),
            answer: String::new(),
        };
        self.0.read(Notes::close_own_note, request).await?;
        Ok(())
    }
}
