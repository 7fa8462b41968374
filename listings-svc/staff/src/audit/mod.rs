//! `staff audit`: the audit logs of all services, merged

mod vocabulary;

use std::num::NonZeroUsize;

use clap::{Args, Subcommand};
use contracts::catalogue::v1::staff_service_client::StaffServiceClient as CatalogueStaffClient;
use contracts::common::v1::{AuditEntry, ListAuditRequest, ListAuditResponse};
use contracts::economy::v1::staff_service_client::StaffServiceClient as EconomyStaffClient;
use contracts::gateway::v1::staff_service_client::StaffServiceClient as GatewayStaffClient;
use contracts::listings::v1::staff_audit_service_client::StaffAuditServiceClient;
use contracts::public::Timestamp;
use contracts::webhook::v1::staff_service_client::StaffServiceClient as WebhookStaffClient;
use kit::rpc::client::Client;
use serde::Serialize;
use serde_json::Value;
use time::OffsetDateTime;
use tonic::{Response, Status};

use crate::arguments::{limit, timestamp};
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::table::table;
use vocabulary::{CATALOGUE, ECONOMY, GATEWAY, LISTINGS, Vocabulary, WEBHOOK, any_service};

/// Rows per request.
const PAGE_SIZE: i32 = 100;

/// List what members of staff did, newest first
///
/// An admin sees the actions of all members, a reviewer their own. Actions that only read are logged when they are refused. Without the
/// addresses of the gateway, economy-svc, catalogue-svc and webhook-svc, the list has actions on listings and members only.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Audit {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    filter: Filter,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List what members of staff did, newest first; `staff audit` alone does the same
    List(Filter),
}

#[derive(Debug, Args)]
struct Filter {
    /// Only actions of this member
    #[arg(long, default_value = "", hide_default_value = true)]
    member: String,
    /// Only this action
    #[arg(long, value_parser = any_service(|service| service.actions))]
    action: Option<String>,
    /// Only actions on entities of this kind
    #[arg(long, value_parser = any_service(|service| service.kinds))]
    kind: Option<String>,
    /// Only actions on the entity with this slug, handle, name, e-mail address or id
    #[arg(long, default_value = "", hide_default_value = true)]
    name: String,
    /// Only actions since this time, such as 2026-03-01T08:00:00Z
    #[arg(long, value_parser = timestamp)]
    since: Option<OffsetDateTime>,
    /// Rows at most
    #[arg(long, default_value = "50", value_parser = limit)]
    limit: NonZeroUsize,
}

#[derive(Debug, Serialize)]
struct LogEntry {
    at: Option<Timestamp>,
    member: String,
    role: String,
    action: String,
    kind: String,
    name: String,
    refused: bool,
    details: Value,
}

impl From<AuditEntry> for LogEntry {
    fn from(entry: AuditEntry) -> Self {
        Self {
            at: output::timestamp(entry.at),
            member: entry.member,
            role: entry.role,
            action: entry.action,
            kind: entry.entity,
            name: entry.name,
            refused: entry.refused,
            details: serde_json::from_str(&entry.details).unwrap_or_default(),
        }
    }
}

pub(crate) async fn run(audit: Audit, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let filter = match audit.command {
        Some(Command::List(filter)) => filter,
        None => audit.filter,
    };
    let listings = fleet.listings().await?;
    let is_at_listings = filter.may_match(&LISTINGS);
    let mut found = Found::default();
    // listings-svc refuses the name of a member that does not exist.
    if is_at_listings {
        let service = StaffAuditServiceClient::new(listings);
        let list = async |request| service.clone().list_audit(request).await;
        found.append(filter.read(list).await?);
    } else {
        filter.check_member(listings).await?;
    }
    // Without an address the list is incomplete; when only this service can have the entries, the missing address is an error.
    if filter.may_match(&GATEWAY) && (fleet.has_gateway() || !is_at_listings) {
        let service = GatewayStaffClient::new(fleet.gateway().await?);
        let list = async |request| service.clone().list_audit(request).await;
        found.append(filter.read(list).await?);
    }
    if filter.may_match(&ECONOMY) && (fleet.has_economy() || !is_at_listings) {
        let service = EconomyStaffClient::new(fleet.economy().await?);
        let list = async |request| service.clone().list_audit(request).await;
        found.append(filter.read(list).await?);
    }
    if filter.may_match(&CATALOGUE) && (fleet.has_catalogue() || !is_at_listings) {
        let service = CatalogueStaffClient::new(fleet.catalogue().await?);
        let list = async |request| service.clone().list_audit(request).await;
        found.append(filter.read(list).await?);
    }
    if filter.may_match(&WEBHOOK) && (fleet.has_webhook() || !is_at_listings) {
        let service = WebhookStaffClient::new(fleet.webhook().await?);
        let list = async |request| service.clone().list_audit(request).await;
        found.append(filter.read(list).await?);
    }
    let Found {
        mut entries,
        mut more,
    } = found;
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.at.as_ref().map(|at| at.0)));
    more |= entries.len() > filter.limit.get();
    entries.truncate(filter.limit.get());
    let document = serde_json::json!({ "entries": entries, "more": more });
    output.answer(&document, || entry_table(&entries))
}

