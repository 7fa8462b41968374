//! Tickets about listings, inside the writer's transaction: accounts and visitors make them, and staff and owners decide on them.

mod decide;
mod notes;

use kit::feed::{ApplyError, ApplyResult};
use kit::rpc::staff::Member;
use kit::{Fault, ids};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::absent::no_own_listing;
use super::{CommandContext, Outcome, limits, lock_listing};
use crate::domain::entity::Entity;
use crate::domain::event::Event;
use crate::domain::game::Game;
use crate::domain::listing::Listing;
use crate::domain::mode::Mode;
use crate::domain::page::Page;
use crate::domain::state::ListingState;
use crate::domain::ticket::{TicketKind, TicketState};
use crate::domain::visitor_note::NoteText;
use crate::store::page_owners as owners;
use crate::store::tickets::{self as store, AccountTicket, Closing, TicketSubject};
use crate::store::{accounts, find_listing, own_listings};
use decide::decide;
use notes::{close_own_note, send_note};

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
    context: &mut CommandContext<'_>,
    change: &TicketChange,
) -> ApplyResult<Outcome> {
    let (mut changes, now) = (Vec::new(), context.now);
    let connection = &mut *context.connection;
    let (id, kind) = match change {
        TicketChange::SendNote(sent) => {
            let receipt = send_note(connection, sent, now).await?;
            return Ok((Outcome::NoteSent(receipt), changes));
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
            (insert(connection, ticket, now).await?, ticket.kind)
        }
        TicketChange::RequestTakedown {
            account,
            listing,
            reason,
        } => {
            lock_account(connection, *account, now).await?;
            // Otherwise it might be taken down meanwhile, which would leave the request open.
            lock(connection, listing).await?;
            let (subject, state) = own_listing(connection, *account, listing).await?;
            check_public(state)?;
            let ticket = AccountTicket {
                kind: TicketKind::Takedown,
                subject,
                account: *account,
                text: reason,
            };
            (insert(connection, ticket, now).await?, ticket.kind)
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
            let kind = decide(context, decision, &mut changes).await?;
            (decision.ticket, kind)
        }
    };
    let ticket = store::find(&mut *context.connection, id).await?;
    let ticket = ticket.ok_or_else(|| no_ticket(kind))?;
    Ok((Outcome::Ticket(Box::new(ticket)), changes))
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

/// Inserts a ticket, within the limit of its account.
async fn insert(
    connection: &mut PgConnection,
    ticket: AccountTicket<'_>,
    now: OffsetDateTime,
) -> Result<Uuid, ApplyError> {
    let others = store::count_others(connection, ticket).await?;
    limits::check_waiting(ticket.kind, others)?;
    Ok(store::insert(connection, ids::row_id(), ticket, now).await?)
}

/// A public page that the account does not own yet.
async fn claimed_page(
    connection: &mut PgConnection,
    account: Uuid,
    handle: &str,
) -> Result<TicketSubject, ApplyError> {
    let found = find_listing::<Page>(connection, Mode::Live, handle).await?;
    let not_found = || Fault::not_found("There is no public page with this handle.");
    let page = found.filter(Listing::is_visible).ok_or_else(not_found)?;
    let owners = owners::of_page(&mut *connection, page.id).await?;
    if owners.iter().any(|owner| owner.account_id == account) {
        return Err(Fault::invalid_field("handle", "You own this page already.").into());
    }
    Ok(TicketSubject {
        entity: Entity::Page,
        listing: page.id,
    })
}

/// A listing of the account, and its state.
async fn own_listing(
    connection: &mut PgConnection,
    account: Uuid,
    NamedListing { entity, name }: &NamedListing,
) -> Result<(TicketSubject, ListingState), ApplyError> {
    let found = own_listings::find(&mut *connection, account, *entity, name).await?;
    let (listing, state) = found.ok_or_else(|| no_own_listing(*entity))?;
    let subject = TicketSubject {
        entity: *entity,
        listing,
    };
    Ok((subject, state))
}

/// Locks the live listing of this name, if it exists.
async fn lock(
    connection: &mut PgConnection,
    NamedListing { entity, name }: &NamedListing,
) -> Result<(), ApplyError> {
    match entity {
        Entity::Page => drop(lock_listing::<Page>(connection, Mode::Live, name).await?),
        Entity::Game => drop(lock_listing::<Game>(connection, Mode::Live, name).await?),
        Entity::Event => drop(lock_listing::<Event>(connection, Mode::Live, name).await?),
        Entity::Genre | Entity::Country | Entity::City => {}
    }
    Ok(())
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

/// Grants the requests and closes the notes about a listing that a member of the staff takes down.
pub(super) async fn close_of_removed(
    context: &mut CommandContext<'_>,
    subject: TicketSubject,
    by: &Member,
) -> Result<(), sqlx::Error> {
    let closing = Closing {
        state: TicketState::Accepted,
        by_kind: "staff",
        by: &by.name,
        answer: "",
        at: context.now,
    };
    let connection = &mut *context.connection;
    store::accept_all(connection, &[TicketKind::Takedown], subject, closing).await?;
    let closing = Closing {
        answer: TAKEN_DOWN,
        ..closing
    };
    store::accept_all(connection, &TicketKind::NOTES, subject, closing).await
}

fn no_ticket(kind: TicketKind) -> Fault {
    Fault::not_found(format!("There is no {} with this id.", kind.noun()))
}
