//! `staff audit`: the audit logs of all services, merged

use std::cmp::Reverse;
use std::num::NonZeroUsize;

use clap::{Args, Subcommand};
use contracts::common::v1::{AuditEntry, ListAuditRequest};
use kit::{Code, Fault};
use prost_reflect::{DynamicMessage, MethodDescriptor};
use serde_json::{Value, json};
use strum::VariantArray as _;
use time::OffsetDateTime;
use tonic::Status;

use crate::arguments::{limit, timestamp};
use crate::command_hint;
use crate::error::{Error, UnreachableService};
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::rpc::{answer, call, dynamic, method};
use crate::sanitize::sanitize;
use crate::service::Service;
use crate::table::table;

/// Lists what members of staff did, newest first
///
/// An admin sees the actions of all members, a reviewer their own. Actions that only read are logged when they are refused. A service
/// without an address is left out.
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
    /// Lists what members of staff did, newest first; `staff audit` alone does the same
    List(Filter),
}

#[derive(Debug, Args)]
struct Filter {
    /// Only actions of this member
    #[arg(long, default_value = "", hide_default_value = true)]
    member: String,
    /// Only this action, such as `take_down`; an unknown one is refused with the actions of each service
    #[arg(long, default_value = "", hide_default_value = true)]
    action: String,
    /// Only actions on entities of this kind, such as game; an unknown one is refused with the kinds of each service
    #[arg(long, default_value = "", hide_default_value = true)]
    kind: String,
    /// Only actions on the entity with this slug, handle, name, e-mail address or id
    #[arg(long, default_value = "", hide_default_value = true)]
    name: String,
    /// Only actions since this time, such as 2026-03-01T08:00:00Z
    #[arg(long, value_parser = timestamp)]
    since: Option<OffsetDateTime>,
    /// Rows at most
    #[arg(long, value_name = "N", default_value = "50", value_parser = limit)]
    limit: NonZeroUsize,
}

const COLUMNS: [&str; 6] = ["at", "member", "action", "kind", "name", "reason"];

pub(crate) async fn run(audit: Audit, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let filter = match audit.command {
        Some(Command::List(filter)) => filter,
        None => audit.filter,
    };
    let mut unreachable = UnreachableService::default();
    let (mut entries, mut more) = read(&filter, fleet, &mut unreachable).await?;
    if entries.is_empty() && !filter.member.is_empty() {
        let whole = Filter::for_member(filter.member.clone());
        if read(&whole, fleet, &mut unreachable).await?.0.is_empty() {
            unreachable.result()?;
            return Err(Error::Refused(format!(
                "the log has no entry of a member {}; {} shows the names of members",
                sanitize(&filter.member),
                command_hint::staff("audit list")
            )));
        }
    }
    entries.sort_by_key(|(entry, _)| Reverse(entry.at.map(|at| (at.seconds, at.nanos))));
    more |= entries.len() > filter.limit.get();
    entries.truncate(filter.limit.get());
    if more {
        output::note("the log has more entries; a larger --limit shows them");
    }
    let documents = entries.iter().map(|(entry, row)| {
        let mut document = answer::json(row);
        document["details"] = details(entry);
        document
    });
    let document = json!({ "entries": documents.collect::<Value>(), "more": more });
    let rows = entries.iter().map(|(entry, _)| texts(entry)).collect();
    output.line(&document, &table(&COLUMNS, rows).to_string())?;
    unreachable.result()
}

/// The entries that the services list, and whether a service has more of them.
async fn read(
    filter: &Filter,
    fleet: &Fleet,
    unreachable: &mut UnreachableService,
) -> Result<(Vec<(AuditEntry, DynamicMessage)>, bool), Error> {
    let (mut entries, mut more) = (Vec::new(), false);
    // A service refuses an action or a kind that it does not have. The others may have it.
    let (mut is_known, mut refusals) = (false, Vec::new());
    // Staff change nothing in webhook-svc.
    let services = Service::VARIANTS.iter().copied().filter(|it| *it != Service::Webhook);
    for service in services.filter(|it| *it == Service::Listings || fleet.has(*it)) {
        let Some(client) = unreachable.skip(service, fleet.client(service).await)? else {
            continue;
        };
        let (method, request) = (list_audit(service)?, filter.request()?);
        let listed = match call::pages(client, &method, request, filter.limit).await {
            Ok(listed) => Ok(listed),
            Err(status) => match unknown_name(status) {
                Ok(fault) => {
                    let refusal = Error::from(fault).preceded_by(service.as_str());
                    refusals.push(refusal.to_string());
                    continue;
                }
                Err(status) => Err(status.into()),
            },
        };
        let Some(listed) = unreachable.skip(service, listed)? else {
            continue;
        };
        is_known = true;
        more |= listed.more == Some(true);
        entries.extend(listed.rows());
    }
    if !is_known {
        std::mem::take(unreachable).result()?;
        return Err(Error::usage(refusals.join("; ")));
    }
    let read = |row: DynamicMessage| row.transcode_to().map(|entry: AuditEntry| (entry, row));
    let entries = entries.into_iter().filter_map(|row| read(row).ok());
    Ok((entries.collect(), more))
}

fn texts(entry: &AuditEntry) -> Vec<String> {
    let details = details(entry);
    let reason = details.get("reason").and_then(Value::as_str);
    let refused = if entry.refused { ", refused" } else { "" };
    vec![
        output::format_time(entry.at),
        entry.member.clone(),
        format!("{}{refused}", describe_action(entry)),
        entry.entity.clone(),
        entry.name.clone(),
        reason.unwrap_or_default().to_owned(),
    ]
}

impl Filter {
    /// Finds whether a member has an entry.
    fn for_member(member: String) -> Self {
        Self {
            member,
            action: String::new(),
            kind: String::new(),
            name: String::new(),
            since: None,
            limit: NonZeroUsize::MIN,
        }
    }

    fn request(&self) -> Result<DynamicMessage, Error> {
        let request = ListAuditRequest {
            member: self.member.clone(),
            action: self.action.clone(),
            entity: self.kind.clone(),
            name: self.name.clone(),
            since: self.since.map(kit::api::timestamp::encode),
            ..ListAuditRequest::default()
        };
        dynamic("common.v1.ListAuditRequest", &request)
    }
}

/// The method that lists the audit log of a service.
fn list_audit(service: Service) -> Result<MethodDescriptor, Error> {
    let staff = match service {
        Service::Listings => "StaffAuditService",
        _ => "StaffService",
    };
    method(&format!("{}.v1.{staff}", service.as_str()), "ListAudit")
}

/// The fault, if the service has no such action or kind of entity; otherwise the status unchanged.
fn unknown_name(status: Status) -> Result<Fault, Status> {
    let fault = Fault::from(status.clone());
    let is_name = |field: &String| field == "action" || field == "entity";
    let is_unknown =
        fault.code == Code::Invalid && !fault.fields.is_empty() && fault.fields.keys().all(is_name);
    if is_unknown { Ok(fault) } else { Err(status) }
}

fn details(entry: &AuditEntry) -> Value {
    serde_json::from_str(&entry.details).unwrap_or_default()
}

/// The action; for a switch, with its new state.
fn describe_action(entry: &AuditEntry) -> String {
    let state = match details(entry).get("on").and_then(Value::as_bool) {
        Some(true) => " on",
        Some(false) => " off",
        None => "",
    };
    format!("{}{state}", entry.action)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
            assert_eq!(describe_action(&entry), expected);
        }
    }
}
