//! The network policies, as a network plugin reads them.

use std::collections::BTreeSet;
use std::fs;

use kit::rpc::permissions::{self, STAFF, may_call};
use prost::Message as _;
use prost_types::FileDescriptorSet;
use serde_json::Value;

use super::kubernetes::{Manifests, name};
use super::{SERVICES, deploy, secrets, variables};

/// Those who call services, all of which but staff are called.
fn callers() -> impl Iterator<Item = &'static str> {
    permissions::SERVICES.into_iter().chain([STAFF])
}

/// The services that `caller` may call, by the table that every internal port enforces.
fn callees(caller: &str) -> BTreeSet<&'static str> {
    let files = FileDescriptorSet::decode(contracts::DESCRIPTORS).unwrap();
    let mut callees = BTreeSet::new();
    for file in &files.file {
        let package = file.package();
        for service in &file.service {
            for method in &service.method {
                let path = format!("/{package}.{}/{}", service.name(), method.name());
                let servers = permissions::SERVICES.into_iter().filter(|server| {
                    let schema = server.trim_end_matches("-svc");
                    // Each producer has the service of feeds.
                    let is_own = package.split('.').next() == Some(schema);
                    (is_own || service.name() == "FeedService") && may_call(caller, server, &path)
                });
                callees.extend(servers);
            }
        }
    }
    callees
}

#[test]
fn the_page_lists_the_calls() {
    let page = fs::read_to_string(deploy("KUBERNETES.md")).unwrap();
    let (_, section) = page.split_once("## Who calls whom").unwrap();
    let rows: Vec<Vec<&str>> = section
        .lines()
        .take_while(|line| !line.starts_with("## "))
        .filter(|line| line.starts_with("| "))
        .map(|line| line.split('|').map(str::trim).collect())
        .collect();
    for caller in callers() {
        let row = rows.iter().find(|row| row[1] == caller).unwrap();
        let names = row[2].split(", ").filter(|name| !name.is_empty());
        assert_eq!(names.collect::<BTreeSet<_>>(), callees(caller), "{caller}");
    }
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
