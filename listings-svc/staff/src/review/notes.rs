//! Notes of visitors about listings: reports, and corrections that no account gets

use clap::ValueEnum;
use contracts::common::v1 as common;
use contracts::listings::v1 as proto;
use contracts::public::Timestamp;
use serde::Serialize;

use super::Service;
use crate::command_hint;
use crate::error::Error;
use crate::output::{self, Output};
use crate::table::table;

/// Notes per call.
const PAGE_SIZE: u32 = 100;

/// How a note ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum NoteEnd {
    /// The listing was changed
    Done,
    /// Nothing needs to be done
    Dismissed,
}

#[derive(Debug, Serialize)]
struct NoteRow {
    id: String,
    kind: String,
    name: String,
    title: String,
    note: &'static str,
    reason: String,
    text: String,
    email: String,
    state: &'static str,
    made_at: Option<Timestamp>,
    closed_at: Option<Timestamp>,
    closed_by: String,
    answer: String,
}

impl From<proto::ListingNote> for NoteRow {
    fn from(note: proto::ListingNote) -> Self {
        let kind = match note.kind() {
            proto::NoteKind::Report => "report",
            proto::NoteKind::Correction | proto::NoteKind::Unspecified => "correction",
        };
        let state = match note.state() {
            proto::NoteState::Done => "done",
            proto::NoteState::Dismissed => "dismissed",
            proto::NoteState::Open | proto::NoteState::Unspecified => "open",
        };
        let name = note.name.unwrap_or_default();
        Self {
            id: note.id,
            kind: name.kind,
            name: name.name,
            title: note.title,
            note: kind,
            reason: note.reason,
            text: note.text,
            email: note.email,
            state,
            made_at: output::timestamp(note.made_at),
            closed_at: output::timestamp(note.closed_at),
            closed_by: note.closed_by,
            answer: note.answer,
        }
    }
}

/// Says how many notes wait, if any do.
pub(super) async fn remind(service: &mut Service, output: Output) -> Result<(), Error> {
    let page = common::PageRequest {
        limit: 1,
        cursor: String::new(),
    };
    let request = proto::ListNotesRequest { page: Some(page) };
    let listed = service.list_notes(request).await?.into_inner();
    let open = listed.page.unwrap_or_default().total;
    if open > 0 {
        let command = command_hint::staff("review notes");
        output.print(&format!("{open} notes of visitors are open: {command}"));
    }
    Ok(())
}

pub(super) async fn list(service: &mut Service, output: Output) -> Result<(), Error> {
    let (mut notes, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = common::PageRequest {
            limit: PAGE_SIZE,
            cursor,
        };
        let request = proto::ListNotesRequest { page: Some(page) };
        let listed = service.list_notes(request).await?.into_inner();
        notes.extend(listed.notes);
        match listed.page.and_then(|page| page.next_cursor) {
            Some(next) => cursor = next,
            None => return print(notes, output),
        }
    }
}

pub(super) async fn close(
    service: &mut Service,
    (id, end, reason): (String, NoteEnd, String),
    output: Output,
) -> Result<(), Error> {
    let state = match end {
        NoteEnd::Done => proto::NoteState::Done,
        NoteEnd::Dismissed => proto::NoteState::Dismissed,
    };
    let request = proto::CloseNoteRequest {
        id,
        state: state.into(),
        reason,
    };
    let closed = service.close_note(request).await?.into_inner();
    print(closed.note.into_iter().collect(), output)
}

fn print(notes: Vec<proto::ListingNote>, output: Output) -> Result<(), Error> {
    let rows: Vec<NoteRow> = notes.into_iter().map(NoteRow::from).collect();
    output.answer(&serde_json::json!({ "notes": rows }), || {
        let rows = rows.iter().map(|row| {
            let what = match row.reason.as_str() {
                "" => row.note.to_owned(),
                reason => format!("{}: {reason}", row.note),
            };
            [
                row.id.clone(),
                row.kind.clone(),
                row.name.clone(),
                what,
                row.state.to_owned(),
                output::format_time(row.made_at.as_ref()),
                row.text.clone(),
                row.email.clone(),
            ]
        });
        let columns = [
            "id", "kind", "name", "note", "state", "made", "text", "sender",
        ];
        table(columns, rows)
    })
}
