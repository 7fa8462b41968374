//! Where the services of a fleet are, and the staff token. Both come from one source, a profile or the environment: a token is sent only to
//! the addresses that were given with it.

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use kit::config::Secret;
use kit::rpc::client::{self, Addresses, Client, Transport};
use kit::rpc::tls::Authorities;
use strum::VariantArray as _;

use crate::error::Error;
use crate::profile::{self, Profile};
use crate::service::Service;

/// The profile of a fleet that was started in the current folder.
const LOCAL_PROFILE: &str = ".fleet/staff.toml";

/// The deadline of a call that has none of its own. It is longer than any deadline of the services: a caller who gives up before them cannot
/// tell whether the change was made.
const DEADLINE: Duration = Duration::from_secs(30);

/// The options that name the profile.
#[derive(Debug, Default, Args)]
pub(crate) struct FleetOptions {
    /// The profile: a TOML file with the staff token and the addresses of the services, which only you can read [default: the variables
    /// `STAFF_TOKEN`, `STAFF_LISTINGS` and so on; without them `.fleet/staff.toml`, which `deploy/up` writes, or `~/.config/mchezo/staff.toml`]
    #[arg(long, global = true, value_name = "FILE", help_heading = "Connection")]
    pub(crate) profile: Option<PathBuf>,
    #[arg(long, env = "XDG_CONFIG_HOME", hide = true)]
    config_home: Option<PathBuf>,
    #[arg(long, env = "HOME", hide = true)]
    home: Option<PathBuf>,
}

impl FleetOptions {
    /// The profile that is used when neither the command line nor the environment says where the services are.
    fn default_profile(&self) -> Option<PathBuf> {
        let own = profile::default_path(self.config_home.as_deref(), self.home.as_deref());
        let profiles = [Some(PathBuf::from(LOCAL_PROFILE)), own];
        let mut existing = profiles.into_iter().flatten();
        existing.find(|path| profile::exists(path))
    }
}

/// The settings of the environment; an empty variable counts as missing.
#[expect(
    clippy::disallowed_methods,
    reason = "an option of the command line would show the token to other users"
)]
fn environment() -> Profile {
    let setting = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    Profile {
        token: setting("STAFF_TOKEN"),
        gateway: setting("STAFF_GATEWAY"),
        listings: setting("STAFF_LISTINGS"),
        economy: setting("STAFF_ECONOMY"),
        catalogue: setting("STAFF_CATALOGUE"),
        webhook: setting("STAFF_WEBHOOK"),
        web: setting("STAFF_WEB"),
        ca: setting("STAFF_CA").map(PathBuf::from),
    }
}

/// Makes clients of the services of a fleet.
#[derive(Debug)]
pub(crate) struct Fleet {
    profile: Profile,
    /// The file of the profile; `None` for the environment.
    file: Option<PathBuf>,
    /// Whether the environment has a token that is not used.
    ignores_token: bool,
}

impl Fleet {
    pub(crate) fn find(options: &FleetOptions) -> Result<Self, Error> {
        let environment = environment();
        let mut services = Service::VARIANTS.iter();
        let has_address = services.any(|service| environment.address(*service).is_some());
        let file = match &options.profile {
            Some(named) => Some(named.clone()),
            None if has_address => None,
            None => options.default_profile(),
        };
        Ok(Self {
            ignores_token: file.is_some()
                && options.profile.is_none()
                && environment.token.is_some(),
            profile: match &file {
                Some(path) => profile::read(path)?,
                None => environment,
            },
            file,
        })
    }

    /// A remark about a token that is not used although it is set.
    pub(crate) fn unused_token(&self) -> Option<String> {
        let file = self.file.as_ref().filter(|_| self.ignores_token)?;
        Some(format!(
            "STAFF_TOKEN is not used here: the addresses are those of {}, which has a token of its own",
            file.display()
        ))
    }

    pub(crate) fn has(&self, service: Service) -> bool {
        self.profile.address(service).is_some()
    }

    pub(crate) async fn gateway(&self) -> Result<Client, Error> {
        self.client(Service::Gateway).await
    }

    pub(crate) async fn listings(&self) -> Result<Client, Error> {
        self.client(Service::Listings).await
    }

    /// A client of a service.
    pub(crate) async fn client(&self, service: Service) -> Result<Client, Error> {
        let name = service.as_str();
        let missing = |what: &str, variable: &str| {
            Error::usage(match &self.file {
                Some(file) => format!("{} has no {what}: put it there", file.display()),
                None => format!(
                    "the {what} is missing: set {variable}, name a profile with --profile, or start a fleet in this folder with `deploy/up`"
                ),
            })
        };
        let address = self.profile.address(service).ok_or_else(|| {
            let variable = format!("STAFF_{}", name.to_uppercase());
            missing(&format!("address of {name}"), &variable)
        })?;
        let token = self.profile.token.clone();
        let token = token.ok_or_else(|| missing("staff token", "STAFF_TOKEN"))?;
        // A malformed address is an invalid argument; `dial` would report that no service answers.
        let addresses = address
            .parse::<Addresses>()
            .map_err(|error| Error::Usage(error).preceded_by(&format!("the address of {name}")))?;
        if !matches!(&addresses, Addresses::List(list) if list.len() == 1) {
            return Err(Error::usage(format!(
                "the address of {name} is that of one replica, or a DNS name of several, such as https://{}:7000: `{address}` is neither",
                service.dns_name()
            )));
        }
        let transport = self.transport(service).await?;
        if address.starts_with("https:") && self.profile.ca.is_none() {
            return Err(missing("file of the certificate authorities (`ca`)", "STAFF_CA"));
        }
        let client =
            client::dial(address, transport, &Secret::from(token)).await.map_err(|error| {
                Error::Unreachable(format!(
                    "{error:#}: check the address of {name}, and that the service runs"
                ))
            })?;
        Ok(client.with_default_deadline(DEADLINE))
    }

    /// How a service is called: with TLS if the profile names the authorities.
    async fn transport(&self, service: Service) -> Result<Transport, Error> {
        let Some(ca) = &self.profile.ca else {
            return Ok(Transport::plain());
        };
        let unusable =
            |reason: &str| Error::usage(format!("{} cannot be used: {reason}", ca.display()));
        let authorities =
            Authorities::read(ca).await.map_err(|error| unusable(&format!("{error:#}")))?;
        let transport = Transport::plain().with_tls(&authorities, service.dns_name());
        transport.map_err(|error| unusable(&format!("{error:#}")))
    }
}
