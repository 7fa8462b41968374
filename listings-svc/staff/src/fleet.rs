//! The addresses of the services, and the staff token.

use std::path::{Path, PathBuf};

use clap::Args;
use kit::config::Secret;
use kit::rpc::client::{self, Addresses, Client};
use serde::Deserialize;

use crate::command_hint::quote;
use crate::error::Error;
use crate::profile::{self, Profile};

/// The file of a fleet that was started in the current folder.
const LOCAL_FLEET: &str = ".fleet/fleet.json";
/// The heading of these options in the help.
const HEADING: &str = "Connection";

/// The options that name the fleet. Environment variables and one file supply those that are not given.
#[derive(Debug, Default, Args)]
pub(crate) struct FleetOptions {
    /// The fleet's staff token, or that of a member of staff
    #[arg(long, env = "STAFF_TOKEN", hide_env_values = true, global = true, help_heading = HEADING)]
    pub(crate) token: Option<String>,
    /// The gateway's internal gRPC address
    #[arg(long, env = "STAFF_GATEWAY", global = true, value_name = "ADDRESS", help_heading = HEADING)]
    gateway: Option<String>,
    /// The gRPC address of listings-svc
    #[arg(long, env = "STAFF_LISTINGS", global = true, value_name = "ADDRESS", help_heading = HEADING)]
    pub(crate) listings: Option<String>,
    /// The gRPC address of economy-svc
    #[arg(long, env = "STAFF_ECONOMY", global = true, value_name = "ADDRESS", help_heading = HEADING)]
    economy: Option<String>,
    /// The gRPC address of catalogue-svc
    #[arg(long, env = "STAFF_CATALOGUE", global = true, value_name = "ADDRESS", help_heading = HEADING)]
    catalogue: Option<String>,
    /// The gRPC address of webhook-svc
    #[arg(long, env = "STAFF_WEBHOOK", global = true, value_name = "ADDRESS", help_heading = HEADING)]
    webhook: Option<String>,
    /// Take the token and addresses that are not given from a fleet's file [default: .fleet/fleet.json]
    #[arg(long, global = true, value_name = "FILE", help_heading = HEADING, conflicts_with = "profile")]
    fleet: Option<PathBuf>,
    /// Take them from a profile, a TOML file that only you can read [default: ~/.config/mchezo/staff.toml]
    #[arg(long, global = true, value_name = "FILE", help_heading = HEADING)]
    profile: Option<PathBuf>,
    #[arg(long, env = "XDG_CONFIG_HOME", hide = true)]
    config_home: Option<PathBuf>,
    #[arg(long, env = "HOME", hide = true)]
    home: Option<PathBuf>,
}

impl FleetOptions {
    /// Reads the file that supplies the missing options. One file supplies all of them: a token never goes to the addresses of another
    /// file.
    fn profile(&self) -> Result<Profile, Error> {
        let local = Path::new(LOCAL_FLEET);
        match (&self.fleet, &self.profile) {
            (Some(path), _) => read(path),
            (None, Some(path)) => profile::read(path),
            (None, None) if local.exists() => read(local),
            (None, None) => {
                let default =
                    profile::default_path(self.config_home.as_deref(), self.home.as_deref());
                match default.filter(|path| profile::exists(path)) {
                    Some(path) => profile::read(&path),
                    None => Ok(Profile::default()),
                }
            }
        }
    }
}

/// The part of a fleet's file that this tool reads.
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

/// Makes clients of the services of a fleet.
#[derive(Debug)]
pub(crate) struct Fleet {
    token: Option<Secret>,
    gateway: Option<String>,
    listings: Option<String>,
    economy: Option<String>,
    catalogue: Option<String>,
    webhook: Option<String>,
    /// The file of the fleet, when the fleet is not running.
    stopped: Option<PathBuf>,
}

