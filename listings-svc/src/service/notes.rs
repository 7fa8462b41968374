//! Notes of visitors about listings (`listings/v1/note.proto`).

use std::net::IpAddr;

use contracts::common::v1 as common;
use contracts::listings::v1 as proto;
use contracts::listings::v1::notes_service_server::NotesService;
use kit::cursor::Binding;
use kit::feed::{Writer, unexpected_outcome};
use kit::{Fault, timestamp};
use sqlx::PgPool;
use time::OffsetDateTime;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::claim;
use super::listing_name::{self, Problems};
use super::my_listings::entity;
use super::own_listing::not_found;
use super::paging::Paging;
use crate::domain::mode::Mode;
use crate::domain::slug;
use crate::domain::visitor_note::{self, NoteEnd, NoteKind, NoteText};
use crate::feed;
use crate::store::my_listings;
use crate::store::notes::{self as store, ListingNote};
use crate::write::notes::{ChangedNote, NoteChange, SentNote};
use crate::write::{Command, CommandHandler, Outcome};

/// Corrections that an account gets at once.
const MAX_CORRECTIONS: i64 = 50;

#[derive(Debug)]
pub struct Service {
    pool: PgPool,
    writer: Writer<CommandHandler>,
}

impl Service {
    pub fn new(pool: PgPool, writer: Writer<CommandHandler>) -> Self {
        Self { pool, writer }
    }
}

#[tonic::async_trait]
impl NotesService for Service {
    async fn create_note(
        &self,
        request: Request<proto::CreateNoteRequest>,
    ) -> Result<Response<proto::CreateNoteResponse>, Status> {
        let sent = read(request.into_inner())?;
        let change = NoteChange::Create(sent);
        match write(&self.writer, change).await? {
            ChangedNote::Created(receipt) => Ok(Response::new(proto::CreateNoteResponse {
                is_duplicate: receipt.is_duplicate,
                owners: receipt.owners.iter().map(Uuid::to_string).collect(),
                title: receipt.title,
            })),
            other @ ChangedNote::Closed(_) => Err(unexpected_outcome(&other).into()),
        }
    }

    async fn list_own_notes(
        &self,
        request: Request<proto::ListOwnNotesRequest>,
    ) -> Result<Response<proto::ListOwnNotesResponse>, Status> {
        Ok(Response::new(self.corrections(request.into_inner()).await?))
    }

    async fn close_own_note(
        &self,
        request: Request<proto::CloseOwnNoteRequest>,
    ) -> Result<Response<proto::CloseOwnNoteResponse>, Status> {
        let request = request.into_inner();
        let mut problems = Problems::new();
        let end = end(request.state(), &mut problems);
        let answer = listing_name::reason(&request.answer, false, &mut problems);
        if let Some(problem) = problems.remove("reason") {
            problems.insert("answer".to_owned(), problem);
        }
        let change = NoteChange::CloseOwn {
            account: claim::parse_uuid("account_id", &request.account_id)?,
            entity: entity(&request.kind)?,
            note: claim::parse_uuid("id", &request.id)?,
            name: request.name,
            end: listing_name::finish(end, problems)?,
            answer,
        };
        let note = close(&self.writer, change).await?;
        Ok(Response::new(proto::CloseOwnNoteResponse {
            note: Some(note),
        }))
    }
}

impl Service {
    async fn corrections(
        &self,
        request: proto::ListOwnNotesRequest,
    ) -> Result<proto::ListOwnNotesResponse, Fault> {
        let account = claim::parse_uuid("account_id", &request.account_id)?;
        let entity = entity(&request.kind)?;
        if !slug::is_valid(&request.name) {
            return Err(not_found());
        }
        let own = my_listings::find_with_state(&self.pool, account, entity, &request.name).await?;
        let (listing, _) = own.ok_or_else(not_found)?;
        let listing = (entity, listing);
        let notes = store::list_corrections(&self.pool, listing, MAX_CORRECTIONS).await?;
        let total = store::count_corrections(&self.pool, listing).await?;
        Ok(proto::ListOwnNotesResponse {
            notes: notes.into_iter().map(message).collect(),
            total: u64::try_from(total).unwrap_or_default(),
        })
    }
}

