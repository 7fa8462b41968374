//! Where the fleet is, and how staff prove who they are.

use std::path::{Path, PathBuf};

use clap::Args;
use kit::config::Secret;
use kit::rpc::client::{self, Addresses, Client};
use serde::Deserialize;

use super::problem::Problem;
use super::profile::{self, Profile};

/// A fleet that was started here keeps this file.
const HERE: &str = ".fleet/fleet.json";

/// Where the fleet is.
#[derive(Debug, Args)]
pub(crate) struct Place {
    /// The staff token of the fleet, or a member's own
    #[arg(long, env = "STAFF_TOKEN", hide_env_values = true, global = true)]
    token: Option<String>,
    /// The gateway's internal gRPC address
    #[arg(long, env = "STAFF_GATEWAY", global = true, value_name = "ADDRESS")]
    gateway: Option<String>,
    /// The gRPC address of listings-svc
    #[arg(long, env = "STAFF_LISTINGS", global = true, value_name = "ADDRESS")]
    listings: Option<String>,
    /// The gRPC address of economy-svc
    #[arg(long, env = "STAFF_ECONOMY", global = true, value_name = "ADDRESS")]
    economy: Option<String>,
    /// The gRPC address of catalogue-svc
    #[arg(long, env = "STAFF_CATALOGUE", global = true, value_name = "ADDRESS")]
    catalogue: Option<String>,
    /// The gRPC address of webhook-svc
    #[arg(long, env = "STAFF_WEBHOOK", global = true, value_name = "ADDRESS")]
    webhook: Option<String>,
    /// A fleet's own file, for what is not given otherwise [default: .fleet/fleet.json, if there is one]
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "profile")]
    fleet: Option<PathBuf>,
    /// A file with token, gateway, listings, economy, catalogue and webhook that only you can read, for what is not given otherwise
    /// [default: mchezo/staff.toml in the folder for settings, if there is one and no fleet was started here]
    #[arg(long, global = true, value_name = "FILE")]
    profile: Option<PathBuf>,
    #[arg(long, env = "XDG_CONFIG_HOME", hide = true)]
    config_home: Option<PathBuf>,
    #[arg(long, env = "HOME", hide = true)]
    home: Option<PathBuf>,
}

impl Place {
    /// What is not given on the command line or by variables. It is of one file: no token goes to another file's addresses.
    fn known(&self) -> Result<Profile, Problem> {
        let here = Path::new(HERE);
        match (&self.fleet, &self.profile) {
            (Some(path), _) => read(path),
            (None, Some(path)) => profile::read(path),
            (None, None) if here.exists() => read(here),
            (None, None) => {
                let usual = profile::usual(self.config_home.as_deref(), self.home.as_deref());
                match usual.filter(|path| profile::exists(path)) {
                    Some(path) => profile::read(&path),
                    None => Ok(Profile::default()),
                }
            }
        }
    }
}

/// The part of a fleet's file that is needed here.
#[derive(Debug, Default, Deserialize)]
struct Manifest {
    staff_token: Option<String>,
    #[serde(default)]
    services: Vec<Service>,
}

#[derive(Debug, Deserialize)]
struct Service {
    name: String,
    grpc: String,
}

/// A fleet to talk to.
#[derive(Debug)]
pub(crate) struct Fleet {
    token: Option<Secret>,
    gateway: Option<String>,
    listings: Option<String>,
    economy: Option<String>,
    catalogue: Option<String>,
    webhook: Option<String>,
    /// The file of a fleet that does not run.
    stopped: Option<PathBuf>,
}

impl Fleet {
    pub(crate) fn find(place: &Place) -> Result<Self, Problem> {
        let known = place.known()?;
        Ok(Self {
            gateway: place.gateway.clone().or(known.gateway),
            listings: place.listings.clone().or(known.listings),
            economy: place.economy.clone().or(known.economy),
            catalogue: place.catalogue.clone().or(known.catalogue),
            webhook: place.webhook.clone().or(known.webhook),
            token: place.token.clone().or(known.token).map(Secret::from),
            stopped: known.stopped,
        })
    }

