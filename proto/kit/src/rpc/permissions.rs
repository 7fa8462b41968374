//! Who may call what between the services: one table, which every gRPC port enforces. A call that it does not list is denied.

use http::HeaderMap;
use http::header::HeaderName;

/// The API.
pub const GATEWAY: &str = "gateway";
/// The dashboard and the public site.
pub const WEB: &str = "web";
/// The read model of listings, with the boards.
pub const CATALOGUE: &str = "catalogue-svc";
/// Listings and their review.
pub const LISTINGS: &str = "listings-svc";
/// Reports, rates, swaps and tips.
pub const ECONOMY: &str = "economy-svc";
/// Webhooks.
pub const WEBHOOK: &str = "webhook-svc";
/// Whoever holds a token of staff: the staff tool.
pub const STAFF: &str = "staff";

/// The services of the fleet.
pub const SERVICES: [&str; 6] = [GATEWAY, WEB, CATALOGUE, LISTINGS, ECONOMY, WEBHOOK];

/// The metadata key with the name of the service that calls.
pub(super) const CALLER: HeaderName = HeaderName::from_static("x-caller");

/// The service that anyone may call: load balancers have no token.
pub(super) const HEALTH: &str = "grpc.health.v1.Health";

const REFLECTION: &str = "grpc.reflection.v1.ServerReflection";
const FEED: &str = "common.v1.FeedService";

/// Whether `caller` may call the method at `path` of the service `server`.
pub fn may_call(caller: &str, server: &str, path: &str) -> bool {
    callers(server, path).contains(&caller)
}

/// The table: the callers of the method at `path` of the service `server`.
pub(super) fn callers(server: &str, path: &str) -> &'static [&'static str] {
    let (service, method) = split(path);
    match service {
        "catalogue.v1.CreatorsService"
        | "catalogue.v1.EventsService"
        | "catalogue.v1.GamesService"
        | "catalogue.v1.PlacesService"
        | "catalogue.v1.RankingsService"
        | "catalogue.v1.SearchService"
        | "economy.v1.CurrenciesService"
        | "economy.v1.RatesService"
        | "economy.v1.ReportsService"
        | "listings.v1.EventsService"
        | "listings.v1.GamesService"
        | "listings.v1.OwnListingsService" => &[GATEWAY, WEB],
        "economy.v1.HistoryService" | "economy.v1.TipsService" | "webhook.v1.MessagesService" => {
            &[GATEWAY]
        }
        "catalogue.v1.SiteService"
        | "catalogue.v1.VotesService"
        | "gateway.v1.AccountsService"
        | "listings.v1.OwnPicturesService"
        | "listings.v1.PagesService"
        | "listings.v1.PictureService"
        | "webhook.v1.ReceiversService" => &[WEB],
        "webhook.v1.DeliveriesService" | "webhook.v1.EndpointsService" => &[WEB, STAFF],
        "catalogue.v1.StaffService"
        | "economy.v1.StaffService"
        | "gateway.v1.StaffService"
        | "listings.v1.StaffAuditService"
        | "listings.v1.StaffImportService"
        | "listings.v1.StaffListingService"
        | "listings.v1.StaffMemberService"
        | "listings.v1.StaffPageService"
        | "listings.v1.StaffPictureService"
        | "listings.v1.StaffReviewService"
        | "web.v1.StaffService"
        | "webhook.v1.StaffService" => &[STAFF],
        FEED => feed_callers(server, method),
        REFLECTION => &[GATEWAY, WEB, CATALOGUE, LISTINGS, ECONOMY, WEBHOOK, STAFF],
        _ => &[],
    }
}

/// The followers of the change feed of `server`, the services that ask for its position while Redis does not have it, and those that list
/// some of its changes.
fn feed_callers(server: &str, method: &str) -> &'static [&'static str] {
    match (server, method) {
        (LISTINGS, "GetPosition") => &[GATEWAY, WEB],
        (LISTINGS, "Follow") => &[WEBHOOK, GATEWAY, CATALOGUE, ECONOMY],
        (GATEWAY | CATALOGUE | ECONOMY, "Follow") => &[WEBHOOK],
        (LISTINGS | GATEWAY | ECONOMY | WEBHOOK, "ListChanges") => &[WEB],
        _ => &[],
    }
}

