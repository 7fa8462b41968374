//! The settings of web.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use kit::client_address::{ProxyHeader, TrustedProxies};
use kit::config::{Common, Profile, Secret, a_second_or_more, count};
use kit::http_server::PortLimits;
use kit::key_ring::KeyRing;
use kit::public_url;
use kit::rpc::client::Addresses;
use url::Url;

use crate::docs::guides::{GuideAddresses, Links};
use crate::mail;

#[derive(Debug, clap::Args)]
// clap would name the group after the type, as it does with those of the kit.
#[group(skip)]
pub struct Settings {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    pub(crate) mail: mail::Settings,
    /// Where people write about plans, and staff get mails; without it, the page of the plans names no address
    #[arg(long, value_parser = mail::mailbox)]
    staff_mail: Option<mail::Mailbox>,
    /// Calls of a month after which staff get a mail about an account without a monthly limit
    #[arg(long, default_value = "10000000", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) large_month: u64,
    /// Where people report a weakness, as `mailto:…` or `https://…`, for `/.well-known/security.txt` [default: `staff_mail`]
    #[arg(long, value_parser = contact)]
    security_contact: Option<String>,
    /// Where customers ask, as `mailto:…` or `https://…`, for the documentation [default: `staff_mail`]
    #[arg(long, value_parser = contact)]
    support_contact: Option<String>,
    /// The page that says whether the service works, for the documentation
    #[arg(long, value_parser = public_url::parse)]
    status_url: Option<String>,
    /// The licence of listings and covers, for the documentation
    #[arg(long, value_parser = public_url::parse)]
    licence_url: Option<String>,
    /// The folder from which the tool `webhook` is downloaded, for the documentation
    #[arg(long, value_parser = public_url::parse)]
    tools_url: Option<String>,
    /// Address of the pages
    #[arg(long, default_value = "127.0.0.1:8081")]
    pub(crate) http_listen: SocketAddr,
    #[command(flatten)]
    pub(crate) http_limits: PortLimits,
    /// Seconds that a request may take
    #[arg(long, default_value = "30", value_parser = a_second_or_more)]
    pub(crate) http_timeout: Duration,
    /// The address of the pages for browsers and in mails; `https` except in the local profile
    #[arg(long, value_parser = public_url::parse)]
    pub(crate) public_url: String,
    /// The address of the API with its version, for the examples [default: `/v1` below `public_url`]
    #[arg(long, value_parser = public_url::parse)]
    pub(crate) api_url: Option<String>,
    /// Trusted proxies: addresses and CIDR blocks, separated by commas
    #[arg(long, default_value = "")]
    pub(crate) trusted_proxies: TrustedProxies,
    /// The header in which they name the client
    #[arg(long, value_enum, default_value = "x-forwarded-for")]
    pub(crate) proxy_header: ProxyHeader,
    /// Redis 6.2 or newer, in which listings-svc publishes the position that public pages read
    #[arg(long, hide_env_values = true, value_parser = kit::redis::url)]
    pub(crate) redis_url: Secret,
    /// Seconds that Redis may take
    #[arg(long, default_value = "2", value_parser = a_second_or_more)]
    pub(crate) redis_deadline: Duration,
    /// Where the gateway's internal port is: `https://host:port,…`, `file:/path` or `dns:https://host:port`
    #[arg(long)]
    pub(crate) gateway_addresses: Addresses,
    /// Where listings-svc is, in the same form
    #[arg(long)]
    pub(crate) listings_addresses: Addresses,
    /// Where catalogue-svc is, in the same form
    #[arg(long)]
    pub(crate) catalogue_addresses: Addresses,
    /// Where economy-svc is, in the same form
    #[arg(long)]
    pub(crate) economy_addresses: Addresses,
    /// Where webhook-svc is, in the same form
    #[arg(long)]
    pub(crate) webhook_addresses: Addresses,
    /// Seconds that a call to a service may take
    #[arg(long, default_value = "10", value_parser = a_second_or_more)]
    pub(crate) upstream_deadline: Duration,
    /// Pages a minute of one network, for the public site, for the other pages and for forms each: a campus or a carrier may have thousands of
    /// people behind one IP address
    #[arg(long, default_value_t = 6_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) pages_per_minute: u32,
    /// The same of one person, or of the browsers of a network with equal headers
    #[arg(long, default_value_t = 3_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) person_pages_per_minute: u32,
    /// Calls to catalogue-svc at once, for public pages; further ones wait
    #[arg(long, default_value = "32", value_parser = count)]
    pub(crate) catalogue_calls: usize,
    /// Calls to economy-svc at once, for public pages; further ones wait
    #[arg(long, default_value = "16", value_parser = count)]
    pub(crate) economy_calls: usize,
    /// A folder with texts that replace those of the public site, such as `terms.en.md` and `terms.fr.md`
    #[arg(long)]
    pub(crate) articles: Option<PathBuf>,
    /// Days without a request after which a session ends
    #[arg(long, default_value_t = 14, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) session_idle: u16,
    /// Days after which a session ends in any case
    #[arg(long, default_value_t = 90, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) session_most: u16,
    /// Keys that encrypt the secrets of authenticator apps and sign the cookies of devices and voters, as `id:base64,…` with 32 bytes each: the first encrypts and
    /// signs, all decrypt and verify. A cookie of a removed key is a new voter's
    #[arg(long, hide_env_values = true)]
    pub(crate) secret_keys: KeyRing,
}

