//! Tickets about listings, inside the writer's transaction: accounts and visitors make them, and staff and owners decide on them.

use kit::audit::{self, Action as _, Entry};
use kit::feed::{ApplyError, ApplyResult, NewChange};
use kit::rpc::staff::Member;
use kit::{Fault, ids};
use serde::Serialize;
use serde_json::json;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::update::not_found;
use super::{limits, page_owners};
use crate::SCHEMA;
use crate::domain::audit_action::AuditAction;
use crate::domain::entity::Entity;
use crate::domain::event::Event;
use crate::domain::game::Game;
use crate::domain::listing::Listing;
use crate::domain::mode::Mode;
use crate::domain::page::Page;
use crate::domain::slug;
use crate::domain::state::ListingState;
use crate::domain::ticket::{TicketKind, TicketState};
use crate::domain::visitor_note::NoteText;
use crate::feed::{ChangeKind, PublicUrl, Publish as _};
use crate::store::page_owners::{self as owners, GrantSource};
use crate::store::tickets::{self as store, AccountTicket, Closing, NewNote, Subject, Ticket};
use crate::store::{ListingTable, RecordTable as _, accounts, my_listings};

/// What the notes about a listing say that staff take down.
const TAKEN_DOWN: &str = "The listing was taken down.";

#[derive(Debug)]
pub enum TicketChange {
    /// An account claims the page with this handle.
    Claim {
        account: Uuid,
        handle: String,
        evidence: String,
    },
    /// An account asks for the takedown of a listing of its own.
    RequestTakedown {
        account: Uuid,
        listing: NamedListing,
        reason: String,
    },
    /// A visitor sends a note.
    SendNote(SentNote),
    /// An account closes a correction of a listing of its own.
    CloseOwnNote {
        account: Uuid,
        listing: NamedListing,
        note: Uuid,
        state: TicketState,
        /// May be empty.
        answer: String,
    },
    /// Staff decide on a ticket.
    Decide(TicketDecision),
}

/// A listing as its account names it.
#[derive(Debug)]
pub struct NamedListing {
    pub entity: Entity,
    /// The slug or the handle.
    pub name: String,
}

#[derive(Debug)]
pub struct SentNote {
    pub entity: Entity,
    /// The slug or the handle.
    pub name: String,
    /// A correction or a report.
    pub kind: TicketKind,
    pub note: NoteText,
    pub network: String,
    /// The id of the form.
    pub form: String,
}

#[derive(Debug)]
pub struct TicketDecision {
    pub ticket: Uuid,
    /// A claim, a takedown, or either kind of note.
    pub kind: TicketKind,
    pub state: TicketState,
    pub answer: String,
    pub by: Member,
}

/// The outcome of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TicketOutcome {
    Ticket(Box<Ticket>),
    NoteSent(NoteReceipt),
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
    change: &TicketChange,
    public_url: &PublicUrl,
    now: OffsetDateTime,
) -> ApplyResult<TicketOutcome> {
    let mut changes = Vec::new();
    let (id, kind) = match change {
        TicketChange::SendNote(sent) => {
            let receipt = send_note(connection, sent, now).await?;
            return Ok((TicketOutcome::NoteSent(receipt), changes));
        }
        TicketChange::Claim {
            account,
            handle,
            evidence,
        } => {
            lock_account(connection, *account, now).await?;
            let subject = claimed_page(connection, *account, handle).await?;
            let ticket = AccountTicket {
                kind: TicketKind::Claim,
                subject,
                account: *account,
                text: evidence,
            };
            let others = store::count_others(connection, ticket).await?;
            limits::check_waiting_claims(others)?;
            let id = store::insert(connection, ids::row_id(), ticket, now).await?;
            (id, ticket.kind)
        }
        TicketChange::RequestTakedown {
            account,
            listing,
            reason,
        } => {
            lock_account(connection, *account, now).await?;
            let (subject, state) = own_listing(connection, *account, listing).await?;
            check_public(state)?;
            let ticket = AccountTicket {
                kind: TicketKind::Takedown,
                subject,
                account: *account,
                text: reason,
            };
            let others = store::count_others(connection, ticket).await?;
            limits::check_waiting_takedowns(others)?;
            let id = store::insert(connection, ids::row_id(), ticket, now).await?;
            (id, ticket.kind)
        }
        TicketChange::CloseOwnNote {
            account,
            listing,
            note,
            state,
            answer,
        } => {
            let (subject, _) = own_listing(connection, *account, listing).await?;
            let closing = Closing {
                state: *state,
                by_kind: "account",
                by: &account.to_string(),
                answer,
                at: now,
            };
            close_own_note(connection, subject, *note, closing).await?;
            (*note, TicketKind::Correction)
        }
        TicketChange::Decide(decision) => {
            let kind = decide(connection, decision, public_url, now, &mut changes).await?;
            (decision.ticket, kind)
        }
    };
    let ticket = store::find(connection, id).await?;
    let ticket = ticket.ok_or_else(|| no_ticket(kind))?;
    Ok((TicketOutcome::Ticket(Box::new(ticket)), changes))
}