impl Fleet {
    pub(crate) fn find(options: &FleetOptions) -> Result<Self, Error> {
        let profile = options.profile()?;
        Ok(Self {
            gateway: options.gateway.clone().or(profile.gateway),
            listings: options.listings.clone().or(profile.listings),
            economy: options.economy.clone().or(profile.economy),
            catalogue: options.catalogue.clone().or(profile.catalogue),
            webhook: options.webhook.clone().or(profile.webhook),
            token: options.token.clone().or(profile.token).map(Secret::from),
            stopped: profile.stopped,
        })
    }

    /// A client of the gateway.
    pub(crate) async fn gateway(&self) -> Result<Client, Error> {
        self.dial("gateway", self.gateway.as_deref()).await
    }

    pub(crate) fn has_gateway(&self) -> bool {
        self.gateway.is_some()
    }

    /// A client of listings-svc.
    pub(crate) async fn listings(&self) -> Result<Client, Error> {
        self.dial("listings", self.listings.as_deref()).await
    }

    pub(crate) fn has_economy(&self) -> bool {
        self.economy.is_some()
    }

    /// A client of economy-svc.
    pub(crate) async fn economy(&self) -> Result<Client, Error> {
        self.dial("economy", self.economy.as_deref()).await
    }

    /// A client of catalogue-svc.
    pub(crate) async fn catalogue(&self) -> Result<Client, Error> {
        self.dial("catalogue", self.catalogue.as_deref()).await
    }

    pub(crate) fn has_catalogue(&self) -> bool {
        self.catalogue.is_some()
    }

    /// A client of webhook-svc.
    pub(crate) async fn webhook(&self) -> Result<Client, Error> {
        self.dial("webhook", self.webhook.as_deref()).await
    }

    pub(crate) fn has_webhook(&self) -> bool {
        self.webhook.is_some()
    }

    async fn dial(&self, service: &str, address: Option<&str>) -> Result<Client, Error> {
        let missing = |what: &str, variable: &str| {
            Error::usage(format!(
                "{what} is missing: give --{service}, set {variable}, or name a file that has it with --profile or --fleet"
            ))
        };
        let address = address.ok_or_else(|| {
            if let Some(file) = &self.stopped {
                return Error::Unreachable(format!(
                    "the fleet of {} is not running: start it with {} and wait until it says that the fleet is up, or give --{service}",
                    file.display(),
                    deploy_up(file)
                ));
            }
            let variable = format!("STAFF_{}", service.to_uppercase());
            missing(&format!("the address of {service}"), &variable)
        })?;
        let token = self.token.as_ref().ok_or_else(|| {
            Error::usage(
                "the staff token is missing: give --token, set STAFF_TOKEN, or name a file that has it with --profile or --fleet",
            )
        })?;
        // A malformed address is an invalid argument; `dial` would report that no service answers.
        address.parse::<Addresses>().map_err(Error::Usage)?;
        client::dial(address, token)
            .await
            .map_err(|error| Error::Unreachable(format!("{error:#}")))
    }
}

/// Reads the file of a fleet.
fn read(path: &Path) -> Result<Profile, Error> {
    let shown = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Error::usage(format!("{shown} cannot be read: {error}")))?;
    let manifest: Manifest = serde_json::from_str(&text).map_err(|error| {
        Error::usage(format!(
            "{shown} is not the file of a fleet (`deploy/up` writes one): {error}"
        ))
    })?;
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

/// The command that starts the fleet of a file, in backquotes.
fn deploy_up(file: &Path) -> String {
    if file == Path::new(LOCAL_FLEET) {
        return "`deploy/up`".to_owned();
    }
    let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let folder = file.parent().unwrap_or(&file).to_string_lossy();
    format!("`deploy/up --dir {}`", quote(&folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fleet_is_started_in_the_folder_of_its_file() {
        let command = deploy_up(Path::new("/srv/two/fleet.json"));
        assert_eq!(command, "`deploy/up --dir /srv/two`");
        assert_eq!(deploy_up(Path::new(LOCAL_FLEET)), "`deploy/up`");
    }
}
