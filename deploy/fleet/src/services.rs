//! The services: their names, settings and replicas.

use std::collections::BTreeMap;
use std::env;
use std::net::{Ipv4Addr, TcpStream};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use nix::sys::signal::Signal;
use servers::ServerUser;

use crate::folder::Folder;
use crate::manifest::{self, Manifest};
use crate::ports::Ports;
use crate::process::Spec;

/// A service.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Service {
    /// The name of its binary.
    pub(crate) name: &'static str,
    /// The services that it calls; each has a setting `<PREFIX>_<SCHEMA>_ADDRESSES`.
    calls: &'static [&'static str],
    /// Whether it has a setting `<PREFIX>_REDIS_URL`.
    redis: bool,
}

/// All services. Each comes after those that it calls, as far as possible: gateway and webhook-svc call each other.
#[rustfmt::skip]
pub(crate) const SERVICES: [Service; 6] = [
    Service { name: "listings-svc", calls: &[], redis: true },
    Service { name: "catalogue-svc", calls: &["listings-svc"], redis: false },
    Service { name: "economy-svc", calls: &["listings-svc"], redis: false },
    Service { name: "gateway", calls: &["catalogue-svc", "listings-svc", "economy-svc", "webhook-svc"], redis: true },
    Service { name: "webhook-svc", calls: &["listings-svc", "economy-svc", "catalogue-svc", "gateway"], redis: false },
    Service { name: WEB, calls: &["gateway", "listings-svc", "catalogue-svc", "economy-svc", "webhook-svc"], redis: true },
];

impl Service {
    /// The name of its schema and of its role: `catalogue`.
    pub(crate) fn schema(&self) -> &'static str {
        self.name.trim_end_matches("-svc")
    }

    /// Whether it calls another service.
    pub(crate) fn calls(&self, other: &Self) -> bool {
        self.calls.contains(&other.name)
    }

    /// The prefix of its settings: `CATALOGUE`.
    pub(crate) fn prefix(&self) -> String {
        self.schema().to_uppercase()
    }
}

/// The service with this name.
fn find(name: &str) -> Option<&'static Service> {
    SERVICES.iter().find(|service| service.name == name)
}

/// The service of the dashboard.
pub(crate) const WEB: &str = "web";
/// The services with a public port.
const PUBLIC: [&str; 2] = ["gateway", WEB];

/// The name of the secret that encrypts the signing secrets of webhooks.
pub(crate) const SIGNING_KEY: &str = "webhook";
/// The name of the secret that encrypts the secrets of authenticator apps.
pub(crate) const PEOPLE_KEY: &str = "web";

/// Where a receiver of webhooks on this machine may listen.
const RECEIVER: &str = "http://127.0.0.1:9500";

/// The number of processes of each service that has more than one.
pub(crate) type Replicas = BTreeMap<&'static str, u16>;

fn replicas_of(service: &Service, replicas: &Replicas) -> u16 {
    replicas.get(service.name).copied().unwrap_or(1)
}

/// `webhook-svc=3` → the service and the number of its processes.
pub(crate) fn parse_replicas(text: &str) -> Result<(&'static str, u16), String> {
    let parse = || {
        let (name, count) = text.split_once('=')?;
        let count = count.parse().ok()?;
        Some((find(name)?.name, count)).filter(|(_, count)| (1..=20).contains(count))
    };
    let names = SERVICES.map(|service| service.name).join(", ");
    parse().ok_or_else(|| {
        format!("write it as webhook-svc=3, with 1 to 20 replicas of one of {names}")
    })
}

/// One process of a service, with its ports.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub(crate) service: &'static Service,
    pub(crate) replica: u16,
    pub(crate) grpc: u16,
    pub(crate) admin: u16,
    /// The public port, which only the gateway and the dashboard have.
    pub(crate) http: Option<u16>,
}

impl Instance {
    /// The name in logs and messages: `webhook-svc`, `webhook-svc-2`.
    pub(crate) fn name(&self) -> String {
        manifest::replica_name(self.service.name, self.replica)
    }

    /// Whether other services can connect to it.
    pub(crate) fn listens(&self) -> bool {
        TcpStream::connect((Ipv4Addr::LOCALHOST, self.grpc)).is_ok()
    }

    /// The address for other services.
    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.grpc)
    }

    /// The entry in `fleet.json`.
    pub(crate) fn entry(&self, pid: Option<u32>) -> manifest::Service {
        let url = |port: u16| format!("http://127.0.0.1:{port}");
        let admin = url(self.admin);
        manifest::Service {
            name: self.service.name.to_owned(),
            replica: self.replica,
            pid,
            grpc: self.address(),
            http: self.http.map(url),
            metrics: format!("{admin}/metrics"),
            health: format!("{admin}/healthz"),
            ready: format!("{admin}/readyz"),
        }
    }
}