/// Locks an account, so that its open tickets are counted exactly.
async fn lock_account(
    connection: &mut PgConnection,
    account: Uuid,
    now: OffsetDateTime,
) -> Result<(), ApplyError> {
    let locked = accounts::lock(connection, account, now.date(), 0).await?;
    locked.map(|_| ()).ok_or(ApplyError::Busy)
}

/// A public page that the account does not own yet.
async fn claimed_page(
    connection: &mut PgConnection,
    account: Uuid,
    handle: &str,
) -> Result<Subject, ApplyError> {
    let not_found = || Fault::not_found("There is no public page with this handle.");
    if !slug::is_valid(handle) {
        return Err(not_found().into());
    }
    let found = Listing::<Page>::find(connection, Mode::Live, &[handle.to_owned()]).await?;
    let mut found = found.into_iter();
    let page = found.find(Listing::is_visible).ok_or_else(not_found)?;
    let owners = owners::of_page(&mut *connection, page.id).await?;
    if owners.iter().any(|owner| owner.account_id == account) {
        return Err(Fault::invalid_field("handle", "You own this page already.").into());
    }
    Ok(Subject {
        entity: Entity::Page,
        listing: page.id,
    })
}

/// A listing of the account, and its state.
async fn own_listing(
    connection: &mut PgConnection,
    account: Uuid,
    NamedListing { entity, name }: &NamedListing,
) -> Result<(Subject, ListingState), ApplyError> {
    if !slug::is_valid(name) {
        return Err(not_found(*entity).into());
    }
    let found = my_listings::find_with_state(&mut *connection, account, *entity, name).await?;
    let (listing, state) = found.ok_or_else(|| not_found(*entity))?;
    let subject = Subject {
        entity: *entity,
        listing,
    };
    Ok((subject, state))
}

/// Refuses the takedown of a listing that is not public.
fn check_public(state: ListingState) -> Result<(), Fault> {
    if state == ListingState::Published {
        return Ok(());
    }
    let reason = format!(
        "Only a public listing is taken down, and this one {}. A pending one can be withdrawn.",
        state.phrase()
    );
    Err(Fault::invalid_field("name", reason))
}

