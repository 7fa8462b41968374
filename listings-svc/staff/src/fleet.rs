//! The addresses of the services, and the staff token. A token is sent only to the addresses that were given with it: a file in the
//! folder of a stranger must not learn the token of the environment or of the home folder.

use std::env;
use std::path::{Path, PathBuf};

use clap::Args;
use kit::config::Secret;
use kit::rpc::client::{self, Addresses, Client};

use crate::error::Error;
use crate::fleet_file::{self, LOCAL_FLEET};
use crate::profile::{self, Profile};

/// The heading of these options in the help.
const HEADING: &str = "Connection";

/// The names and values of addresses, as a profile has them.
pub(crate) type ProfileAddresses = Vec<(&'static str, String)>;

/// The options that name the fleet. Environment variables and one file supply those that are not given.
#[derive(Debug, Default, Args)]
#[expect(
    clippy::doc_markdown,
    reason = "the comments are the help of the command line"
)]
pub(crate) struct FleetOptions {
    /// The fleet's staff token, or that of a member of staff [env: STAFF_TOKEN, for the addresses of the environment]
    #[arg(long, global = true, help_heading = HEADING)]
    pub(crate) token: Option<String>,
    /// The gateway's internal gRPC address [env: STAFF_GATEWAY]
    #[arg(long, global = true, value_name = "ADDRESS", help_heading = HEADING)]
    gateway: Option<String>,
    /// The gRPC address of listings-svc [env: STAFF_LISTINGS]
    #[arg(long, global = true, value_name = "ADDRESS", help_heading = HEADING)]
    pub(crate) listings: Option<String>,
    /// The gRPC address of economy-svc [env: STAFF_ECONOMY]
    #[arg(long, global = true, value_name = "ADDRESS", help_heading = HEADING)]
    economy: Option<String>,
    /// The gRPC address of catalogue-svc [env: STAFF_CATALOGUE]
    #[arg(long, global = true, value_name = "ADDRESS", help_heading = HEADING)]
    catalogue: Option<String>,
    /// The gRPC address of webhook-svc [env: STAFF_WEBHOOK]
    #[arg(long, global = true, value_name = "ADDRESS", help_heading = HEADING)]
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
    /// The sources of addresses, the first before the others.
    fn sources(&self) -> Result<Vec<Source>, Error> {
        let line = Source {
            origin: Origin::CommandLine,
            profile: Profile {
                token: self.token.clone(),
                gateway: self.gateway.clone(),
                listings: self.listings.clone(),
                economy: self.economy.clone(),
                catalogue: self.catalogue.clone(),
                webhook: self.webhook.clone(),
                stopped: None,
            },
        };
        let mut sources = vec![line];
        let named = match (&self.fleet, &self.profile) {
            (Some(path), _) => Some((path, fleet_file::read(path)?)),
            (None, Some(path)) => Some((path, profile::read(path)?)),
            (None, None) => None,
        };
        let is_named = named.is_some();
        sources.extend(named.map(|(path, profile)| Source {
            origin: Origin::File(path.clone()),
            profile,
        }));
        sources.push(Source {
            origin: Origin::Environment,
            profile: environment(),
        });
        if !is_named {
            sources.extend(self.default_file()?);
        }
        Ok(sources)
    }

    /// The file that is used when the command line names none.
    fn default_file(&self) -> Result<Option<Source>, Error> {
        let local = Path::new(LOCAL_FLEET);
        if local.exists() {
            return Ok(Some(Source {
                origin: Origin::FoundFleet,
                profile: fleet_file::read(local)?,
            }));
        }
        let default = self.default_profile();
        let Some(path) = default.filter(|path| profile::exists(path)) else {
            return Ok(None);
        };
        let profile = profile::read(&path)?;
        let origin = Origin::File(path);
        Ok(Some(Source { origin, profile }))
    }

    /// The path of the member's own profile.
    fn default_profile(&self) -> Option<PathBuf> {
        profile::default_path(self.config_home.as_deref(), self.home.as_deref())
    }
}

/// The settings of the environment; an empty variable counts as missing.
#[expect(
    clippy::disallowed_methods,
    reason = "an option of the command line would not tell whether its value was typed or comes from the environment"
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
        stopped: None,
    }
}

/// Addresses, and the token for them.
#[derive(Debug)]
struct Source {
    origin: Origin,
    profile: Profile,
}

#[derive(Debug, PartialEq, Eq)]
enum Origin {
    CommandLine,
    Environment,
    /// A file that the command line names, or the member's own profile.
    File(PathBuf),
    /// The file of a fleet in the current folder, which anybody may have put there.
    FoundFleet,
}

/// Makes clients of the services of a fleet.
#[derive(Debug)]
pub(crate) struct Fleet {
    /// The command line is the first.
    sources: Vec<Source>,
}

impl Fleet {
    pub(crate) fn find(options: &FleetOptions) -> Result<Self, Error> {
        let sources = options.sources()?;
        Ok(Self { sources })
    }

    /// A remark about a token that is not used although it is set.
    pub(crate) fn unused_token(&self) -> Option<String> {
        let has_token = |origin: &Origin| {
            let source = self.sources.iter().find(|it| it.origin == *origin);
            source.is_some_and(|source| source.profile.token.is_some())
        };
        let is_unused = has_token(&Origin::Environment)
            && has_token(&Origin::FoundFleet)
            && !has_token(&Origin::CommandLine)
            && !self.sources.iter().any(|source| {
                source.origin == Origin::Environment && !source.profile.addresses().is_empty()
            });
        is_unused.then(|| {
            format!(
                "STAFF_TOKEN is not used here: the addresses are those of {LOCAL_FLEET}, which has a token of its own"
            )
        })
    }

