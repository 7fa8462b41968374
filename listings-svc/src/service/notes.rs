//! Notes of visitors about listings (`listings/v1/note.proto`).

use std::net::IpAddr;

use contracts::listings::v1 as proto;
use contracts::listings::v1::notes_service_server::NotesService;
use kit::Fault;
use kit::bad_fields::BadFields;
use kit::rpc::respond;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::Service;
use super::ids::parse_uuid;
use super::listing_name::parse_kind;
use super::own_listing::not_found;
use super::tickets;
use crate::domain::ticket::{TicketKind, TicketState};
use crate::domain::visitor_note::{self, NoteText};
use crate::store::own_listings;
use crate::store::tickets::{self as store, TicketSubject};
use crate::write::tickets::{NamedListing, SentNote, TicketChange};
use crate::write::{Command, Outcome, limits};

/// Corrections that an account gets at once.
const MAX_CORRECTIONS: i64 = 50;

#[tonic::async_trait]
impl NotesService for Service {
    async fn create_note(
        &self,
        request: Request<proto::CreateNoteRequest>,
    ) -> Result<Response<proto::CreateNoteResponse>, Status> {
        let sent = read(request.into_inner())?;
        self.check_note_limit(&sent).await?;
        let command = Command::Ticket(Box::new(TicketChange::SendNote(sent)));
        let receipt = self.writer.write_as(command, Outcome::try_as_note_sent);
        let receipt = receipt.await?;
        Ok(Response::new(proto::CreateNoteResponse {
            is_duplicate: receipt.is_duplicate,
            owners: receipt.owners.iter().map(Uuid::to_string).collect(),
            title: receipt.title,
        }))
    }

    async fn list_own_notes(
        &self,
        request: Request<proto::ListOwnNotesRequest>,
    ) -> Result<Response<proto::ListOwnNotesResponse>, Status> {
        respond(self.corrections(request.into_inner()).await)
    }

    async fn close_own_note(
        &self,
        request: Request<proto::CloseOwnNoteRequest>,
    ) -> Result<Response<proto::CloseOwnNoteResponse>, Status> {
        let request = request.into_inner();
        let mut bad = BadFields::default();
        let end = end(request.state(), &mut bad);
        let answer = kit::audit::reason(&request.answer);
        let answer = answer.map_err(|fault| fault.fields.into_values().collect::<String>());
        let answer = bad.read("answer", answer).unwrap_or_default();
        let change = TicketChange::CloseOwnNote {
            account: parse_uuid("account_id", &request.account_id)?,
            listing: NamedListing {
                entity: parse_kind(&request.kind)?,
                name: request.name,
            },
            note: parse_uuid("id", &request.id)?,
            state: bad.finish(end)?,
            answer,
        };
        let note = tickets::write_ticket(&self.writer, change).await?;
        Ok(Response::new(proto::CloseOwnNoteResponse {
            note: Some(tickets::note(note)),
        }))
    }
}

impl Service {
    /// Refuses a note beyond the limit of its network before it waits for the writer. A repeated note is not refused; the writer checks again.
    async fn check_note_limit(&self, sent: &SentNote) -> Result<(), Fault> {
        let now = self.clock.now();
        let since = now - limits::NOTES_WINDOW;
        let mut connection = self.pool.acquire().await?;
        let earlier = store::times_of_network(&mut connection, &sent.network, since).await?;
        let Err(refused) = limits::check_notes(&earlier, now) else {
            return Ok(());
        };
        let (network, form, text) = (&sent.network, &sent.form, &sent.note.text);
        let is_repeated = store::is_repeated(&mut connection, network, form, text, since).await?;
        if is_repeated { Ok(()) } else { Err(refused) }
    }

    async fn corrections(
        &self,
        request: proto::ListOwnNotesRequest,
    ) -> Result<proto::ListOwnNotesResponse, Fault> {
        let account = parse_uuid("account_id", &request.account_id)?;
        if request.kind.is_empty() && request.name.is_empty() {
            let (pool, most) = (&self.pool, MAX_CORRECTIONS);
            let notes = store::list_corrections_of_account(pool, account, most).await?;
            return Ok(proto::ListOwnNotesResponse {
                total: u64::try_from(notes.len()).unwrap_or_default(),
                notes: notes.into_iter().map(tickets::note).collect(),
            });
        }
        let entity = parse_kind(&request.kind)?;
        let own = own_listings::find(&self.pool, account, entity, &request.name).await?;
        let (listing, _) = own.ok_or_else(not_found)?;
        let subject = TicketSubject { entity, listing };
        let notes = store::list_corrections(&self.pool, subject, MAX_CORRECTIONS).await?;
        let total = store::count_corrections(&self.pool, subject).await?;
        Ok(proto::ListOwnNotesResponse {
            notes: notes.into_iter().map(tickets::note).collect(),
            total: u64::try_from(total).unwrap_or_default(),
        })
    }
}

/// Reads a note, or returns every invalid field at once.
fn read(request: proto::CreateNoteRequest) -> Result<SentNote, Fault> {
    let mut bad = BadFields::default();
    let kind = match request.note() {
        proto::NoteKind::Correction => Ok(TicketKind::Correction),
        proto::NoteKind::Report => Ok(TicketKind::Report),
        proto::NoteKind::Unspecified => Err("Give correction or report."),
    };
    let kind = bad.read("note", kind);
    if !visitor_note::is_form_id(&request.form) {
        let problem = "Open the page again, and send the form from there.";
        bad.add("form", problem);
    }
    let network = request.network.parse::<IpAddr>();
    let network = network.map_err(|_no_address| "Give the address of the sender's network.");
    let network = bad.read("network", network);
    let text = NoteText {
        reason: request.reason,
        text: request.text,
        email: request.email,
    };
    let text = text.check(kind.unwrap_or(TicketKind::Correction), &mut bad);
    let (kind, network) = bad.finish(kind.zip(network))?;
    Ok(SentNote {
        entity: parse_kind(&request.kind)?,
        name: request.name,
        kind,
        note: text,
        network: network.to_string(),
        form: request.form,
    })
}

pub(super) fn end(state: proto::NoteState, bad: &mut BadFields) -> Option<TicketState> {
    let end = match state {
        proto::NoteState::Done => Ok(TicketState::Accepted),
        proto::NoteState::Dismissed => Ok(TicketState::Declined),
        proto::NoteState::Open | proto::NoteState::Unspecified => Err("Give done or dismissed."),
    };
    bad.read("state", end)
}