impl Settings {
    pub(crate) fn api_url(&self) -> String {
        let default = || format!("{}/v1", self.public_url);
        self.api_url.clone().unwrap_or_else(default)
    }

    pub(crate) fn staff_mail(&self) -> Option<String> {
        let mailbox = self.staff_mail.as_ref();
        mailbox.map(|mailbox| mailbox.email.to_string())
    }

    /// Whether production shows the default terms or the default text about privacy, which name no operator.
    fn shows_default_texts(&self) -> bool {
        let is_replaced = |name: &str| {
            let folder = self.articles.as_ref();
            folder.is_some_and(|folder| folder.join(format!("{name}.en.md")).exists())
        };
        let is_complete = is_replaced("terms") && is_replaced("privacy");
        self.common.profile == Profile::Production && !is_complete
    }

    pub(crate) fn warn_of_default_texts(&self) {
        if self.shows_default_texts() {
            tracing::warn!(
                "the site shows the default terms or the default text about privacy; give yours in the folder `articles`"
            );
        }
    }

    pub(crate) fn security_contact(&self) -> Option<String> {
        let contact = self.security_contact.clone();
        contact.or_else(|| self.staff_contact())
    }

    fn staff_contact(&self) -> Option<String> {
        Some(format!("mailto:{}", self.staff_mail()?))
    }

    /// The addresses that the documentation names. Warns when production lacks one.
    pub(crate) fn guide_addresses(&self) -> GuideAddresses {
        let contact = self.support_contact.clone().or_else(|| self.staff_contact());
        if self.common.profile == Profile::Production {
            for (name, is_missing) in [
                ("support_contact", contact.is_none()),
                ("status_url", self.status_url.is_none()),
                ("licence_url", self.licence_url.is_none()),
            ] {
                if is_missing {
                    tracing::warn!(
                        setting = name,
                        "the documentation says that there is none; give yours"
                    );
                }
            }
        }
        GuideAddresses {
            site: self.public_url.clone(),
            api_url: self.api_url(),
            links: Links {
                contact,
                status: self.status_url.clone(),
                licence: self.licence_url.clone(),
                tools: self.tools_url.clone(),
            },
        }
    }

    /// Where mails are, on a local fleet.
    pub(crate) fn mail_folder(&self) -> Option<String> {
        match &self.mail.mail {
            mail::Transport::Folder(folder) if self.common.profile == Profile::Local => {
                Some(folder.display().to_string())
            }
            mail::Transport::Folder(_) | mail::Transport::Smtp(_) => None,
        }
    }
}

/// A contact of `security.txt` (RFC 9116, 2.5.3).
fn contact(text: &str) -> Result<String, String> {
    let is_contact = text.starts_with("mailto:") || text.starts_with("https://");
    let is_line = text.bytes().all(|byte| byte.is_ascii_graphic());
    if is_contact && is_line {
        return Ok(text.to_owned());
    }
    Err("use an address such as `mailto:security@mchezo.example` or `https://…`".to_owned())
}

impl kit::config::Settings for Settings {
    const SERVICE: &'static str = "web";
    const PREFIX: &'static str = "WEB";
    const ABOUT: &'static str =
        "The public site and the dashboard of Mchezo: listings, people, accounts and keys";

    fn common(&self) -> &Common {
        &self.common
    }

    fn problems(&self) -> Vec<String> {
        let site = Url::parse(&self.public_url).ok();
        let host = site.as_ref().and_then(Url::host_str).unwrap_or_default();
        let mut problems = self.mail.problems(self.common.profile, host);
        let is_local = self.common.profile == Profile::Local;
        if !is_local && !self.public_url.starts_with("https:") {
            problems.push(
                "`public_url` must begin with https: passwords and sessions would be readable on the way"
                    .to_owned(),
            );
        }
        problems
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use clap::{Args as _, FromArgMatches as _};

    use super::*;

    fn settings(more: &[&str]) -> Settings {
        let keys = format!("--secret-keys=k1:{}", STANDARD.encode([7; 32]));
        let given = [
            "web",
            "--database-url=postgres://h/d",
            "--fleet-token=fleet-token-fleet-token-fleet-token",
            "--staff-token=staff-token-staff-token-staff-token",
            "--mail=file:/nowhere",
            "--public-url=https://mchezo.example",
            "--redis-url=redis://127.0.0.1:1",
            "--gateway-addresses=http://127.0.0.1:1",
            "--listings-addresses=http://127.0.0.1:2",
            "--catalogue-addresses=http://127.0.0.1:3",
            "--economy-addresses=http://127.0.0.1:4",
            "--webhook-addresses=http://127.0.0.1:5",
            keys.as_str(),
        ];
        let command = Settings::augment_args(clap::Command::new("web"));
        let matches = command.get_matches_from(given.iter().chain(more));
        Settings::from_arg_matches(&matches).unwrap()
    }

    #[test]
    fn production_warns_until_terms_and_privacy_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let articles = format!("--articles={}", folder.path().display());
        let shows = |more: &[&str]| settings(more).shows_default_texts();
        assert!(shows(&[]));
        assert!(!shows(&["--profile=local"]));
        assert!(shows(&[articles.as_str()]));
        for (name, shows_default) in [("terms", true), ("privacy", false)] {
            let file = folder.path().join(format!("{name}.en.md"));
            std::fs::write(file, "# Ours").unwrap();
            assert_eq!(shows(&[articles.as_str()]), shows_default, "{name}");
        }
    }
}