/// Reads a note, or returns every invalid field at once.
fn read(request: proto::CreateNoteRequest) -> Result<SentNote, Fault> {
    let mut problems = Problems::new();
    let kind = match request.note() {
        proto::NoteKind::Correction => Some(NoteKind::Correction),
        proto::NoteKind::Report => Some(NoteKind::Report),
        proto::NoteKind::Unspecified => {
            let problem = "Give correction or report.";
            problems.insert("note".to_owned(), problem.to_owned());
            None
        }
    };
    if !visitor_note::is_form_id(&request.form) {
        let problem = "Open the page again, and send the form from there.";
        problems.insert("form".to_owned(), problem.to_owned());
    }
    let network: Option<IpAddr> = request.network.parse().ok();
    if network.is_none() {
        let problem = "Give the address of the sender's network.";
        problems.insert("network".to_owned(), problem.to_owned());
    }
    let text = NoteText {
        reason: request.reason,
        text: request.text,
        email: request.email,
    };
    let text = text.check(kind.unwrap_or(NoteKind::Correction), &mut problems);
    let sent = kind
        .zip(network)
        .map(|(kind, network)| (kind, network.to_string()));
    let (kind, network) = listing_name::finish(sent, problems)?;
    Ok(SentNote {
        entity: entity(&request.kind)?,
        name: request.name,
        kind,
        note: text,
        network,
        form: request.form,
    })
}

pub(super) fn end(state: proto::NoteState, problems: &mut Problems) -> Option<NoteEnd> {
    match state {
        proto::NoteState::Done => Some(NoteEnd::Done),
        proto::NoteState::Dismissed => Some(NoteEnd::Dismissed),
        proto::NoteState::Open | proto::NoteState::Unspecified => {
            let problem = "Give done or dismissed.";
            problems.insert("state".to_owned(), problem.to_owned());
            None
        }
    }
}

async fn write(writer: &Writer<CommandHandler>, change: NoteChange) -> Result<ChangedNote, Fault> {
    match writer.write(Command::Note(Box::new(change))).await?.0 {
        Outcome::NoteChanged(changed) => Ok(changed),
        other => Err(unexpected_outcome(&other)),
    }
}

/// Closes a note; returns it after that.
pub(super) async fn close(
    writer: &Writer<CommandHandler>,
    change: NoteChange,
) -> Result<proto::ListingNote, Fault> {
    match write(writer, change).await? {
        ChangedNote::Closed(note) => Ok(message(*note)),
        other @ ChangedNote::Created(_) => Err(unexpected_outcome(&other)),
    }
}

fn message(note: ListingNote) -> proto::ListingNote {
    let kind = match note.kind.as_str() {
        "report" => proto::NoteKind::Report,
        _ => proto::NoteKind::Correction,
    };
    let state = match note.state.as_str() {
        "done" => proto::NoteState::Done,
        "dismissed" => proto::NoteState::Dismissed,
        _ => proto::NoteState::Open,
    };
    let mode = note.mode.parse().unwrap_or(Mode::Live);
    proto::ListingNote {
        id: note.id.to_string(),
        name: Some(proto::ListingName {
            kind: note.entity,
            mode: feed::mode(mode),
            name: note.name,
        }),
        title: note.title,
        kind: kind.into(),
        reason: note.reason,
        text: note.text,
        email: note.email,
        made_at: Some(timestamp::encode(note.made_at)),
        state: state.into(),
        closed_at: note.closed_at.map(timestamp::encode),
        closed_by_kind: note.closed_by_kind.unwrap_or_default(),
        closed_by: note.closed_by.unwrap_or_default(),
        answer: note.answer,
    }
}

/// The open notes for staff, oldest first.
pub(super) async fn list_for_staff(
    pool: &PgPool,
    page: common::PageRequest,
) -> Result<proto::ListNotesResponse, Fault> {
    let mut problems = Problems::new();
    let binding = Binding::new("notes", []);
    let paging = Paging::<(i128, Uuid)>::read(binding, page.limit, &page.cursor, &mut problems);
    let paging = listing_name::finish(Some(paging), problems)?;
    let after = paging
        .after
        .and_then(|(nanos, id)| Some((OffsetDateTime::from_unix_timestamp_nanos(nanos).ok()?, id)));
    let found = store::list_for_staff(pool, after, paging.fetch_limit()).await?;
    let total = store::count_for_staff(pool).await?;
    let (found, next) =
        paging.finish(found, |note| (note.made_at.unix_timestamp_nanos(), note.id))?;
    Ok(proto::ListNotesResponse {
        notes: found.into_iter().map(message).collect(),
        page: Some(common::PageInfo {
            total: u64::try_from(total).unwrap_or_default(),
            next_cursor: Some(next).filter(|next| !next.is_empty()),
            ..common::PageInfo::default()
        }),
    })
}
