//! `staff audit`

use std::num::NonZeroUsize;

use clap::Args;
use clap::builder::PossibleValuesParser;
use contracts::catalogue::v1::staff_service_client::StaffServiceClient as OfCatalogue;
use contracts::common::v1::{AuditEntry, ListAuditRequest, ListAuditResponse};
use contracts::economy::v1::staff_service_client::StaffServiceClient as OfEconomy;
use contracts::gateway::v1::staff_service_client::StaffServiceClient;
use contracts::listings::v1::staff_audit_service_client::StaffAuditServiceClient;
use contracts::public::Timestamp;
use contracts::webhook::v1::staff_service_client::StaffServiceClient as OfWebhooks;
use kit::rpc::client::Client;
use serde::Serialize;
use serde_json::Value;
use time::format_description::well_known::Rfc3339;
use time::{OffsetDateTime, UtcOffset};
use tonic::{Response, Status};

use super::arguments::rows;
use super::fleet::Fleet;
use super::output::{self, Output};
use super::problem::Problem;
use super::table::table;

/// Rows asked for at once.
const PAGE: i32 = 100;

/// What staff do at a service, and to what.
struct Recorded {
    actions: &'static [&'static str],
    kinds: &'static [&'static str],
}

const BY_LISTINGS: Recorded = Recorded {
    actions: &[
        "look",
        "approve",
        "reject",
        "edit",
        "take_down",
        "restore",
        "feature",
        "reassign",
        "grant_claim",
        "reject_claim",
        "import",
        "create_member",
        "set_role",
        "revoke_member",
        "list_members",
        "read_audit",
    ],
    kinds: &[
        "page", "game", "event", "genre", "country", "city", "member", "claim",
    ],
};

const BY_THE_GATEWAY: Recorded = Recorded {
    actions: &[
        "look",
        "create_account",
        "set_plan",
        "create_key",
        "rotate_key",
        "revoke_key",
        "request_key",
        "approve_key",
        "reject_key",
        "reveal_key",
        "set_switch",
        "read_audit",
    ],
    kinds: &["account", "plan", "key", "key_request", "switch", "member"],
};

const BY_THE_ECONOMY: Recorded = Recorded {
    actions: &[
        "look",
        "set_currency",
        "approve_report",
        "reject_report",
        "import_swaps",
        "read_audit",
    ],
    kinds: &["currency", "report", "swap", "member"],
};

const BY_THE_CATALOGUE: Recorded = Recorded {
    actions: &["look", "void_votes", "restore_votes", "read_audit"],
    kinds: &["voter", "member"],
};

const BY_WEBHOOKS: Recorded = Recorded {
    actions: &[
        "look",
        "add_endpoint",
        "change_endpoint",
        "pause_endpoint",
        "resume_endpoint",
        "rotate_secret",
        "switch_secret",
        "remove_endpoint",
        "send_again",
        "recover",
        "send_test_event",
        "read_audit",
    ],
    kinds: &["endpoint", "account", "member"],
};

const ALL: [&Recorded; 5] = [
    &BY_LISTINGS,
    &BY_THE_GATEWAY,
    &BY_THE_ECONOMY,
    &BY_THE_CATALOGUE,
    &BY_WEBHOOKS,
];

/// Takes one of the names that any service knows.
fn any(of: fn(&Recorded) -> &'static [&'static str]) -> PossibleValuesParser {
    let mut names: Vec<&str> = Vec::new();
    for service in ALL {
        let more = of(service).iter().filter(|name| !names.contains(name));
        let more: Vec<&str> = more.copied().collect();
        names.extend(more);
    }
    PossibleValuesParser::new(names)
}