/// Entries of one service or more, and whether there are more.
#[derive(Debug, Default)]
struct Found {
    entries: Vec<LogEntry>,
    more: bool,
}

impl Found {
    fn append(&mut self, other: Self) {
        self.entries.extend(other.entries);
        self.more |= other.more;
    }
}

impl Filter {
    /// Whether the audit log of a service can have matching entries.
    fn may_match(&self, service: &Vocabulary) -> bool {
        let has =
            |names: &[&str], name: Option<&str>| name.is_none_or(|name| names.contains(&name));
        has(service.actions, self.action.as_deref()) && has(service.kinds, self.kind.as_deref())
    }

    /// Refuses the name of a member that does not exist. Only listings-svc knows the members.
    async fn check_member(&self, listings: Client) -> Result<(), Error> {
        if self.member.is_empty() {
            return Ok(());
        }
        let request = ListAuditRequest {
            member: self.member.clone(),
            limit: 1,
            ..ListAuditRequest::default()
        };
        let mut service = StaffAuditServiceClient::new(listings);
        service.list_audit(request).await?;
        Ok(())
    }

    /// Reads the audit log of a service page by page, up to the limit.
    async fn read(
        &self,
        list: impl AsyncFn(ListAuditRequest) -> Result<Response<ListAuditResponse>, Status>,
    ) -> Result<Found, Error> {
        let mut entries: Vec<LogEntry> = Vec::new();
        let mut cursor = String::new();
        while entries.len() < self.limit.get() {
            let rest = self.limit.get() - entries.len();
            let request = ListAuditRequest {
                member: self.member.clone(),
                action: self.action.clone().unwrap_or_default(),
                entity: self.kind.clone().unwrap_or_default(),
                name: self.name.clone(),
                since: self.since.map(kit::timestamp::encode),
                limit: i32::try_from(rest).unwrap_or(PAGE_SIZE).clamp(1, PAGE_SIZE),
                cursor,
            };
            let response = list(request).await?.into_inner();
            entries.extend(response.entries.into_iter().map(LogEntry::from));
            cursor = response.next_cursor;
            if cursor.is_empty() {
                break;
            }
        }
        let more = !cursor.is_empty();
        Ok(Found { entries, more })
    }
}

fn entry_table(entries: &[LogEntry]) -> comfy_table::Table {
    let rows = entries.iter().map(|entry| {
        let refused = if entry.refused { ", refused" } else { "" };
        let reason = entry.details.get("reason").and_then(Value::as_str);
        [
            output::format_time(entry.at.as_ref()),
            entry.member.clone(),
            format!("{}{refused}", describe_action(entry)),
            entry.kind.clone(),
            entry.name.clone(),
            reason.unwrap_or_default().to_owned(),
        ]
    });
    table(["at", "member", "action", "kind", "name", "reason"], rows)
}

/// The action; for a switch, with its new state.
fn describe_action(entry: &LogEntry) -> String {
    let state = match entry.details.get("on").and_then(Value::as_bool) {
        Some(true) => " on",
        Some(false) => " off",
        None => "",
    };
    format!("{}{state}", entry.action)
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use serde_json::json;

    use super::vocabulary::ALL;
    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        audit: Audit,
    }

    #[test]
    fn an_action_and_a_kind_select_the_services() {
        for (line, expected) in [
            (&["audit"][..], [true; 5]),
            (&["audit", "--action", "look"], [true; 5]),
            (
                &["audit", "--action", "take_down"],
                [true, false, false, false, false],
            ),
            (
                &["audit", "--kind", "key_request"],
                [false, true, false, false, false],
            ),
            (
                &["audit", "--kind", "report"],
                [false, false, true, false, false],
            ),
            (
                &["audit", "--action", "void_votes"],
                [false, false, false, true, false],
            ),
            (
                &["audit", "--kind", "endpoint"],
                [false, true, false, false, true],
            ),
            (
                &["audit", "--action", "pause_endpoint"],
                [false, false, false, false, true],
            ),
            (&["audit", "--kind", "member"], [true; 5]),
            (
                &["audit", "--kind", "game", "--action", "set_switch"],
                [false; 5],
            ),
        ] {
            let Line { audit } = Line::try_parse_from(line).unwrap();
            let matching = ALL.map(|service| audit.filter.may_match(service));
            assert_eq!(matching, expected, "{line:?}");
        }
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_valid_ones() {
        for (option, valid) in [
            ("--kind", "game, event"),
            ("--action", "take_down, restore"),
        ] {
            let refused = Line::try_parse_from(["audit", option, "nonsense"]).unwrap_err();
            let sentence = refused.to_string();
            assert!(sentence.contains(valid), "{sentence}");
        }
    }

    #[test]
    fn the_action_of_a_switch_has_its_new_state() {
        for (details, expected) in [
            (json!({"on": true, "reason": ""}), "set_switch on"),
            (json!({"on": false}), "set_switch off"),
            (json!({"needs": "admin"}), "set_switch"),
        ] {
            let entry = AuditEntry {
                action: "set_switch".to_owned(),
                details: details.to_string(),
                ..AuditEntry::default()
            };
            assert_eq!(describe_action(&LogEntry::from(entry)), expected);
        }
    }
}
