//! `staff audit`

use std::num::NonZeroUsize;

use clap::Args;
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_audit_service_client::StaffAuditServiceClient;
use contracts::public::Timestamp;
use serde::Serialize;
use serde_json::Value;
use time::format_description::well_known::Rfc3339;
use time::{OffsetDateTime, UtcOffset};

use super::fleet::Fleet;
use super::output::{self, Output};
use super::problem::Problem;
use super::table::table;

/// Rows asked for at once.
const PAGE: i32 = 100;

/// What the staff did, the newest first
///
/// An admin sees the deeds of all, a reviewer the own ones. Deeds are look, approve, reject, edit, `take_down`, restore, feature, reassign,
/// import, `create_member`, `set_role`, `revoke_member`, `list_members` and `read_audit`; those that only look are kept when they are refused.
#[derive(Debug, Args)]
pub(crate) struct Audit {
    /// Only of this member
    #[arg(long, default_value = "", hide_default_value = true)]
    member: String,
    /// Only this deed
    #[arg(long, default_value = "", hide_default_value = true)]
    action: String,
    /// Only to this kind: page, game, event, member, or a kind of imported rows
    #[arg(long, default_value = "", hide_default_value = true)]
    kind: String,
    /// Only to what has this slug, handle or name
    #[arg(long, default_value = "", hide_default_value = true)]
    name: String,
    /// Only since then, such as 2026-03-01T08:00:00Z
    #[arg(long, value_parser = moment)]
    since: Option<OffsetDateTime>,
    /// Rows at most
    #[arg(long, default_value = "50")]
    limit: NonZeroUsize,
}

fn moment(text: &str) -> Result<OffsetDateTime, String> {
    OffsetDateTime::parse(text, &Rfc3339)
        .ok()
        .and_then(|at| at.checked_to_offset(UtcOffset::UTC))
        .ok_or_else(|| "give a time such as 2026-03-01T08:00:00Z".to_owned())
}

#[derive(Debug, Serialize)]
struct Deed {
    at: Option<Timestamp>,
    member: String,
    role: String,
    action: String,
    kind: String,
    name: String,
    refused: bool,
    details: Value,
}

impl From<proto::Deed> for Deed {
    fn from(deed: proto::Deed) -> Self {
        Self {
            at: output::moment(deed.at),
            member: deed.member,
            role: deed.role,
            action: deed.action,
            kind: deed.entity,
            name: deed.name,
            refused: deed.refused,
            details: serde_json::from_str(&deed.details).unwrap_or_default(),
        }
    }
}

pub(crate) async fn run(audit: Audit, fleet: &Fleet, output: Output) -> Result<(), Problem> {
    let mut service = StaffAuditServiceClient::new(fleet.listings().await?);
    let limit = audit.limit.get();
    let mut deeds: Vec<Deed> = Vec::new();
    let mut cursor = String::new();
    while deeds.len() < limit {
        let rest = i32::try_from(limit - deeds.len()).unwrap_or(PAGE);
        let request = proto::ListAuditRequest {
            member: audit.member.clone(),
            action: audit.action.clone(),
            entity: audit.kind.clone(),
            name: audit.name.clone(),
            since: audit.since.map(kit::pg::timestamp),
            limit: rest.clamp(1, PAGE),
            cursor,
        };
        let answer = service.list_audit(request).await?.into_inner();
        deeds.extend(answer.deeds.into_iter().map(Deed::from));
        cursor = answer.next_cursor;
        if cursor.is_empty() {
            break;
        }
    }
    let document = serde_json::json!({ "deeds": deeds, "more": !cursor.is_empty() });
    output.answer(&document, || listed(&deeds))
}

fn listed(deeds: &[Deed]) -> comfy_table::Table {
    let rows = deeds.iter().map(|deed| {
        let refused = if deed.refused { ", refused" } else { "" };
        let reason = deed.details.get("reason").and_then(Value::as_str);
        [
            output::shown(deed.at.as_ref()),
            deed.member.clone(),
            format!("{}{refused}", deed.action),
            deed.kind.clone(),
            deed.name.clone(),
            reason.unwrap_or_default().to_owned(),
        ]
    });
    table(["at", "member", "deed", "kind", "name", "reason"], rows)
}