/// What the staff did, the newest first
///
/// An admin sees everybody's actions, a reviewer their own. Actions that only read are recorded when they are refused. Without the
/// addresses of the gateway, economy-svc, catalogue-svc and webhook-svc, only actions with listings and members are shown.
#[derive(Debug, Args)]
pub(crate) struct Audit {
    /// Only of this member
    #[arg(long, default_value = "", hide_default_value = true)]
    member: String,
    /// Only this action
    #[arg(long, value_parser = any(|service| service.actions))]
    action: Option<String>,
    /// Only to what is of this kind
    #[arg(long, value_parser = any(|service| service.kinds))]
    kind: Option<String>,
    /// Only to what has this slug, handle, name, e-mail address or id
    #[arg(long, default_value = "", hide_default_value = true)]
    name: String,
    /// Only since then, such as 2026-03-01T08:00:00Z
    #[arg(long, value_parser = moment)]
    since: Option<OffsetDateTime>,
    /// Rows at most
    #[arg(long, default_value = "50", value_parser = rows)]
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

impl From<AuditEntry> for Deed {
    fn from(entry: AuditEntry) -> Self {
        Self {
            at: output::moment(entry.at),
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

pub(crate) async fn run(audit: Audit, fleet: &Fleet, output: Output) -> Result<(), Problem> {
    let listings = fleet.listings().await?;
    let (mut deeds, mut more) = (Vec::new(), false);
    let is_at_listings = audit.is_recorded(&BY_LISTINGS);
    // listings-svc refuses a name that no member has.
    if is_at_listings {
        (deeds, more) = at_listings(&audit, listings).await?;
    } else {
        audit.check_member(listings).await?;
    }
    if audit.is_recorded(&BY_THE_GATEWAY) {
        let gateway = if is_at_listings {
            fleet.gateway_if_known().await?
        } else {
            Some(fleet.gateway().await?)
        };
        if let Some(client) = gateway {
            let (others, more_others) = at_the_gateway(&audit, client).await?;
            deeds.extend(others);
            more |= more_others;
        }
    }
    if audit.is_recorded(&BY_THE_ECONOMY) {
        let economy = if is_at_listings {
            fleet.economy_if_known().await?
        } else {
            Some(fleet.economy().await?)
        };
        if let Some(client) = economy {
            let (others, more_others) = at_the_economy(&audit, client).await?;
            deeds.extend(others);
            more |= more_others;
        }
    }
    if audit.is_recorded(&BY_THE_CATALOGUE) {
        let catalogue = if is_at_listings {
            fleet.catalogue_if_known().await?
        } else {
            Some(fleet.catalogue().await?)
        };
        if let Some(client) = catalogue {
            let (others, more_others) = at_the_catalogue(&audit, client).await?;
            deeds.extend(others);
            more |= more_others;
        }
    }
    if audit.is_recorded(&BY_WEBHOOKS) {
        let webhook = if is_at_listings {
            fleet.webhook_if_known().await?
        } else {
            Some(fleet.webhook().await?)
        };
        if let Some(client) = webhook {
            let (others, more_others) = at_webhooks(&audit, client).await?;
            deeds.extend(others);
            more |= more_others;
        }
    }
    // Each has sent its own, the newest first.
    deeds.sort_by_key(|deed| std::cmp::Reverse(deed.at.as_ref().map(|at| at.0)));
    more |= deeds.len() > audit.limit.get();
    deeds.truncate(audit.limit.get());
    let document = serde_json::json!({ "deeds": deeds, "more": more });
    output.answer(&document, || listed(&deeds))
}

/// Actions, and whether there are more.
type Found = (Vec<Deed>, bool);

async fn at_listings(audit: &Audit, client: Client) -> Result<Found, Problem> {
    let service = StaffAuditServiceClient::new(client);
    audit
        .follow(async |request| service.clone().list_audit(request).await)
        .await
}

async fn at_the_gateway(audit: &Audit, client: Client) -> Result<Found, Problem> {
    let service = StaffServiceClient::new(client);
    audit
        .follow(async |request| service.clone().list_audit(request).await)
        .await
}

async fn at_the_economy(audit: &Audit, client: Client) -> Result<Found, Problem> {
    let service = OfEconomy::new(client);
    audit
        .follow(async |request| service.clone().list_audit(request).await)
        .await
}

async fn at_the_catalogue(audit: &Audit, client: Client) -> Result<Found, Problem> {
    let service = OfCatalogue::new(client);
    audit
        .follow(async |request| service.clone().list_audit(request).await)
        .await
}

async fn at_webhooks(audit: &Audit, client: Client) -> Result<Found, Problem> {
    let service = OfWebhooks::new(client);
    audit
        .follow(async |request| service.clone().list_audit(request).await)
        .await
}

impl Audit {
    /// Whether a service may have rows that are asked for.
    fn is_recorded(&self, by: &Recorded) -> bool {
        let has =
            |names: &[&str], name: Option<&str>| name.is_none_or(|name| names.contains(&name));
        has(by.actions, self.action.as_deref()) && has(by.kinds, self.kind.as_deref())
    }

    /// Refuses a name that no member has. listings-svc has the members, whichever service has recorded what they did.
    async fn check_member(&self, listings: Client) -> Result<(), Problem> {
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

    /// Reads a service's list page by page, as far as is wanted.
    async fn follow(
        &self,
        list: impl AsyncFn(ListAuditRequest) -> Result<Response<ListAuditResponse>, Status>,
    ) -> Result<Found, Problem> {
        let mut deeds: Vec<Deed> = Vec::new();
        let mut cursor = String::new();
        while deeds.len() < self.limit.get() {
            let request = ListAuditRequest {
                member: self.member.clone(),
                action: self.action.clone().unwrap_or_default(),
                entity: self.kind.clone().unwrap_or_default(),
                name: self.name.clone(),
                since: self.since.map(kit::timestamp::encode),
                limit: self.rest(deeds.len()),
                cursor,
            };
            let answer = list(request).await?.into_inner();
            deeds.extend(answer.entries.into_iter().map(Deed::from));
            cursor = answer.next_cursor;
            if cursor.is_empty() {
                break;
            }
        }
        Ok((deeds, !cursor.is_empty()))
    }

    /// How many are asked for next, when there are so many.
    fn rest(&self, found: usize) -> i32 {
        let rest = self.limit.get().saturating_sub(found);
        i32::try_from(rest).unwrap_or(PAGE).clamp(1, PAGE)
    }
}

fn listed(deeds: &[Deed]) -> comfy_table::Table {
    let rows = deeds.iter().map(|deed| {
        let refused = if deed.refused { ", refused" } else { "" };
        let reason = deed.details.get("reason").and_then(Value::as_str);
        [
            output::shown(deed.at.as_ref()),
            deed.member.clone(),
            format!("{}{refused}", named(deed)),
            deed.kind.clone(),
            deed.name.clone(),
            reason.unwrap_or_default().to_owned(),
        ]
    });
    table(["at", "member", "deed", "kind", "name", "reason"], rows)
}

/// The action; of a switch, with what it was turned to.
fn named(deed: &Deed) -> String {
    let turned = match deed.details.get("on").and_then(Value::as_bool) {
        Some(true) => " on",
        Some(false) => " off",
        None => "",
    };
    format!("{}{turned}", deed.action)
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        audit: Audit,
    }

    #[test]
    fn an_action_and_a_kind_tell_which_service_is_asked() {
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
                [false, false, false, false, true],
            ),
            (&["audit", "--kind", "member"], [true; 5]),
            (
                &["audit", "--kind", "game", "--action", "set_switch"],
                [false; 5],
            ),
        ] {
            let Line { audit } = Line::try_parse_from(line).unwrap();
            let asked = ALL.map(|service| audit.is_recorded(service));
            assert_eq!(asked, expected, "{line:?}");
        }
    }

    #[test]
    fn an_unknown_kind_is_refused_with_the_known_ones() {
        for (option, known) in [
            ("--kind", "game, event"),
            ("--action", "take_down, restore"),
        ] {
            let refused = Line::try_parse_from(["audit", option, "nonsense"]).unwrap_err();
            let sentence = refused.to_string();
            assert!(sentence.contains(known), "{sentence}");
        }
    }

    #[test]
    fn a_switch_says_what_it_was_turned_to() {
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
            assert_eq!(named(&Deed::from(entry)), expected);
        }
    }
}