async fn send_note(
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
    let subject = Subject {
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

async fn close_own_note(
    connection: &mut PgConnection,
    subject: Subject,
    id: Uuid,
    closing: Closing<'_>,
) -> Result<(), ApplyError> {
    // Reports are for staff.
    let is_of_listing = |note: &Ticket| {
        note.listing_id == subject.listing
            && note.entity == subject.entity.as_str()
            && note.kind == TicketKind::Correction
    };
    let note = store::lock(connection, id).await?.filter(is_of_listing);
    let note = note.ok_or_else(|| no_ticket(TicketKind::Correction))?;
    if note.state == TicketState::Open {
        store::close(connection, id, closing).await?;
    }
    Ok(())
}

/// Decides on a ticket as a member of the staff. Returns its kind.
async fn decide(
    connection: &mut PgConnection,
    decision: &TicketDecision,
    public_url: &PublicUrl,
    now: OffsetDateTime,
    changes: &mut Vec<NewChange>,
) -> Result<TicketKind, ApplyError> {
    let ticket = store::lock(connection, decision.ticket).await?;
    // A note is of two kinds.
    let ticket = ticket.filter(|ticket| ticket.kind.noun() == decision.kind.noun());
    let ticket = ticket.ok_or_else(|| no_ticket(decision.kind))?;
    if ticket.state == decision.state {
        return Ok(ticket.kind);
    }
    if ticket.state != TicketState::Open {
        return Err(Fault::invalid_field("id", decided_before(&ticket)).into());
    }
    if ticket.kind == TicketKind::Claim && decision.state == TicketState::Accepted {
        changes.extend(grant_page(connection, &ticket, public_url, now).await?);
    }
    let closing = Closing {
        state: decision.state,
        by_kind: "staff",
        by: &decision.by.name,
        answer: &decision.answer,
        at: now,
    };
    store::close(connection, ticket.id, closing).await?;
    record(connection, &ticket, decision, now).await?;
    Ok(ticket.kind)
}

/// Makes the account of a claim an owner of the page.
async fn grant_page(
    connection: &mut PgConnection,
    claim: &Ticket,
    public_url: &PublicUrl,
    now: OffsetDateTime,
) -> Result<Option<NewChange>, ApplyError> {
    let page = page_owners::lock(connection, &claim.name).await?;
    let account = claim.account_id.unwrap_or_default();
    let is_new = owners::add(connection, page.id, account, GrantSource::Claim, now).await?;
    Ok(is_new.then(|| page.change(ChangeKind::OwnersChanged, false, public_url)))
}

/// Records a decision in the audit.
async fn record(
    connection: &mut PgConnection,
    ticket: &Ticket,
    decision: &TicketDecision,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let action = match (ticket.kind, decision.state) {
        (TicketKind::Claim, TicketState::Accepted) => AuditAction::GrantClaim,
        (TicketKind::Claim, _) => AuditAction::RejectClaim,
        (TicketKind::Takedown, _) => AuditAction::DeclineTakedown,
        (TicketKind::Correction | TicketKind::Report, _) => AuditAction::CloseNote,
    };
    let mut details = json!({ "reason": decision.answer });
    details[ticket.kind.noun()] = json!(ticket.id);
    match ticket.account_id {
        Some(account) => details["account"] = json!(account),
        None => {
            details["kind"] = json!(ticket.kind);
            details["state"] = json!(ticket.kind.state_name(decision.state));
        }
    }
    let entry = Entry {
        member: &decision.by.name,
        role: decision.by.role.as_str(),
        action: action.as_str(),
        entity: &ticket.entity,
        name: &ticket.name,
        refused: false,
        details,
    };
    audit::append(connection, SCHEMA, entry, now).await
}

/// Why a ticket cannot be decided on: it has another decision.
fn decided_before(ticket: &Ticket) -> String {
    let state = ticket.kind.state_name(ticket.state);
    match ticket.kind {
        TicketKind::Claim => {
            format!("This claim was {state} before: add or remove the owner instead.")
        }
        TicketKind::Takedown => "The listing was taken down: restore it instead.".to_owned(),
        TicketKind::Correction | TicketKind::Report => {
            format!("This note was closed before, as {state}.")
        }
    }
}

/// Grants the requests and closes the notes about a listing that a member of the staff takes down.
pub(super) async fn close_of_removed(
    connection: &mut PgConnection,
    subject: Subject,
    by: &Member,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let closing = Closing {
        state: TicketState::Accepted,
        by_kind: "staff",
        by: &by.name,
        answer: "",
        at: now,
    };
    store::accept_all(connection, &[TicketKind::Takedown], subject, closing).await?;
    let closing = Closing {
        answer: TAKEN_DOWN,
        ..closing
    };
    store::accept_all(connection, &TicketKind::NOTES, subject, closing).await
}

fn no_listing() -> Fault {
    Fault::not_found("There is no public listing of this kind and name.")
}

fn no_ticket(kind: TicketKind) -> Fault {
    Fault::not_found(format!("There is no {} with this id.", kind.noun()))
}