/// The first caller of the method at `path`. The first follower of listings-svc follows every other feed too.
pub(super) fn first_caller(path: &str) -> Option<&'static str> {
    callers(LISTINGS, path).first().copied()
}

/// The service that a call says it comes from.
pub(super) fn caller(headers: &HeaderMap) -> Option<&'static str> {
    let name = headers.get(CALLER)?.as_bytes();
    SERVICES
        .into_iter()
        .find(|service| service.as_bytes() == name)
}

/// The service and the method of a path.
pub(super) fn split(path: &str) -> (&str, &str) {
    let path = path.strip_prefix('/').unwrap_or_default();
    path.split_once('/').unwrap_or((path, ""))
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::rpc::methods::METHODS;

    #[test]
    fn every_method_has_a_caller_somewhere() {
        for path in METHODS.iter().filter(|path| split(path).0 != HEALTH) {
            let mut servers = SERVICES.iter();
            assert!(
                servers.any(|server| !callers(server, path).is_empty()),
                "{path} is missing in the table"
            );
        }
        assert!(METHODS.len() > 100, "{METHODS:?}");
    }

    #[test]
    fn the_table_lists_no_caller_twice_and_no_other() {
        for path in &*METHODS {
            for server in SERVICES {
                let callers = callers(server, path);
                let once: BTreeSet<_> = callers.iter().collect();
                assert_eq!(once.len(), callers.len(), "{path}");
                for caller in callers {
                    let is_known = SERVICES.contains(caller) || *caller == STAFF;
                    assert!(is_known, "{path}: {caller}");
                }
            }
        }
    }

    /// The arrows between the services, without reflection.
    #[test]
    fn services_call_only_those_that_the_design_names() {
        let mut arrows: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for path in &*METHODS {
            let (service, _) = split(path);
            let server = match service.split('.').next() {
                Some("gateway") => GATEWAY,
                Some("catalogue") => CATALOGUE,
                Some("listings") => LISTINGS,
                Some("economy") => ECONOMY,
                Some("webhook") => WEBHOOK,
                Some("web") => WEB,
                _ => continue,
            };
            for &caller in callers(server, path) {
                arrows.entry(caller).or_default().insert(server);
            }
        }
        let all = || BTreeSet::from([GATEWAY, CATALOGUE, LISTINGS, ECONOMY, WEBHOOK]);
        let expected = BTreeMap::from([
            (GATEWAY, &all() - &BTreeSet::from([GATEWAY])),
            (WEB, all()),
            (STAFF, &all() | &BTreeSet::from([WEB])),
        ]);
        assert_eq!(arrows, expected);

        let follow = format!("/{FEED}/Follow");
        let follows = |caller: &str| -> Vec<&str> {
            let servers = SERVICES.into_iter();
            servers
                .filter(|server| may_call(caller, server, &follow))
                .collect()
        };
        for (caller, feeds) in [
            (GATEWAY, &[LISTINGS][..]),
            (WEB, &[]),
            (CATALOGUE, &[LISTINGS]),
            (LISTINGS, &[]),
            (ECONOMY, &[LISTINGS]),
            (WEBHOOK, &[GATEWAY, CATALOGUE, LISTINGS, ECONOMY]),
            (STAFF, &[]),
        ] {
            assert_eq!(follows(caller), feeds, "{caller}");
        }
    }

    #[test]
    fn only_an_exact_name_is_a_service() {
        let named = |name: &str| {
            let headers = HeaderMap::from_iter([(CALLER, name.parse().unwrap())]);
            caller(&headers)
        };
        for service in SERVICES {
            assert_eq!(named(service), Some(service));
        }
        for other in [STAFF, "", "Gateway", "gateway ", "gateway,web"] {
            assert_eq!(named(other), None, "{other}");
        }
        assert_eq!(caller(&HeaderMap::new()), None);
    }
}
