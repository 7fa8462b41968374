//! `staff audit`: the audit logs of all services, merged

use std::cell::Cell;
use std::num::NonZeroUsize;

use clap::{Args, Subcommand};
use contracts::catalogue::v1::staff_service_client::StaffServiceClient as CatalogueStaffClient;
use contracts::common::v1::{AuditEntry, ListAuditRequest, PageRequest};
use contracts::economy::v1::staff_service_client::StaffServiceClient as EconomyStaffClient;
use contracts::gateway::v1::staff_service_client::StaffServiceClient as GatewayStaffClient;
use contracts::listings::v1::staff_audit_service_client::StaffAuditServiceClient;
use contracts::web::v1::staff_service_client::StaffServiceClient as WebStaffClient;
use kit::rpc::client::Client;
use kit::{Code, Fault};
use serde_json::Value;
use strum::VariantArray as _;
use time::OffsetDateTime;
use tonic::Status;

use crate::arguments::{limit, timestamp};
use crate::error::{Error, UnreachableService};
use crate::fleet::Fleet;
use crate::output::{self, Output, RowList};
use crate::rows;
use crate::service::Service;
use crate::table::Column;

/// List what members of staff did, newest first
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
    /// List what members of staff did, newest first; `staff audit` alone does the same
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
    #[arg(long, default_value = "50", value_parser = limit)]
    limit: NonZeroUsize,
}

const COLUMNS: &[Column<AuditEntry>] = &[
    ("at", |it| output::format_time(it.at)),
    ("member", |it| it.member.clone()),
    ("action", |it| {
        let refused = if it.refused { ", refused" } else { "" };
        format!("{}{refused}", describe_action(it))
    }),
    ("kind", |it| it.entity.clone()),
    ("name", |it| it.name.clone()),
    ("reason", |it| {
        let details = details(it);
        let reason = details.get("reason").and_then(Value::as_str);
        reason.unwrap_or_default().to_owned()
    }),
];

pub(crate) async fn run(audit: Audit, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let filter = match audit.command {
        Some(Command::List(filter)) => filter,
        None => audit.filter,
    };
    let (mut entries, mut more) = (Vec::new(), false);
    // A service refuses an action or a kind that it does not have. The others may have it.
    let (mut is_known, mut refusals) = (false, Vec::new());
    let mut unreachable = UnreachableService::default();
    // Staff change nothing in webhook-svc.
    let services = Service::VARIANTS.iter().copied();
    let services = services.filter(|it| *it != Service::Webhook);
    for service in services.filter(|it| *it == Service::Listings || fleet.has(*it)) {
        let Some(client) = unreachable.skip(service, fleet.client(service).await)? else {
            continue;
        };
        let unknown = Cell::new(None);
        let read = async |page: PageRequest| {
            let listed = list(service, client.clone(), filter.request(page)).await;
            listed.or_else(|status| {
                unknown.set(Some(unknown_name(status)?));
                Ok((Vec::new(), String::new()))
            })
        };
        let Some(list) = unreachable.skip(service, rows::read(filter.limit, read).await)? else {
            continue;
        };
        entries.extend(list.rows);
        more |= list.more;
        match unknown.take() {
            None => is_known = true,
            Some(fault) => {
                if service == Service::Listings {
                    filter.check_member(client).await?;
                }
                let refusal = Error::from(fault).preceded_by(service.as_str());
                refusals.push(refusal.to_string());
            }
        }
    }
    if !is_known {
        unreachable.result()?;
        return Err(Error::usage(refusals.join("; ")));
    }
    let time = |entry: &AuditEntry| entry.at.map(|at| (at.seconds, at.nanos));
    entries.sort_by_key(|entry| std::cmp::Reverse(time(entry)));
    more |= entries.len() > filter.limit.get();
    entries.truncate(filter.limit.get());
    let list = RowList {
        rows: entries,
        more,
    };
    output.list("entries", &list, COLUMNS)?;
    unreachable.result()
}

impl Filter {
    fn request(&self, page: PageRequest) -> ListAuditRequest {
        ListAuditRequest {
            member: self.member.clone(),
            action: self.action.clone(),
            entity: self.kind.clone(),
            name: self.name.clone(),
            since: self.since.map(kit::timestamp::encode),
            limit: page.limit.cast_signed(),
            cursor: page.cursor,
        }
    }

    /// Refuses the name of a member that does not exist. Only listings-svc knows the members.
    async fn check_member(&self, listings: Client) -> Result<(), Error> {
        let request = ListAuditRequest {
            member: self.member.clone(),
            limit: 1,
            ..ListAuditRequest::default()
        };
        list(Service::Listings, listings, request).await?;
        Ok(())
    }
}

/// Lists a page of the audit log of a service: its entries, and the cursor of the next page.
async fn list(
    service: Service,
    client: Client,
    request: ListAuditRequest,
) -> Result<(Vec<AuditEntry>, String), Status> {
    let response = match service {
        Service::Gateway => GatewayStaffClient::new(client).list_audit(request).await,
        Service::Listings => {
            StaffAuditServiceClient::new(client)
                .list_audit(request)
                .await
        }
        Service::Economy => EconomyStaffClient::new(client).list_audit(request).await,
        Service::Catalogue => CatalogueStaffClient::new(client).list_audit(request).await,
        Service::Webhook => return Ok((Vec::new(), String::new())),
        Service::Web => WebStaffClient::new(client).list_audit(request).await,
    };
    let response = response?.into_inner();
    Ok((response.entries, response.next_cursor))
}

/// The fault of a service that has no such action or kind of entity; another error as it is.
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