    /// A channel to the gateway.
    pub(crate) async fn gateway(&self) -> Result<Client, Problem> {
        self.dial("gateway", self.gateway.as_deref()).await
    }

    /// The same, if its address is known.
    pub(crate) async fn gateway_if_known(&self) -> Result<Option<Client>, Problem> {
        match self.gateway {
            Some(_) => self.gateway().await.map(Some),
            None => Ok(None),
        }
    }

    /// A channel to listings-svc.
    pub(crate) async fn listings(&self) -> Result<Client, Problem> {
        self.dial("listings", self.listings.as_deref()).await
    }

    /// The same, if its address is known.
    pub(crate) async fn economy_if_known(&self) -> Result<Option<Client>, Problem> {
        match self.economy {
            Some(_) => self.economy().await.map(Some),
            None => Ok(None),
        }
    }

    /// A channel to economy-svc.
    pub(crate) async fn economy(&self) -> Result<Client, Problem> {
        self.dial("economy", self.economy.as_deref()).await
    }

    /// A channel to catalogue-svc.
    pub(crate) async fn catalogue(&self) -> Result<Client, Problem> {
        self.dial("catalogue", self.catalogue.as_deref()).await
    }

    /// The same, if its address is known.
    pub(crate) async fn catalogue_if_known(&self) -> Result<Option<Client>, Problem> {
        match self.catalogue {
            Some(_) => self.catalogue().await.map(Some),
            None => Ok(None),
        }
    }

    /// A channel to webhook-svc.
    pub(crate) async fn webhook(&self) -> Result<Client, Problem> {
        self.dial("webhook", self.webhook.as_deref()).await
    }

    /// The same, if its address is known.
    pub(crate) async fn webhook_if_known(&self) -> Result<Option<Client>, Problem> {
        match self.webhook {
            Some(_) => self.webhook().await.map(Some),
            None => Ok(None),
        }
    }

    async fn dial(&self, service: &str, address: Option<&str>) -> Result<Client, Problem> {
        let missing = |what: &str, variable: &str| {
            Problem::usage(format!(
                "{what} is not known: give --{service} or {variable}, or a file with it by --profile or --fleet"
            ))
        };
        let address = address.ok_or_else(|| {
            if let Some(file) = &self.stopped {
                let file = file.display();
                return Problem::Unreachable(format!(
                    "the fleet of {file} is not up: start it with `deploy/up`, or wait until that says that it is; or give --{service}"
                ));
            }
            let variable = format!("STAFF_{}", service.to_uppercase());
            missing(&format!("the address of {service}"), &variable)
        })?;
        let token = self.token.as_ref().ok_or_else(|| {
            Problem::usage(
                "the staff token is not known: give --token or STAFF_TOKEN, or a file with it by --profile or --fleet",
            )
        })?;
        // What is no address at all is a matter of usage, not of reach.
        address.parse::<Addresses>().map_err(Problem::Usage)?;
        client::dial(address, token)
            .await
            .map_err(|error| Problem::Unreachable(format!("{error:#}")))
    }
}

/// What the file of a fleet says.
fn read(path: &Path) -> Result<Profile, Problem> {
    let shown = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Problem::usage(format!("{shown} cannot be read: {error}")))?;
    let manifest: Manifest = serde_json::from_str(&text)
        .map_err(|error| Problem::usage(format!("{shown} is not the file of a fleet: {error}")))?;
    let grpc = |name: &str| {
        let service = manifest.services.iter().find(|s| s.name == name);
        service.map(|s| s.grpc.clone())
    };
    Ok(Profile {
        gateway: grpc("gateway"),
        listings: grpc("listings-svc"),
        economy: grpc("economy-svc"),
        catalogue: grpc("catalogue-svc"),
        webhook: grpc("webhook-svc"),
        stopped: manifest.services.is_empty().then(|| path.to_owned()),
        token: manifest.staff_token,
    })
}
