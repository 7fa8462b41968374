//! Problems of settings that each have a valid value.

use clap::{ArgMatches, Command};
use sqlx::postgres::PgSslMode;

use super::{Common, Identity, Profile};
use crate::{grpc_address, pg_url, redis_url};

pub(super) fn cross_check(common: &Common) -> Vec<String> {
    let mut problems = Vec::new();
    if common.profile == Profile::Production && common.clock_file.is_some() {
        problems.push("clock_file: it is allowed only in the local profile".to_owned());
    }
    let Identity { fleet_token, staff_token, .. } = &common.identity;
    if staff_token.all().any(|token| fleet_token.accepts(token.expose().as_bytes())) {
        problems.push(
            "staff_token: must differ from fleet_token; otherwise every service could act as staff"
                .to_owned(),
        );
    }
    let has_tls = common.tls.files().is_some();
    if !has_tls && !common.tls.is_empty() {
        problems.push("tls_certificate, tls_key and tls_ca: set all three or none".to_owned());
    }
    let address = common.grpc_listen;
    if !has_tls && common.profile != Profile::Local && !address.ip().is_loopback() {
        problems.push(format!(
            "grpc_listen: {address} serves other machines without TLS: set tls_certificate, tls_key and tls_ca"
        ));
    }
    problems
}

/// Settings with addresses of services that would not be called. Addresses in a file are checked when they are read.
pub(super) fn refused_addresses(
    command: &Command,
    matches: &ArgMatches,
    common: &Common,
) -> Vec<String> {
    let settings = command.get_arguments().filter_map(|arg| {
        let id = arg.get_id().as_str();
        let is_list = id.ends_with("_addresses");
        let mut values = is_list.then(|| matches.get_raw(id)).flatten()?;
        Some((arg, values.next()?.to_string_lossy()))
    });
    settings
        .filter_map(|(arg, value)| {
            let list = value.strip_prefix("dns:").unwrap_or(&value).split(',');
            let mut addresses = list.filter_map(|text| grpc_address::parse(text.trim()).ok());
            let problem = addresses.find_map(|address| refusal(&address, common))?;
            let (variable, flag) = (arg.get_env()?.to_string_lossy(), arg.get_long()?);
            Some(format!("{variable} (--{flag}): {problem}"))
        })
        .collect()
}

fn refusal(address: &http::Uri, common: &Common) -> Option<String> {
    if grpc_address::has_tls(address) {
        let is_missing = common.tls.files().is_none();
        return is_missing.then(|| {
            format!("{address} is reached by TLS: set tls_certificate, tls_key and tls_ca")
        });
    }
    let is_refused = common.profile == Profile::Production && grpc_address::is_exposed(address);
    is_refused.then(|| format!("{address} is called without TLS: use an https:// address"))
}

/// Settings with a server of PostgreSQL or Redis that production would reach by TCP without TLS, although it is neither on this machine nor
/// in `plaintext_hosts`. A value has a password, so that only its host is named.
pub(super) fn plaintext_servers(command: &Command, matches: &ArgMatches) -> Vec<String> {
    if matches.get_one::<Profile>("profile") != Some(&Profile::Production) {
        return Vec::new();
    }
    let accepted = text(matches, "plaintext_hosts").unwrap_or_default();
    let is_accepted = |host: &str| {
        grpc_address::is_loopback(host) || accepted.split(',').any(|it| it.trim() == host)
    };
    let settings = command.get_arguments().filter_map(|arg| {
        let id = arg.get_id().as_str();
        let (hosts, remedy) = match id {
            "database_url" | "database_owner_url" => (
                plaintext_hosts_of_postgres(&text(matches, id)?),
                "append ?sslmode=verify-full, verify-ca or require to the address",
            ),
            "redis_url" => (
                redis_url::plaintext_hosts(&text(matches, id)?),
                "begin the address with rediss:// or rediss+cluster://",
            ),
            _ => return None,
        };
        let host = hosts.into_iter().find(|host| !is_accepted(host))?;
        let (variable, flag) = (arg.get_env()?.to_string_lossy(), arg.get_long()?);
        Some(format!(
            "{variable} (--{flag}): {host} is reached without TLS: {remedy}, or name the host in plaintext_hosts if nobody else reads the network between"
        ))
    });
    settings.collect()
}

/// The value of a setting as it was given.
fn text(matches: &ArgMatches, id: &str) -> Option<String> {
    let mut values = matches.get_raw(id)?;
    Some(values.next()?.to_string_lossy().into_owned())
}

/// The host of a URL of PostgreSQL, unless it is reached by a Unix socket or always by TLS.
fn plaintext_hosts_of_postgres(url: &str) -> Vec<String> {
    let Some(options) = pg_url::parse(url) else {
        return Vec::new();
    };
    let has_tls = match options.get_ssl_mode() {
        PgSslMode::Disable | PgSslMode::Allow | PgSslMode::Prefer => false,
        PgSslMode::Require | PgSslMode::VerifyCa | PgSslMode::VerifyFull => true,
    };
    let host = options.get_host();
    let is_socket = options.get_socket().is_some() || host.starts_with('/');
    if has_tls || is_socket {
        return Vec::new();
    }
    vec![host.to_owned()]
}
