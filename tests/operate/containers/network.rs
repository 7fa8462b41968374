//! The network policies, as a network plugin reads them.

use std::collections::BTreeSet;
use std::fs;

use kit::rpc::permissions::{self, STAFF};
use serde_json::Value;

use super::kubernetes::{Manifests, name};
use super::{SERVICES, deploy, secrets, variables};

/// Those who call services, all of which but staff are called.
fn callers() -> impl Iterator<Item = &'static str> {
    permissions::SERVICES.into_iter().chain([STAFF])
}

/// The services that `caller` calls, by the page.
fn callees(caller: &str) -> BTreeSet<&'static str> {
    let page = fs::read_to_string(deploy("KUBERNETES.md")).unwrap();
    let (_, section) = page.split_once("## Who calls whom").unwrap();
    let mut rows = section.lines().map(|line| line.split('|').map(str::trim));
    let mut row = rows.find(|row| row.clone().nth(1) == Some(caller)).unwrap();
    let names: Vec<&str> = row.nth(2).unwrap_or_default().split(", ").collect();
    let services = permissions::SERVICES.into_iter();
    services.filter(|service| names.contains(service)).collect()
}

/// A direction of traffic: the names of its rules, and of the peers in a rule.
#[derive(Clone, Copy)]
struct Direction {
    rules: &'static str,
    peers: &'static str,
}

const INGRESS: Direction = Direction {
    rules: "ingress",
    peers: "from",
};
const EGRESS: Direction = Direction {
    rules: "egress",
    peers: "to",
};

/// Whether a selector of pods selects those of `app`.
fn selects(selector: &Value, app: &str) -> bool {
    let labels = [
        ("app.kubernetes.io/name", app),
        ("app.kubernetes.io/part-of", "mchezo"),
    ];
    let value = |key: &str| labels.iter().find(|label| label.0 == key).map(|it| it.1);
    let wanted = selector["matchLabels"].as_object();
    let has_labels =
        (wanted.into_iter().flatten()).all(|(key, wanted)| value(key) == wanted.as_str());
    let expressions = selector["matchExpressions"].as_array();
    has_labels
        && (expressions.into_iter().flatten()).all(|expression| {
            assert_eq!(expression["operator"], "In");
            let is_value = |it: &Value| value(expression["key"].as_str().unwrap()) == it.as_str();
            expression["values"]
                .as_array()
                .unwrap()
                .iter()
                .any(is_value)
        })
}

/// Whether the rules of `app` in one direction allow traffic on `port` with `peer`, or with any address when that is `None`.
fn allows(
    policies: &[&Value],
    direction: Direction,
    app: &str,
    peer: Option<&str>,
    port: u16,
) -> bool {
    let policies = (policies.iter()).filter(|policy| selects(&policy["spec"]["podSelector"], app));
    let rules = policies.filter_map(|policy| policy["spec"][direction.rules].as_array());
    rules.flatten().any(|rule| {
        let mut ports = rule["ports"].as_array().into_iter().flatten();
        let is_peer = match (rule[direction.peers].as_array(), peer) {
            (None, _) => true,
            // A peer without a namespace is a pod of this one. The blocks of addresses are public ones.
            (Some(peers), Some(peer)) => (peers.iter()).any(|it| {
                it["namespaceSelector"].is_null()
                    && it["ipBlock"].is_null()
                    && selects(&it["podSelector"], peer)
            }),
            (Some(_), None) => false,
        };
        is_peer && ports.any(|it| it["port"] == port)
    })
}

#[tokio::test]
#[ignore = "long: kubectl from the Python package index"]
async fn pods_reach_what_their_service_calls_and_nothing_else() {
    let manifests = Manifests::of("kubernetes").await;
    let policies: Vec<_> = manifests.of_kind("NetworkPolicy").collect();
    let denies_all = |policy: &Value| {
        let spec = &policy["spec"];
        let selector = spec["podSelector"].as_object();
        selector.is_some_and(serde_json::Map::is_empty)
            && spec["policyTypes"] == serde_json::json!(["Ingress", "Egress"])
    };
    assert!(policies.iter().copied().any(denies_all));
    for caller in callers() {
        for port in [7000, 8080, 9000, 5432, 6379, 443] {
            let reached: BTreeSet<_> = callers()
                .filter(|callee| {
                    allows(&policies, EGRESS, caller, Some(callee), port)
                        && allows(&policies, INGRESS, callee, Some(caller), port)
                })
                .collect();
            let expected = if port == 7000 {
                callees(caller)
            } else {
                BTreeSet::new()
            };
            assert_eq!(reached, expected, "{caller}, port {port}");
        }
    }
}

#[tokio::test]
#[ignore = "long: kubectl from the Python package index"]
async fn only_services_with_an_address_of_redis_reach_it() {
    let manifests = Manifests::of("kubernetes").await;
    let policies: Vec<_> = manifests.of_kind("NetworkPolicy").collect();
    let secrets = secrets().await;
    for (service, prefix) in SERVICES {
        let secret = variables(&secrets.path().join(format!("{service}.env")));
        let reaches = |port| allows(&policies, EGRESS, service, None, port);
        let has = |name: &str| secret.contains_key(&format!("{prefix}{name}"));
        assert_eq!(reaches(6379), has("REDIS_URL"), "{service}");
        assert!(reaches(5432) && has("DATABASE_URL"), "{service}");
    }
    for job in Manifests::of("kubernetes/migrations").await.of_kind("Job") {
        let labels = &job["spec"]["template"]["metadata"]["labels"];
        let app = labels["app.kubernetes.io/name"].as_str().unwrap();
        assert!(allows(&policies, EGRESS, app, None, 5432), "{}", name(job));
        assert!(!allows(&policies, EGRESS, app, None, 6379), "{}", name(job));
    }
}
