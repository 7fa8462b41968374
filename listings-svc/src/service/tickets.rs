//! Tickets as messages: claims, requests for a takedown, and notes of visitors.

use contracts::common::v1 as common;
use contracts::listings::v1 as proto;
use kit::bad_fields::BadFields;
use kit::cursor::{Binding, SortTime};
use kit::feed::Writer;
use kit::page::Page;
use kit::{Fault, timestamp};
use sqlx::PgPool;
use uuid::Uuid;

use super::listing_name;
use crate::domain::ticket::{TicketKind, TicketState};
use crate::store::tickets::{self as store, Ticket};
use crate::write::tickets::TicketChange;
use crate::write::{Command, CommandHandler, Outcome};

/// Makes a change; returns the ticket after that.
pub(super) async fn write_ticket(
    writer: &Writer<CommandHandler>,
    change: TicketChange,
) -> Result<Ticket, Fault> {
    let command = Command::Ticket(Box::new(change));
    Ok(*writer.write_as(command, Outcome::try_as_ticket).await?)
}

/// The tickets of these kinds that wait for staff, oldest first.
pub(super) async fn list_for_staff<M>(
    pool: &PgPool,
    kinds: &[TicketKind],
    page: Option<common::PageRequest>,
    message: fn(Ticket) -> M,
) -> Result<(Vec<M>, Option<common::PageInfo>), Fault> {
    let mut bad = BadFields::default();
    let kind = kinds.first().map(|kind| kind.as_str());
    let binding = Binding::new("tickets", [kind]);
    let page: Page<(SortTime, Uuid)> = bad.read_public_page(binding, page);
    bad.check()?;
    let after = page.after.map(|(SortTime(at), id)| (at, id));
    let mut found = store::list_for_staff(pool, kinds, after, page.rows_to_fetch()).await?;
    let total = store::count_for_staff(pool, kinds).await?;
    let next_cursor = page.cut(&mut found, |ticket| (SortTime(ticket.made_at), ticket.id))?;
    let info = common::PageInfo {
        total: u64::try_from(total).unwrap_or_default(),
        next_cursor,
    };
    Ok((found.into_iter().map(message).collect(), Some(info)))
}

pub(super) fn claim(ticket: Ticket) -> proto::Claim {
    let state = match ticket.state {
        TicketState::Open => proto::ClaimState::Waiting,
        TicketState::Accepted => proto::ClaimState::Granted,
        TicketState::Declined => proto::ClaimState::Rejected,
    };
    proto::Claim {
        id: ticket.id.to_string(),
        handle: ticket.name,
        account_id: account(ticket.account_id),
        evidence: ticket.text,
        state: state.into(),
        made_at: Some(timestamp::encode(ticket.made_at)),
        decided_at: ticket.decided_at.map(timestamp::encode),
        reason: ticket.answer,
    }
}

pub(super) fn takedown(ticket: Ticket) -> proto::TakedownRequest {
    let state = match ticket.state {
        TicketState::Open => proto::TakedownState::Waiting,
        TicketState::Accepted => proto::TakedownState::Granted,
        TicketState::Declined => proto::TakedownState::Declined,
    };
    proto::TakedownRequest {
        id: ticket.id.to_string(),
        name: Some(listing_name::message(
            ticket.entity.as_str(),
            ticket.mode,
            ticket.name,
        )),
        title: ticket.title,
        account_id: account(ticket.account_id),
        reason: ticket.text,
        state: state.into(),
        made_at: Some(timestamp::encode(ticket.made_at)),
        decided_at: ticket.decided_at.map(timestamp::encode),
        answer: ticket.answer,
    }
}

pub(super) fn note(ticket: Ticket) -> proto::ListingNote {
    let kind = match ticket.kind {
        TicketKind::Report => proto::NoteKind::Report,
        _ => proto::NoteKind::Correction,
    };
    let state = match ticket.state {
        TicketState::Open => proto::NoteState::Open,
        TicketState::Accepted => proto::NoteState::Done,
        TicketState::Declined => proto::NoteState::Dismissed,
    };
    proto::ListingNote {
        id: ticket.id.to_string(),
        name: Some(listing_name::message(
            ticket.entity.as_str(),
            ticket.mode,
            ticket.name,
        )),
        title: ticket.title,
        kind: kind.into(),
        reason: ticket.reason,
        text: ticket.text,
        email: ticket.email,
        made_at: Some(timestamp::encode(ticket.made_at)),
        state: state.into(),
        closed_at: ticket.decided_at.map(timestamp::encode),
        closed_by_kind: ticket.decided_by_kind.unwrap_or_default(),
        closed_by: ticket.decided_by.unwrap_or_default(),
        answer: ticket.answer,
    }
}

fn account(id: Option<Uuid>) -> String {
    id.map(|id| id.to_string()).unwrap_or_default()
}
