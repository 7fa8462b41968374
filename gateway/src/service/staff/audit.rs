//! What staff did: kept here, and read here.

use contracts::gateway::v1 as proto;
use kit::cursor::Binding;
use kit::rpc::staff::{Member, Role};
use kit::{Fault, pg};
use time::OffsetDateTime;
use uuid::Uuid;

use super::Staff;
use crate::domain::fields::Problems;
use crate::domain::staff_action::Action;
use crate::message;
use crate::store::audit::{self, Filter, Row};

/// Rows on a page when nobody says how many, and at most.
const USUAL: i32 = 20;
const MOST: i32 = 100;

/// Whose actions the member may read. Everybody may read their own.
pub(super) fn narrowed(
    member: &Member,
    mut request: proto::ListAuditRequest,
) -> proto::ListAuditRequest {
    if member.role != Role::Admin && request.member.is_empty() {
        request.member.clone_from(&member.name);
    }
    request
}

pub(super) async fn list(
    staff: &Staff,
    request: proto::ListAuditRequest,
) -> Result<proto::ListAuditResponse, Fault> {
    let mut problems = Problems::default();
    let filter = filter(&request, &mut problems);
    let since = request
        .since
        .map(|at| format!("{}.{}", at.seconds, at.nanos));
    let binding = Binding::new(
        "audit",
        [
            Some(request.member.as_str()),
            Some(request.action.as_str()),
            Some(request.entity.as_str()),
            Some(request.name.as_str()),
            since.as_deref(),
        ],
    );
    let limit = match request.limit {
        0 => USUAL,
        limit @ 1..=MOST => limit,
        _ => {
            problems.add("limit", format!("is 1 to {MOST}"));
            USUAL
        }
    };
    let after = match request.cursor.as_str() {
        "" => None,
        cursor => {
            let after = binding.decode(cursor).and_then(position);
            if after.is_none() {
                problems.add("cursor", "is none that this list gave out");
            }
            after
        }
    };
    problems.finish()?;
    // One more than asked for tells whether there is a further page.
    let mut rows = audit::page(&staff.pool, &filter, after, i64::from(limit) + 1)
        .await
        .map_err(|error| pg::fault(&error))?;
    let most = usize::try_from(limit).unwrap_or_default();
    let more = rows.len() > most;
    rows.truncate(most);
    let last = rows.last().filter(|_| more);
    let next = last.map(|row| binding.encode(&(row.at.unix_timestamp_nanos(), row.id)));
    let next_cursor = next.transpose().map_err(|error| Fault::internal(&error))?;
    Ok(proto::ListAuditResponse {
        actions: rows.into_iter().map(message).collect(),
        next_cursor: next_cursor.unwrap_or_default(),
    })
}

fn position((nanos, id): (i128, Uuid)) -> Option<(OffsetDateTime, Uuid)> {
    let at = OffsetDateTime::from_unix_timestamp_nanos(nanos).ok()?;
    Some((at, id))
}

fn filter(request: &proto::ListAuditRequest, problems: &mut Problems) -> Filter {
    let given = |text: &str| {
        // PostgreSQL takes no NUL, and nothing is called so.
        Some(text.replace('\0', "\u{FFFD}")).filter(|text| !text.is_empty())
    };
    let action = given(&request.action).and_then(|name| {
        let action = Action::parse(&name);
        if action.is_none() {
            let known = Action::ALL.map(Action::as_str).join(", ");
            problems.add("action", format!("is not an action here; there is {known}"));
        }
        action
    });
    let since = request.since.and_then(|at| {
        let since = message::time(at);
        if since.is_none() {
            problems.add("since", "is not a time");
        }
        since
    });
    Filter {
        member: given(&request.member),
        action,
        entity: given(&request.entity),
        name: given(&request.name),
        since,
    }
}

fn message(row: Row) -> proto::AuditedAction {
    proto::AuditedAction {
        id: row.id.to_string(),
        at: Some(pg::timestamp(row.at)),
        member: row.member,
        role: row.role,
        action: row.action,
        entity: row.entity,
        name: row.name,
        refused: row.refused,
        details: row.details.to_string(),
    }
}
