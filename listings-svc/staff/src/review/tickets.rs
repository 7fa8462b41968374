//! Tickets that wait for staff: requests of accounts to take down their own listings, and notes of visitors

use clap::ValueEnum;
use contracts::common::v1::PageRequest;
use contracts::listings::v1 as proto;

use super::Service;
use crate::account;
use crate::command_hint;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::listing::name;
use crate::output::{self, Output};
use crate::rows;
use crate::table::Column;

/// How a note ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[repr(i32)]
pub(crate) enum NoteEnd {
    /// The listing was changed
    Done = proto::NoteState::Done as i32,
    /// Nothing needs to be done
    Dismissed = proto::NoteState::Dismissed as i32,
}

const TAKEDOWN_COLUMNS: &[Column<proto::TakedownRequest>] = &[
    ("id", |it| it.id.clone()),
    ("kind", |it| name::kind(it.name.as_ref())),
    ("name", |it| name::slug(it.name.as_ref())),
    ("account", |it| it.account_id.clone()),
    ("state", |it| output::name_of(it.state())),
    ("made", |it| output::format_time(it.made_at)),
    ("reason", |it| it.reason.clone()),
];

/// The columns of a note: a report, or a correction that no account gets.
pub(super) const NOTE_COLUMNS: &[Column<proto::ListingNote>] = &[
    ("id", |it| it.id.clone()),
    ("kind", |it| name::kind(it.name.as_ref())),
    ("name", |it| name::slug(it.name.as_ref())),
    ("note", |it| {
        let kind = output::name_of(it.kind());
        match it.reason.as_str() {
            "" => kind,
            reason => format!("{kind}: {reason}"),
        }
    }),
    ("state", |it| output::name_of(it.state())),
    ("made", |it| output::format_time(it.made_at)),
    ("text", |it| it.text.clone()),
    ("sender", |it| it.email.clone()),
];

/// Says how many requests and notes wait, if any do.
pub(super) async fn remind(service: &mut Service, output: Output) -> Result<(), Error> {
    let page = Some(PageRequest {
        limit: 1,
        cursor: String::new(),
    });
    let request = proto::ListTakedownRequestsRequest { page: page.clone() };
    let listed = service.list_takedown_requests(request).await?.into_inner();
    let waiting = listed.page.unwrap_or_default().total;
    if waiting > 0 {
        let command = command_hint::staff("review takedowns");
        let line = format!("{waiting} accounts' requests to take a listing down wait: {command}");
        output.print(&line);
    }
    let request = proto::ListNotesRequest { page };
    let listed = service.list_notes(request).await?.into_inner();
    let open = listed.page.unwrap_or_default().total;
    if open > 0 {
        let command = command_hint::staff("review notes");
        output.print(&format!("{open} notes of visitors are open: {command}"));
    }
    Ok(())
}

pub(super) async fn list_takedowns(
    service: &Service,
    fleet: &Fleet,
    output: Output,
) -> Result<(), Error> {
    let read = async |page| {
        let request = proto::ListTakedownRequestsRequest { page: Some(page) };
        let response = service.clone().list_takedown_requests(request).await?;
        let response = response.into_inner();
        let page = response.page.unwrap_or_default();
        Ok((response.requests, page.next_cursor.unwrap_or_default()))
    };
    print_takedowns(rows::read_all(read).await?, fleet, output).await
}

pub(super) async fn print_takedowns(
    mut requests: Vec<proto::TakedownRequest>,
    fleet: &Fleet,
    output: Output,
) -> Result<(), Error> {
    let ids = requests.iter_mut().map(|request| &mut request.account_id);
    account::prefix_with_names(ids, fleet, output).await;
    output.rows("takedowns", &requests, TAKEDOWN_COLUMNS)
}

pub(super) async fn list_notes(service: &Service, output: Output) -> Result<(), Error> {
    let read = async |page| {
        let request = proto::ListNotesRequest { page: Some(page) };
        let response = service.clone().list_notes(request).await?.into_inner();
        let page = response.page.unwrap_or_default();
        Ok((response.notes, page.next_cursor.unwrap_or_default()))
    };
    output.rows("notes", &rows::read_all(read).await?, NOTE_COLUMNS)
}
