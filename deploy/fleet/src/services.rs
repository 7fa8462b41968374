//! The five services: their names, their settings and how many of each there are.

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use nix::sys::signal::Signal;

use crate::folder::Folder;
use crate::manifest::{self, Manifest};
use crate::ports::Ports;
use crate::process::Spec;

/// One of the services.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Service {
    /// Its binary.
    pub(crate) name: &'static str,
    /// Its schema, its role, and in capitals the beginning of its settings' names.
    pub(crate) schema: &'static str,
    /// The services it calls; each is a setting `<PREFIX>_<SCHEMA>_ADDRESSES`.
    calls: &'static [&'static str],
    /// Whether it has a setting `<PREFIX>_REDIS_URL`.
    redis: bool,
}

/// All of them; those that others call come first, though any order works.
pub(crate) const SERVICES: [Service; 5] = [
    Service {
        name: "listings-svc",
        schema: "listings",
        calls: &[],
        redis: true,
    },
    Service {
        name: "catalogue-svc",
        schema: "catalogue",
        calls: &["listings-svc"],
        redis: false,
    },
    Service {
        name: "economy-svc",
        schema: "economy",
        calls: &["listings-svc"],
        redis: false,
    },
    Service {
        name: "gateway",
        schema: "gateway",
        calls: &["catalogue-svc", "listings-svc", "economy-svc"],
        redis: true,
    },
    Service {
        name: "webhook-svc",
        schema: "webhook",
        calls: &["listings-svc", "economy-svc", "catalogue-svc", "gateway"],
        redis: false,
    },
];

impl Service {
    /// The beginning of its settings' names: `CATALOGUE`.
    pub(crate) fn prefix(&self) -> String {
        self.schema.to_uppercase()
    }
}

/// The service of that name.
fn named(name: &str) -> Option<&'static Service> {
    SERVICES.iter().find(|service| service.name == name)
}

/// Under which name the launcher remembers the key for signing secrets.
pub(crate) const SIGNING_KEY: &str = "webhook";

/// Where `webhook-listen` listens unless it is told otherwise.
const WEBHOOK_LISTEN: &str = "http://127.0.0.1:9500";

/// How many processes of each service: `webhook-svc=3,gateway=2`; one where nothing is said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Replicas(BTreeMap<&'static str, u16>);

impl Replicas {
    pub(crate) fn merged(wishes: &[Self]) -> Self {
        Self(wishes.iter().flat_map(|wish| wish.0.clone()).collect())
    }

    fn of(&self, service: &Service) -> u16 {
        self.0.get(service.name).copied().unwrap_or(1)
    }
}

impl FromStr for Replicas {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wish = |part: &str| {
            let (name, count) = part.split_once('=')?;
            let count = count
                .parse()
                .ok()
                .filter(|count| (1..=20).contains(count))?;
            Some((named(name)?.name, count))
        };
        let names = || SERVICES.map(|service| service.name).join(", ");
        text.split(',')
            .map(|part| {
                wish(part).ok_or_else(|| {
                    format!(
                        "write it as webhook-svc=3, with 1 to 20 of one of {}",
                        names()
                    )
                })
            })
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

/// One process of a service, and where it listens.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub(crate) service: &'static Service,
    pub(crate) replica: u16,
    pub(crate) grpc: u16,
    pub(crate) admin: u16,
    /// The public port; the gateway alone has one.
    pub(crate) http: Option<u16>,
}

impl Instance {
    /// Its name in logs and messages: `webhook-svc`, `webhook-svc-2`.
    pub(crate) fn name(&self) -> String {
        manifest::replica_name(self.service.name, self.replica)
    }

