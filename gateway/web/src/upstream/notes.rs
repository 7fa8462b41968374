//! listings-svc: notes of visitors about listings.

use contracts::listings::v1 as proto;
use kit::Fault;

use super::Listings;
use super::call::rpcs;
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
}

rpcs! { Listings:
    /// The open corrections of a listing of an account, oldest first.
    read own_notes(listing: ListingRef<'_>) -> proto::ListOwnNotesResponse =
        Notes::list_own_notes(proto::ListOwnNotesRequest {
            account_id: listing.account,
            kind: listing.kind.as_str(),
            name: listing.name,
        });

    /// Closes a correction. A second call changes nothing.
    read close_note(listing: ListingRef<'_>, id: &str, state: proto::NoteState) -> () =
        Notes::close_own_note(proto::CloseOwnNoteRequest {
            account_id: listing.account,
            kind: listing.kind.as_str(),
            name: listing.name,
            id,
            state,
            answer: "",
        })
        => |_closed| ();
}