    /// The profile that gets the new token of the member, and the addresses that it lacks.
    pub(crate) fn login_profile(
        &self,
        options: &FleetOptions,
    ) -> Result<(PathBuf, ProfileAddresses), Error> {
        let (source, address) = self
            .address("listings")
            .ok_or_else(|| self.missing_address("listings"))?;
        let path = options
            .profile
            .clone()
            .or_else(|| options.default_profile());
        let path = path.ok_or_else(|| {
            Error::usage("there is no home folder: set HOME, or name a file with --profile")
        })?;
        match &source.origin {
            Origin::File(file) if *file == path => return Ok((path, Vec::new())),
            Origin::Environment | Origin::FoundFleet => {
                return Err(Error::usage(format!(
                    "nothing was changed: a new token is kept in a profile. Give --token and --listings (or --fleet FILE) to make {}, or name one with --profile",
                    path.display()
                )));
            }
            Origin::CommandLine | Origin::File(_) => {}
        }
        let known = if profile::exists(&path) {
            profile::read(&path)?.listings
        } else {
            None
        };
        if known.is_some_and(|known| known != address) {
            return Err(Error::usage(format!(
                "nothing was changed: {} is the profile of another fleet. Move it away first",
                path.display()
            )));
        }
        Ok((path, source.profile.addresses()))
    }

    /// A client of the gateway.
    pub(crate) async fn gateway(&self) -> Result<Client, Error> {
        self.dial("gateway").await
    }

    pub(crate) fn has_gateway(&self) -> bool {
        self.address("gateway").is_some()
    }

    /// A client of listings-svc.
    pub(crate) async fn listings(&self) -> Result<Client, Error> {
        self.dial("listings").await
    }

    pub(crate) fn has_economy(&self) -> bool {
        self.address("economy").is_some()
    }

    /// A client of economy-svc.
    pub(crate) async fn economy(&self) -> Result<Client, Error> {
        self.dial("economy").await
    }

    /// A client of catalogue-svc.
    pub(crate) async fn catalogue(&self) -> Result<Client, Error> {
        self.dial("catalogue").await
    }

    pub(crate) fn has_catalogue(&self) -> bool {
        self.address("catalogue").is_some()
    }

    /// A client of webhook-svc.
    pub(crate) async fn webhook(&self) -> Result<Client, Error> {
        self.dial("webhook").await
    }

    pub(crate) fn has_webhook(&self) -> bool {
        self.address("webhook").is_some()
    }

    /// The address of a service, and its source.
    fn address(&self, service: &str) -> Option<(&Source, &str)> {
        let mut sources = self.sources.iter();
        sources.find_map(|source| Some((source, source.profile.address(service)?)))
    }

    async fn dial(&self, service: &str) -> Result<Client, Error> {
        let (source, address) = self
            .address(service)
            .ok_or_else(|| self.missing_address(service))?;
        let token = Secret::from(self.token_for(source, service)?);
        // A malformed address is an invalid argument; `dial` would report that no service answers.
        address.parse::<Addresses>().map_err(|error| {
            Error::Usage(error).preceded_by(&format!("the address of {service}"))
        })?;
        client::dial(address, &token).await.map_err(|error| {
            Error::Unreachable(format!(
                "{error:#}: check the address of {service}, and that the service runs"
            ))
        })
    }

    fn missing_address(&self, service: &str) -> Error {
        let mut stopped = self.sources.iter().map(|it| it.profile.stopped.as_ref());
        if let Some(file) = stopped.find_map(|file| file) {
            return Error::Unreachable(format!(
                "the fleet of {} is not running: start it with {} and wait until it says that the fleet is up, or give --{service}",
                file.display(),
                fleet_file::deploy_up(file)
            ));
        }
        Error::usage(format!(
            "the address of {service} is missing: give --{service}, set {}, or name a file that has it with --profile or --fleet",
            variable(service)
        ))
    }

    /// The token for an address of `source`.
    ///
    /// `--token` is for whatever the member has named: the command line, the environment and their own files. A file that only happens to
    /// be in the folder gets no token but its own.
    fn token_for(&self, source: &Source, service: &str) -> Result<String, Error> {
        let typed = self
            .sources
            .first()
            .and_then(|line| line.profile.token.as_ref());
        let own = source.profile.token.as_ref();
        let token = match source.origin {
            Origin::FoundFleet if typed.is_some() => None,
            _ => typed.or(own),
        };
        token.cloned().ok_or_else(|| {
            Error::usage(match &source.origin {
                Origin::CommandLine => format!(
                    "the token is missing: give --token with --{service}. The token of the environment or of a file is sent only to the addresses given there"
                ),
                Origin::Environment => format!(
                    "the token is missing: set STAFF_TOKEN beside {}, or give --token. The token of a file is sent only to the addresses of that file",
                    variable(service)
                ),
                Origin::File(path) => format!(
                    "the token is missing: {} has the address of {service} and no token. Put the token into that file, or give --token; STAFF_TOKEN is sent only to the addresses of the environment",
                    path.display()
                ),
                Origin::FoundFleet if typed.is_some() => format!(
                    "the token was not sent: {LOCAL_FLEET} has the address of {service} and was only found in this folder. Add --fleet {LOCAL_FLEET} to send your token there"
                ),
                Origin::FoundFleet => format!(
                    "the token is missing: {LOCAL_FLEET} has the address of {service} and no token. Give --token and --fleet {LOCAL_FLEET} to send your token there"
                ),
            })
        })
    }
}

/// The variable with the address of a service.
fn variable(service: &str) -> String {
    format!("STAFF_{}", service.to_uppercase())
}