    /// Where other services call it.
    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.grpc)
    }

    /// Its entry in `fleet.json`.
    pub(crate) fn entry(&self, pid: Option<u32>) -> manifest::Service {
        let admin = format!("http://127.0.0.1:{}", self.admin);
        manifest::Service {
            name: self.service.name.to_owned(),
            replica: self.replica,
            pid,
            grpc: self.address(),
            http: self.http.map(|port| format!("http://127.0.0.1:{port}")),
            metrics: format!("{admin}/metrics"),
            health: format!("{admin}/healthz"),
            ready: format!("{admin}/readyz"),
        }
    }
}

/// Gives every process of the fleet its ports.
pub(crate) fn instances(
    replicas: &Replicas,
    port: Option<u16>,
    ports: &mut Ports,
) -> Result<Vec<Instance>> {
    let mut instances = Vec::new();
    for service in &SERVICES {
        for replica in 1..=replicas.of(service) {
            let http = match (service.name, replica) {
                ("gateway", 1) => Some(ports.public(port)?),
                ("gateway", _) => Some(ports.private(&format!("gateway.{replica}.http"))?),
                _ => None,
            };
            let mut private = |use_| ports.private(&format!("{}.{replica}.{use_}", service.name));
            let (grpc, admin) = (private("grpc")?, private("admin")?);
            instances.push(Instance {
                service,
                replica,
                grpc,
                admin,
                http,
            });
        }
    }
    Ok(instances)
}

/// What all processes of a fleet share.
pub(crate) struct Shared<'a> {
    pub(crate) folder: &'a Folder,
    pub(crate) binaries: &'a Path,
    pub(crate) plans: Option<PathBuf>,
    pub(crate) settings: &'static [(&'static str, &'static str)],
    /// The public address of the first gateway.
    pub(crate) public_url: String,
}

