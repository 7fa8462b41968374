//! Decisions of staff on tickets.

use kit::Fault;
use kit::audit::{self, AuthorizedAction};
use kit::feed::{ApplyError, NewChange};
use serde_json::json;

use super::{TicketDecision, no_ticket};
use crate::SCHEMA;
use crate::domain::audit_action::AuditAction;
use crate::domain::ticket::{TicketKind, TicketState};
use crate::feed::decisions::{DecisionKind, StaffDecision};
use crate::feed::{ChangeKind, Publish as _};
use crate::store::page_owners::{self as owners, GrantSource};
use crate::store::tickets::{self as store, Closing, Ticket};
use crate::write::{CommandContext, page_owners};

/// Decides on a ticket as a member of the staff. Returns its kind.
pub(super) async fn decide(
    context: &mut CommandContext<'_>,
    decision: &TicketDecision,
    changes: &mut Vec<NewChange>,
) -> Result<TicketKind, ApplyError> {
    let ticket = store::lock(context.connection, decision.ticket).await?;
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
        changes.extend(grant_page(context, &ticket).await?);
    }
    let closing = Closing {
        state: decision.state,
        by_kind: "staff",
        by: &decision.by.name,
        answer: &decision.answer,
        at: context.now,
    };
    store::close(context.connection, ticket.id, closing).await?;
    record(context, &ticket, decision).await?;
    let decided = for_account(&ticket, decision);
    changes.extend(decided.and_then(|decided| decided.change(&context.dependencies.public_url)));
    Ok(ticket.kind)
}

/// The decision for the account that made the ticket; `None` for a note.
fn for_account<'a>(ticket: &'a Ticket, decision: &'a TicketDecision) -> Option<StaffDecision<'a>> {
    let kind = match (ticket.kind, decision.state) {
        (TicketKind::Claim, TicketState::Accepted) => DecisionKind::ClaimGranted,
        (TicketKind::Claim, _) => DecisionKind::ClaimRejected,
        (TicketKind::Takedown, _) => DecisionKind::TakedownDeclined,
        (TicketKind::Correction | TicketKind::Report, _) => return None,
    };
    Some(StaffDecision {
        kind,
        entity: ticket.entity,
        name: &ticket.name,
        title: &ticket.title,
        reason: &decision.answer,
        accounts: ticket.account_id.into_iter().collect(),
    })
}

/// Makes the account of a claim an owner of the page.
async fn grant_page(
    context: &mut CommandContext<'_>,
    claim: &Ticket,
) -> Result<Option<NewChange>, ApplyError> {
    let (connection, now) = (&mut *context.connection, context.now);
    let page = page_owners::lock(connection, &claim.name).await?;
    let account = claim.account_id.unwrap_or_default();
    let is_new = owners::add(connection, page.id, account, GrantSource::Claim, now).await?;
    Ok(is_new.then(|| {
        page.change(
            ChangeKind::OwnersChanged,
            false,
            &context.dependencies.public_url,
        )
    }))
}

/// Records a decision in the audit.
async fn record(
    context: &mut CommandContext<'_>,
    ticket: &Ticket,
    decision: &TicketDecision,
) -> Result<(), sqlx::Error> {
    let action = match (ticket.kind, decision.state) {
        (TicketKind::Claim, TicketState::Accepted) => AuditAction::GrantClaim,
        (TicketKind::Claim, _) => AuditAction::RejectClaim,
        (TicketKind::Takedown, _) => AuditAction::DeclineTakedown,
        (TicketKind::Correction | TicketKind::Report, _) => AuditAction::CloseNote,
    };
    let mut details = json!({ "reason": decision.answer });
    details[ticket.kind.noun()] = json!(ticket.id);
    if let Some(account) = ticket.account_id {
        details["account"] = json!(account);
    } else {
        details["kind"] = json!(ticket.kind);
        details["state"] = json!(ticket.kind.state_name(decision.state));
    }
    let subject = audit::Subject {
        entity: ticket.entity.as_str(),
        name: ticket.name.clone(),
        details,
    };
    let member = decision.by.clone();
    let done = AuthorizedAction { member, action };
    done.record(&mut *context.connection, SCHEMA, subject, context.now)
        .await
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
