//! listings-svc: notes of visitors about listings.

use contracts::listings::v1 as proto;
use contracts::listings::v1::notes_service_client::NotesServiceClient;
use kit::Fault;
use kit::rpc::client::Client;

use super::Listings;
use super::listings::ListingRef;

impl Listings {
    fn notes(&self) -> NotesServiceClient<Client> {
        NotesServiceClient::new(self.calls.client.clone())
    }

    /// Sends a note. A second call with the same form changes nothing.
    pub async fn create_note(
        &self,
        note: proto::CreateNoteRequest,
    ) -> Result<proto::CreateNoteResponse, Fault> {
        let request = self.calls.read(note);
        Ok(self.notes().create_note(request).await?.into_inner())
    }

    /// The open corrections of a listing of an account, oldest first.
    pub async fn own_notes(
        &self,
        listing: ListingRef<'_>,
    ) -> Result<proto::ListOwnNotesResponse, Fault> {
        let request = self.calls.read(proto::ListOwnNotesRequest {
            account_id: listing.account.to_string(),
            kind: listing.kind.as_str().to_owned(),
            name: listing.name.to_owned(),
        });
        Ok(self.notes().list_own_notes(request).await?.into_inner())
    }

    /// Closes a correction. A second call changes nothing.
    pub async fn close_note(
        &self,
        listing: ListingRef<'_>,
        id: &str,
        state: proto::NoteState,
    ) -> Result<(), Fault> {
        let request = self.calls.read(proto::CloseOwnNoteRequest {
            account_id: listing.account.to_string(),
            kind: listing.kind.as_str().to_owned(),
            name: listing.name.to_owned(),
            id: id.to_owned(),
            state: state.into(),
            answer: String::new(),
        });
        self.notes().close_own_note(request).await?;
        Ok(())
    }
}
