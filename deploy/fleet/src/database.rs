//! Two roles and one schema for each service, in a private or an external database.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::process::Command;

use anyhow::{Context, Result, bail};
use url::Url;

use crate::folder::Folder;
use crate::manifest::Manifest;
use crate::process;
use crate::services::SERVICES;
use crate::wait::Signals;

/// The URL of a database, and the name of its setting for error messages.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    setting: String,
    url: Url,
}

/// The whole URL, with its password.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.url.as_str())
    }
}

impl Address {
    pub(crate) fn parse(setting: &str, text: &str) -> Result<Self> {
        let url = Url::parse(text).ok().filter(|url| {
            matches!(url.scheme(), "postgres" | "postgresql")
                && url.has_host()
                && url.path().len() > 1
        }).with_context(|| {
            format!("{setting} is not a PostgreSQL URL: write it as postgres://USER:PASSWORD@HOST:5432/DATABASE")
        })?;
        Ok(Self { setting: setting.to_owned(), url })
    }

    pub(crate) fn database(&self) -> &str {
        self.url.path().trim_start_matches('/')
    }

    /// Server and database, without secrets. Two databases differ in this.
    pub(crate) fn identity(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        let port = self.url.port().unwrap_or(5432);
        format!("{host}:{port}/{}", self.database())
    }

    /// The URL of the same database for another user.
    fn for_role(&self, role: &str, password: &str) -> Result<String> {
        let mut url = self.url.clone();
        let set = url.set_username(role).is_ok() && url.set_password(Some(password)).is_ok();
        if !set {
            bail!("{} is not a URL that can have a user", self.setting);
        }
        Ok(url.into())
    }

    /// Runs SQL with psql; returns one line per row, with columns separated by `|`. The SQL goes to standard input and the password to the
    /// environment, because every user of the machine can read the process list.
    pub(crate) fn query(&self, sql: &str, signals: &Signals) -> Result<String> {
        let mut url = self.url.clone();
        let password = self.url.password().map(percent_decode).unwrap_or_default();
        if url.set_password(None).is_err() {
            bail!("{} is not a URL that can have a password", self.setting);
        }
        let mut command = Command::new(servers::postgres::psql().context("psql is missing")?);
        command
            .args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", url.as_str()])
            .envs([("LC_ALL", "C"), ("PGCONNECT_TIMEOUT", "5"), ("PGPASSWORD", &password)])
            .env_remove("PGOPTIONS");
        let output = process::capture(&mut command, sql, signals)?;
        if output.status.success() {
            return Ok(output.stdout.trim().to_owned());
        }
        let reason: Vec<&str> = output.stderr.split_whitespace().collect();
        bail!("{}: {}", self.setting, reason.join(" "))
    }
}

/// The SQL that creates two roles and a schema; its variables are at its top.
const ROLES: &str = include_str!("../../sql/roles.sql");

/// Creates the roles and schemas of all services, and stores the URLs of each service and of the owner of its schema in the manifest.
pub(crate) fn set_up(
    admin: &Address,
    private: bool,
    folder: &Folder,
    manifest: &mut Manifest,
    signals: &Signals,
) -> Result<()> {
    let mut sql = String::new();
    if private {
        let database = admin.database();
        writeln!(
            sql,
            "revoke all on database {database} from public; revoke all on schema public from public;"
        )?;
    } else {
        // On a server that others use, a role of the same name may be theirs.
        let comment = format!("made by the launcher of {}", folder.path().display());
        writeln!(sql, "\\set comment {}", psql_quoted(&comment))?;
    }
    let (mut urls, mut owner_urls) = (BTreeMap::new(), BTreeMap::new());
    for service in &SERVICES {
        let role = service.schema();
        let owner = format!("{role}_owner");
        let (password, owner_password) = (manifest.secret(role)?, manifest.secret(&owner)?);
        writeln!(
            sql,
            "\\set service {role}\n\\set password {password}\n\\set owner_password {owner_password}\n{ROLES}"
        )?;
        urls.insert(role.to_owned(), admin.for_role(role, &password)?);
        owner_urls.insert(role.to_owned(), admin.for_role(&owner, &owner_password)?);
    }
    admin.query(&sql, signals)?;
    manifest.database_url = Some(admin.url.to_string());
    manifest.database_urls = urls;
    manifest.database_owner_urls = owner_urls;
    Ok(())
}

/// A value for psql's `\set`.
fn psql_quoted(value: &str) -> String {
    format!("'{}'", value.replace('\\', "\\\\").replace('\'', "\\'"))
}

/// The name of the setting for a service's own database as the owner of its schema.
pub(crate) fn owner_setting(schema: &str) -> String {
    format!("{}_DATABASE_OWNER_URL", schema.to_uppercase())
}

/// Percent-decodes a part of a URL.
fn percent_decode(part: &str) -> String {
    let query = format!("v={}", part.replace('+', "%2B"));
    url::form_urlencoded::parse(query.as_bytes()).map(|(_, value)| value.into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> Address {
        Address::parse("DATABASE_URL", text).unwrap()
    }

    #[test]
    fn a_bad_url_is_rejected_with_an_example() {
        for bad in ["localhost", "mysql://a/b", "postgres://host", "postgres:///db"] {
            let error = Address::parse("DATABASE_URL", bad).unwrap_err().to_string();
            assert!(error.starts_with("DATABASE_URL is not a PostgreSQL URL"), "{bad}: {error}");
        }
    }

    #[test]
    fn the_error_of_a_database_that_does_not_answer_hides_the_password() {
        // Nobody listens on port 1.
        let url = address("postgres://a:sesame@127.0.0.1:1/b");
        let signals = Signals::install().unwrap();
        let error = url.query("select 1", &signals).unwrap_err().to_string();
        for part in ["DATABASE_URL", "port 1 failed", "Connection refused"] {
            assert!(error.contains(part), "{part}: {error}");
        }
        assert!(!error.contains("sesame"), "{error}");
    }

    #[test]
    fn the_url_of_a_role_keeps_the_parameters() {
        let url = address("postgres://admin:pw@db.example:5433/app?sslmode=require")
            .for_role("economy", "x")
            .unwrap();
        assert_eq!(url, "postgres://economy:x@db.example:5433/app?sslmode=require");
    }

    #[test]
    fn passwords_are_percent_decoded() {
        assert_eq!(percent_decode("a%2Fb+c"), "a/b+c");
    }
}