/// How to start one process: its program and every setting the launcher decides. Others, such as `GATEWAY_LOG`, come from
/// the caller's environment as they are.
pub(crate) fn spec(instance: &Instance, shared: &Shared<'_>, manifest: &Manifest) -> Result<Spec> {
    let service = instance.service;
    let prefix = service.prefix();
    let text = |path: PathBuf| {
        path.into_os_string().into_string().map_err(|path| {
            anyhow::anyhow!(
                "{} is no UTF-8 text: choose another place with --dir",
                path.display()
            )
        })
    };
    let database = manifest
        .database_urls
        .get(service.schema)
        .context("a service has no database")?;
    let mut settings = vec![
        ("PROFILE", "local".to_owned()),
        ("GRPC_LISTEN", format!("127.0.0.1:{}", instance.grpc)),
        ("ADMIN_LISTEN", format!("127.0.0.1:{}", instance.admin)),
        ("DATABASE_URL", database.clone()),
        ("FLEET_TOKEN", manifest.fleet_token.clone()),
        ("STAFF_TOKEN", manifest.staff_token.clone()),
        ("CLOCK_FILE", text(shared.folder.clock())?),
        ("PUBLIC_URL", shared.public_url.clone()),
    ];
    if service.redis {
        settings.push(("REDIS_URL", manifest.redis_url.clone()));
    }
    if env::var_os(format!("{prefix}_LOG_FORMAT")).is_none() {
        settings.push(("LOG_FORMAT", "text".to_owned()));
    }
    // A bucket of the caller's, if there is one.
    if service.name == "listings-svc" && env::var_os("LISTINGS_PICTURES").is_none() {
        settings.push(("PICTURES", text(shared.folder.pictures())?));
    }
    if service.name == "webhook-svc" {
        settings.push(("SECRET_KEYS", signing_keys(manifest)?));
        // A mail server of the caller's, if there is one.
        if env::var_os("WEBHOOK_MAIL").is_none() {
            settings.push(("MAIL", format!("file:{}", text(shared.folder.mail())?)));
        }
        if env::var_os("WEBHOOK_ALLOW").is_none() {
            settings.push(("ALLOW", WEBHOOK_LISTEN.to_owned()));
        }
    }
    if let Some(port) = instance.http {
        settings.push(("HTTP_LISTEN", format!("127.0.0.1:{port}")));
        if let Some(plans) = &shared.plans {
            settings.push(("PLANS", text(plans.clone())?));
        }
    }
    let mut variables: Vec<(String, String)> = settings
        .into_iter()
        .map(|(name, value)| (format!("{prefix}_{name}"), value))
        .collect();
    let own = shared.settings.iter();
    let own = own.filter(|(name, _)| name.starts_with(&format!("{prefix}_")));
    variables.extend(own.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    for callee in service.calls.iter().filter_map(|name| named(name)) {
        let file = text(shared.folder.addresses(callee.name))?;
        variables.push((
            format!("{prefix}_{}_ADDRESSES", callee.prefix()),
            format!("file:{file}"),
        ));
    }
    Ok(Spec {
        name: instance.name(),
        program: shared.binaries.join(service.name),
        args: Vec::new(),
        env: variables,
        input: String::new(),
        user: None,
        stop: Signal::SIGTERM,
        log: shared.folder.log(&instance.name()),
    })
}

/// The key ring that encrypts the signing secrets of webhooks: one key of 32 bytes.
fn signing_keys(manifest: &Manifest) -> Result<String> {
    let secret = manifest.memory.secrets.get(SIGNING_KEY);
    let bytes = secret.and_then(|secret| secret.as_bytes().get(..32));
    let bytes = bytes.context("there is no key for the secrets of webhooks")?;
    Ok(format!("local:{}", STANDARD.encode(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replicas_are_read_and_joined() {
        let one: Replicas = "webhook-svc=3,gateway=2".parse().unwrap();
        let other: Replicas = "catalogue-svc=2".parse().unwrap();
        let all = Replicas::merged(&[one, other]);
        let counts = SERVICES.map(|service| all.of(&service));
        assert_eq!(counts, [1, 2, 1, 2, 3]);
    }

    #[test]
    fn an_unknown_service_is_refused_with_the_known_ones() {
        let error = "webhok=3".parse::<Replicas>().unwrap_err();
        assert!(error.contains("webhook-svc"), "{error}");
        assert!("gateway=0".parse::<Replicas>().is_err());
    }

    #[test]
    fn every_process_has_ports_of_its_own() {
        let mut ports = Ports::new(BTreeMap::new());
        let replicas = "gateway=3".parse().unwrap();
        let instances = instances(&replicas, None, &mut ports).unwrap();
        let mut all: Vec<u16> = instances
            .iter()
            .flat_map(|one| [Some(one.grpc), Some(one.admin), one.http])
            .flatten()
            .collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!((instances.len(), all.len()), (7, count));
    }

    #[test]
    fn settings_carry_the_prefix_of_their_service() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::locate(Some(dir.path()), PathBuf::new()).unwrap();
        let shared = Shared {
            folder: &folder,
            binaries: dir.path(),
            plans: None,
            settings: &[],
            public_url: String::new(),
        };
        let mut manifest = Manifest::default();
        manifest
            .database_urls
            .insert("webhook".to_owned(), "postgres://w".to_owned());
        manifest.secret(SIGNING_KEY).unwrap();
        let service = named("webhook-svc").unwrap();
        let instance = Instance {
            service,
            replica: 2,
            grpc: 1,
            admin: 2,
            http: None,
        };
        let spec = spec(&instance, &shared, &manifest).unwrap();
        let names: Vec<&str> = spec.env.iter().map(|(name, _)| name.as_str()).collect();
        assert!(
            names.iter().all(|name| name.starts_with("WEBHOOK_")),
            "{names:?}"
        );
        assert!(names.contains(&"WEBHOOK_GATEWAY_ADDRESSES"), "{names:?}");
        assert!(names.contains(&"WEBHOOK_CATALOGUE_ADDRESSES"), "{names:?}");
        assert!(names.contains(&"WEBHOOK_SECRET_KEYS"), "{names:?}");
        assert!(!names.contains(&"WEBHOOK_REDIS_URL"), "{names:?}");
        assert_eq!(spec.name, "webhook-svc-2");
    }
}
