//! Where the fleet is, and how staff prove who they are.

use std::path::{Path, PathBuf};

use clap::Args;
use kit::config::Secret;
use kit::rpc::client::{self, Addresses, Client};
use serde::Deserialize;

use super::problem::Problem;

/// A fleet that was started here keeps this file.
const HERE: &str = ".fleet/fleet.json";

/// Where the fleet is.
#[derive(Debug, Args)]
pub(crate) struct Place {
    /// The staff token of the fleet
    #[arg(long, env = "STAFF_TOKEN", hide_env_values = true, global = true)]
    token: Option<String>,
    /// The gateway's internal gRPC address
    #[arg(long, env = "STAFF_GATEWAY", global = true, value_name = "ADDRESS")]
    gateway: Option<String>,
    /// The gRPC address of listings-svc
    #[arg(long, env = "STAFF_LISTINGS", global = true, value_name = "ADDRESS")]
    listings: Option<String>,
    /// A fleet's own file, for what is not given otherwise [default: .fleet/fleet.json, if there is one]
    #[arg(long, global = true, value_name = "FILE")]
    fleet: Option<PathBuf>,
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
}

impl Fleet {
    pub(crate) fn find(place: &Place) -> Result<Self, Problem> {
        let manifest = match &place.fleet {
            Some(path) => read(path)?,
            None if Path::new(HERE).exists() => read(Path::new(HERE))?,
            None => Manifest::default(),
        };
        let grpc = |name: &str| {
            let service = manifest.services.iter().find(|s| s.name == name);
            service.map(|s| s.grpc.clone())
        };
        Ok(Self {
            gateway: place.gateway.clone().or_else(|| grpc("gateway")),
            listings: place.listings.clone().or_else(|| grpc("listings-svc")),
            token: place
                .token
                .clone()
                .or(manifest.staff_token)
                .map(Secret::from),
        })
    }

    /// A channel to the gateway.
    pub(crate) async fn gateway(&self) -> Result<Client, Problem> {
        self.dial("gateway", self.gateway.as_deref()).await
    }

    /// A channel to listings-svc.
    pub(crate) async fn listings(&self) -> Result<Client, Problem> {
        self.dial("listings", self.listings.as_deref()).await
    }

    async fn dial(&self, service: &str, address: Option<&str>) -> Result<Client, Problem> {
        let missing = |what: &str, variable: &str| {
            Problem::usage(format!(
                "{what} is not known: give --{service} or {variable}, or --fleet with the file of a running fleet"
            ))
        };
        let address = address.ok_or_else(|| {
            let variable = format!("STAFF_{}", service.to_uppercase());
            missing(&format!("the address of {service}"), &variable)
        })?;
        let token = self.token.as_ref().ok_or_else(|| {
            Problem::usage(
                "the staff token is not known: give --token or STAFF_TOKEN, or --fleet with the file of a running fleet",
            )
        })?;
        // What is no address at all is a matter of usage, not of reach.
        address.parse::<Addresses>().map_err(Problem::Usage)?;
        client::dial(address, token)
            .await
            .map_err(|error| Problem::Unreachable(format!("{error:#}")))
    }
}

fn read(path: &Path) -> Result<Manifest, Problem> {
    let shown = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Problem::usage(format!("{shown} cannot be read: {error}")))?;
    serde_json::from_str(&text)
        .map_err(|error| Problem::usage(format!("{shown} is not the file of a fleet: {error}")))
}