/// The number of a port among the private ports of a fleet; those of the servers come before those of the services.
pub(crate) const POSTGRES_PORT: u16 = 0;
pub(crate) const REDIS_PORT: u16 = 1;

/// The number of the first private port of a process. Each has three: gRPC, admin and HTTP. The ports of the first replicas come
/// first, so that more replicas do not change them.
fn port_number(service: usize, replica: u16) -> u16 {
    let process = SERVICES.len() * (usize::from(replica) - 1) + service;
    u16::try_from(2 + 3 * process).unwrap_or(u16::MAX)
}

/// The number of private ports.
pub(crate) fn port_count(replicas: &Replicas) -> u16 {
    let replicas = SERVICES.iter().map(|service| replicas_of(service, replicas));
    port_number(0, replicas.max().unwrap_or(1) + 1)
}

/// All processes of services, with their private ports.
pub(crate) fn instances(replicas: &Replicas, ports: &Ports) -> Vec<Instance> {
    let mut instances = Vec::new();
    for (index, service) in SERVICES.iter().enumerate() {
        for replica in 1..=replicas_of(service, replicas) {
            let first = ports.private(port_number(index, replica));
            instances.push(Instance {
                service,
                replica,
                grpc: first,
                admin: first + 1,
                http: PUBLIC.contains(&service.name).then_some(first + 2),
            });
        }
    }
    instances
}

/// The parts of [`Spec`] that all services share.
pub(crate) struct Shared<'a> {
    pub(crate) folder: &'a Folder,
    pub(crate) binaries: &'a Path,
    pub(crate) plans: Option<PathBuf>,
    /// The address of the public pages in listings: that of `web`, or of the fleet whose data were copied.
    pub(crate) public_url: String,
    /// The address of `web`: the public pages and the dashboard.
    pub(crate) dashboard_url: String,
}

/// How to start one process: its program, and the settings that the launcher decides. Other settings, such as `GATEWAY_LOG`, come from the
/// user's environment.
pub(crate) fn spec(instance: &Instance, shared: &Shared<'_>, manifest: &Manifest) -> Result<Spec> {
    let service = instance.service;
    let prefix = service.prefix();
    let database =
        manifest.database_urls.get(service.schema()).context("a service has no database URL")?;
    let mut settings = vec![
        ("PROFILE", "local".to_owned()),
        ("GRPC_LISTEN", format!("127.0.0.1:{}", instance.grpc)),
        ("ADMIN_LISTEN", format!("127.0.0.1:{}", instance.admin)),
        ("DATABASE_URL", database.clone()),
        ("FLEET_TOKEN", manifest.fleet_token.clone()),
        ("STAFF_TOKEN", manifest.staff_token.clone()),
        ("STAFF_MEMBERS", text(shared.folder.staff_members())?),
        ("CLOCK_FILE", text(shared.folder.clock())?),
        (
            "PUBLIC_URL",
            if service.name == WEB {
                shared.dashboard_url.clone()
            } else {
                shared.public_url.clone()
            },
        ),
    ];
    if service.redis {
        settings.push(("REDIS_URL", manifest.redis_url.clone()));
    }
    let defaults = [
        ("LOG_FORMAT", "text"),
        // No balancer sends requests, so that no time is needed in which it learns that this process stops.
        ("SHUTDOWN_DELAY", "0"),
    ];
    for (name, value) in defaults {
        if env::var_os(format!("{prefix}_{name}")).is_none() {
            settings.push((name, value.to_owned()));
        }
    }
    settings.extend(settings_of(service, shared, manifest)?);
    if let Some(port) = instance.http {
        settings.push(("HTTP_LISTEN", format!("127.0.0.1:{port}")));
    }
    let mut variables: Vec<(String, String)> =
        settings.into_iter().map(|(name, value)| (format!("{prefix}_{name}"), value)).collect();
    for callee in service.calls.iter().filter_map(|name| find(name)) {
        let file = text(shared.folder.addresses(callee.name))?;
        variables.push((format!("{prefix}_{}_ADDRESSES", callee.prefix()), format!("file:{file}")));
    }
    let kill_signal = Signal::SIGKILL;
    let program = shared.binaries.join(service.name);
    let mut command = ServerUser::default().command(&program, Some(kill_signal));
    command.envs(variables);
    Ok(Spec {
        name: instance.name(),
        command,
        stop_signal: Signal::SIGTERM,
        kill_signal,
        log: shared.folder.log(&instance.name()),
    })
}

