//! Notes of visitors: visitors send them, and owners close corrections.

use kit::feed::ApplyError;
use kit::{Fault, ids};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{NoteReceipt, SentNote, no_ticket};
use crate::domain::entity::Entity;
use crate::domain::event::Event;
use crate::domain::game::Game;
use crate::domain::listing::Listing;
use crate::domain::mode::Mode;
use crate::domain::page::Page;
use crate::domain::ticket::{TicketKind, TicketState};
use crate::store::RecordTable;
use crate::store::tickets::{self as store, Closing, NewNote, Ticket, TicketSubject};
use crate::write::{limits, lock_listing};

pub(super) async fn send_note(
    connection: &mut PgConnection,
    sent: &SentNote,
    now: OffsetDateTime,
) -> Result<NoteReceipt, ApplyError> {
    let (listing, title) = match sent.entity {
        Entity::Page => {
            let page = lock_visible::<Page>(connection, &sent.name).await?;
            (page.id, page.content.name)
        }
        Entity::Game => {
            let game = lock_visible::<Game>(connection, &sent.name).await?;
            (game.id, game.content.title)
        }
        Entity::Event => {
            let event = lock_visible::<Event>(connection, &sent.name).await?;
            (event.id, event.content.title)
        }
        Entity::Genre | Entity::Country | Entity::City => return Err(no_listing().into()),
    };
    let subject = TicketSubject {
        entity: sent.entity,
        listing,
    };
    let owners = match sent.kind {
        TicketKind::Correction => store::owners(&mut *connection, subject).await?,
        _ => Vec::new(),
    };
    let receipt = NoteReceipt {
        is_duplicate: false,
        owners,
        title,
    };
    if store::has_form(connection, &sent.form, subject).await? {
        return Ok(receipt);
    }
    let since = now - limits::NOTES_WINDOW;
    let earlier = store::times_of_network(connection, &sent.network, since).await?;
    let new = NewNote {
        kind: sent.kind,
        subject,
        note: &sent.note,
        form: &sent.form,
        network: &sent.network,
    };
    // A duplicate is told as one, also beyond the limit. Otherwise the savepoint of the command takes the row back.
    if !store::insert_note(connection, ids::row_id(), new, now).await? {
        return Ok(NoteReceipt {
            is_duplicate: true,
            owners: Vec::new(),
            ..receipt
        });
    }
    limits::check_notes(&earlier, now)?;
    Ok(receipt)
}

/// Locks a public listing, so that it is not taken down meanwhile, which would leave the note open.
async fn lock_visible<C>(
    connection: &mut PgConnection,
    name: &str,
) -> Result<Listing<C>, ApplyError>
where
    Listing<C>: RecordTable,
{
    let locked = lock_listing(connection, Mode::Live, name).await?;
    Ok(locked.filter(Listing::is_visible).ok_or_else(no_listing)?)
}

pub(super) async fn close_own_note(
    connection: &mut PgConnection,
    subject: TicketSubject,
    id: Uuid,
    closing: Closing<'_>,
) -> Result<(), ApplyError> {
    // Reports are for staff.
    let is_of_listing = |note: &Ticket| {
        note.listing_id == subject.listing
            && note.entity == subject.entity
            && note.kind == TicketKind::Correction
    };
    let note = store::lock(connection, id).await?.filter(is_of_listing);
    let note = note.ok_or_else(|| no_ticket(TicketKind::Correction))?;
    if note.state == TicketState::Open {
        store::close(connection, id, closing).await?;
    }
    Ok(())
}

fn no_listing() -> Fault {
    Fault::not_found("There is no public listing of this kind and name.")
}
