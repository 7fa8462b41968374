//! Notes of visitors about listings, inside the writer's transaction: visitors send them, owners and staff close them, and a takedown closes
//! all of its listing.

use kit::audit::{self, Action as _, Entry};
use kit::feed::ApplyError;
use kit::rpc::staff::Member;
use kit::{Fault, ids};
use serde::Serialize;
use serde_json::json;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::limits;
use crate::SCHEMA;
use crate::domain::audit_action::AuditAction;
use crate::domain::entity::Entity;
use crate::domain::event::Event;
use crate::domain::game::Game;
use crate::domain::listing::Listing;
use crate::domain::mode::Mode;
use crate::domain::page::Page;
use crate::domain::slug;
use crate::domain::visitor_note::{NoteEnd, NoteKind, NoteText};
use crate::store::notes::{self as store, Closing, ListingNote, LockedNote, NewNote};
use crate::store::{ListingTable, RecordTable as _, my_listings};

/// What the notes about a listing say that staff take down.
const TAKEN_DOWN: &str = "The listing was taken down.";

#[derive(Debug)]
pub enum NoteChange {
    /// A visitor sends a note.
    Create(SentNote),
    /// An account closes a correction of a listing of its own.
    CloseOwn {
        account: Uuid,
        entity: Entity,
        /// The slug or the handle.
        name: String,
        note: Uuid,
        end: NoteEnd,
        /// May be empty.
        answer: String,
    },
    /// Staff close a note.
    Close {
        note: Uuid,
        end: NoteEnd,
        reason: String,
        by: Member,
    },
}

#[derive(Debug)]
pub struct SentNote {
    pub entity: Entity,
    /// The slug or the handle.
    pub name: String,
    pub kind: NoteKind,
    pub note: NoteText,
    pub network: String,
    /// The id of the form.
    pub form: String,
}

/// The outcome of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangedNote {
    Created(NoteReceipt),
    Closed(Box<ListingNote>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteReceipt {
    /// Nothing was stored: the network has sent such a note today.
    pub is_duplicate: bool,
    /// The accounts that a correction went to.
    pub owners: Vec<Uuid>,
    /// The title of the listing, or the name of a page.
    pub title: String,
}

pub(super) async fn apply(
    connection: &mut PgConnection,
    change: &NoteChange,
    now: OffsetDateTime,
) -> Result<ChangedNote, ApplyError> {
    let id = match change {
        NoteChange::Create(sent) => {
            return Ok(ChangedNote::Created(create(connection, sent, now).await?));
        }
        NoteChange::CloseOwn {
            account,
            entity,
            name,
            note,
            end,
            answer,
        } => {
            let account_id = account.to_string();
            let closing = Closing {
                end: *end,
                by: ("account", &account_id),
                answer,
                at: now,
            };
            close_own(connection, *account, (*entity, name), (*note, closing)).await?;
            *note
        }
        NoteChange::Close {
            note,
            end,
            reason,
            by,
        } => {
            let closing = Closing {
                end: *end,
                by: ("staff", &by.name),
                answer: reason,
                at: now,
            };
            close_by_staff(connection, (*note, closing), by).await?;
            *note
        }
    };
    let note = store::find(connection, id).await?;
    Ok(ChangedNote::Closed(Box::new(note.ok_or_else(no_note)?)))
}

async fn create(
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
    let owners = match sent.kind {
        NoteKind::Correction => store::owners(&mut *connection, (sent.entity, listing)).await?,
        NoteKind::Report => Vec::new(),
    };
    let receipt = NoteReceipt {
        is_duplicate: false,
        owners,
        title,
    };
    if store::exists(connection, &sent.form, (sent.entity, listing)).await? {
        return Ok(receipt);
    }
    let since = now - limits::NOTES_WINDOW;
    let earlier = store::times_of_network(connection, &sent.network, since).await?;
    let new = NewNote {
        form: &sent.form,
        entity: sent.entity,
        listing,
        kind: sent.kind,
        note: &sent.note,
        network: &sent.network,
    };
    // A duplicate is told as one, also beyond the limit. Otherwise the savepoint of the command takes the row back.
    if !store::insert(connection, ids::row_id(), &new, now).await? {
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
    Listing<C>: ListingTable + Serialize,
{
    if !slug::is_valid(name) {
        return Err(no_listing().into());
    }
    let locked = Listing::<C>::lock(connection, Mode::Live, &[name.to_owned()]).await?;
    let mut found = locked.complete().ok_or(ApplyError::Busy)?.into_iter();
    let listing = found.find(Listing::is_visible);
    Ok(listing.ok_or_else(no_listing)?)
}

async fn close_own(
    connection: &mut PgConnection,
    account: Uuid,
    (entity, name): (Entity, &str),
    (id, closing): (Uuid, Closing<'_>),
) -> Result<(), ApplyError> {
    if !slug::is_valid(name) {
        return Err(super::update::not_found(entity).into());
    }
    let own = my_listings::find_with_state(&mut *connection, account, entity, name).await?;
    let (listing, _) = own.ok_or_else(|| super::update::not_found(entity))?;
    let note = store::lock(connection, id).await?;
    // Reports are for staff.
    let is_of_listing = |note: &LockedNote| {
        note.listing == listing
            && note.entity == entity.as_str()
            && note.kind == NoteKind::Correction.as_str()
    };
    let note = note.filter(is_of_listing).ok_or_else(no_note)?;
    if note.state == "open" {
        store::close(connection, id, closing).await?;
    }
    Ok(())
}

async fn close_by_staff(
    connection: &mut PgConnection,
    (id, closing): (Uuid, Closing<'_>),
    by: &Member,
) -> Result<(), ApplyError> {
    let note = store::lock(connection, id).await?.ok_or_else(no_note)?;
    if note.state == closing.end.as_str() {
        return Ok(());
    }
    if note.state != "open" {
        let problem = format!("This note was closed before, as {}.", note.state);
        return Err(Fault::invalid_field("id", problem).into());
    }
    store::close(connection, id, closing).await?;
    let name = store::find(&mut *connection, id).await?;
    let entry = Entry {
        member: &by.name,
        role: by.role.as_str(),
        action: AuditAction::CloseNote.as_str(),
        entity: &note.entity,
        name: &name.map(|note| note.name).unwrap_or_default(),
        refused: false,
        details: json!({"note": id, "kind": note.kind, "state": closing.end.as_str(), "reason": closing.answer}),
    };
    Ok(audit::append(connection, SCHEMA, entry, closing.at).await?)
}

/// Closes the notes about a listing that a member of the staff takes down.
pub(super) async fn close_of_removed(
    connection: &mut PgConnection,
    listing: (Entity, Uuid),
    by: &Member,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let closing = Closing {
        end: NoteEnd::Done,
        by: ("staff", &by.name),
        answer: TAKEN_DOWN,
        at: now,
    };
    store::close_all(connection, listing, closing).await
}

fn no_listing() -> Fault {
    Fault::not_found("There is no public listing of this kind and name.")
}

fn no_note() -> Fault {
    Fault::not_found("There is no note with this id.")
}