/// The settings that only some services have.
fn settings_of(
    service: &Service,
    shared: &Shared<'_>,
    manifest: &Manifest,
) -> Result<Vec<(&'static str, String)>> {
    let is_set = |name: &str| env::var_os(format!("{}_{name}", service.prefix())).is_some();
    let mut settings = Vec::new();
    // The user may have a bucket.
    if service.name == "listings-svc" && !is_set("PICTURES") {
        settings.push(("PICTURES", text(shared.folder.pictures())?));
    }
    if service.name == "webhook-svc" {
        settings.push(("SECRET_KEYS", key_ring(manifest, SIGNING_KEY)?));
        if !is_set("ALLOW") {
            settings.push(("ALLOW", RECEIVER.to_owned()));
        }
    }
    if service.name == WEB {
        settings.push(("SECRET_KEYS", key_ring(manifest, PEOPLE_KEY)?));
        if !is_set("STAFF_MAIL") {
            settings.push(("STAFF_MAIL", "staff@fleet.example".to_owned()));
        }
        // The user may have a mail server.
        if !is_set("MAIL") {
            settings.push(("MAIL", format!("file:{}", text(shared.folder.mail())?)));
        }
    }
    if ["gateway", WEB].contains(&service.name) {
        settings.push(("API_URL", manifest.base_url.clone()));
    }
    if service.name == "gateway" && !is_set("DOCS_URL") {
        settings.push(("DOCS_URL", format!("{}/docs/errors", shared.dashboard_url)));
    }
    let is_gateway = service.name == "gateway";
    if let Some(plans) = shared.plans.as_ref().filter(|_| is_gateway) {
        settings.push(("PLANS", text(plans.clone())?));
    }
    Ok(settings)
}

/// A path as the text of a setting.
fn text(path: PathBuf) -> Result<String> {
    path.into_os_string().into_string().map_err(|path| {
        anyhow::anyhow!("{} is not UTF-8: choose another folder with --dir", path.display())
    })
}

/// A key ring that encrypts secrets at rest: one key of 32 bytes.
fn key_ring(manifest: &Manifest, name: &str) -> Result<String> {
    let secret = manifest.memory.secrets.get(name);
    let bytes = secret
        .and_then(|secret| secret.as_bytes().get(..32))
        .context("a key that encrypts secrets is missing")?;
    Ok(format!("local:{}", STANDARD.encode(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_service_is_rejected_with_a_list_of_services() {
        let error = parse_replicas("webhok=3").unwrap_err();
        assert!(error.contains("webhook-svc"), "{error}");
        assert!(parse_replicas("gateway=0").is_err());
        assert_eq!(parse_replicas("webhook-svc=3"), Ok(("webhook-svc", 3)));
    }

    #[test]
    fn every_process_has_ports_of_its_own() {
        let replicas = Replicas::from([("gateway", 3)]);
        let count = port_count(&replicas);
        let ports = Ports::reserve(count, None, None).unwrap();
        let instances = instances(&replicas, &ports);
        let mut all: Vec<u16> = instances
            .iter()
            .flat_map(|one| [Some(one.grpc), Some(one.admin), one.http])
            .flatten()
            .collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!((instances.len(), all.len()), (8, count));
    }

    #[test]
    fn settings_carry_the_prefix_of_their_service() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::locate(Some(dir.path()), PathBuf::new()).unwrap();
        let shared = Shared {
            folder: &folder,
            binaries: dir.path(),
            plans: None,
            public_url: String::new(),
            dashboard_url: String::new(),
        };
        let mut manifest = Manifest::default();
        manifest.database_urls.insert("webhook".to_owned(), "postgres://w".to_owned());
        manifest.secret(SIGNING_KEY).unwrap();
        let service = find("webhook-svc").unwrap();
        let instance = Instance { service, replica: 2, grpc: 1, admin: 2, http: None };
        let spec = spec(&instance, &shared, &manifest).unwrap();
        let variables = spec.command.get_envs();
        let names: Vec<&str> = variables.filter_map(|(name, _)| name.to_str()).collect();
        assert!(names.iter().all(|name| name.starts_with("WEBHOOK_")), "{names:?}");
        assert!(names.contains(&"WEBHOOK_GATEWAY_ADDRESSES"), "{names:?}");
        assert!(names.contains(&"WEBHOOK_CATALOGUE_ADDRESSES"), "{names:?}");
        assert!(names.contains(&"WEBHOOK_SECRET_KEYS"), "{names:?}");
        assert!(!names.contains(&"WEBHOOK_REDIS_URL"), "{names:?}");
        assert_eq!(spec.name, "webhook-svc-2");
    }
}
