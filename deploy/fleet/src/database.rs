//! One role and one schema for each service, in a private database or in one that was given.

use std::collections::BTreeMap;
use std::fmt;
use std::process::Command;

use anyhow::{Context, Result, bail};
use url::Url;

use crate::folder::Folder;
use crate::manifest::Manifest;
use crate::postgres;
use crate::process;
use crate::services::SERVICES;
use crate::wait::Signals;

/// The address of a database, and the setting it came from, to be named in errors.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    setting: String,
    url: Url,
}

/// The whole address, with its password.
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
        });
        let url = url.with_context(|| {
            format!("{setting} cannot be understood: write it as postgres://USER:PASSWORD@HOST:5432/DATABASE")
        })?;
        Ok(Self {
            setting: setting.to_owned(),
            url,
        })
    }

    pub(crate) fn database(&self) -> &str {
        self.url.path().trim_start_matches('/')
    }

    /// The server and database without the secret: what tells one database from another.
    pub(crate) fn identity(&self) -> String {
        format!("{}/{}", self.server(), self.database())
    }

    fn server(&self) -> String {
        format!(
            "{}:{}",
            self.url.host_str().unwrap_or_default(),
            self.url.port().unwrap_or(5432)
        )
    }

    /// Another database of the same server.
    pub(crate) fn sibling(&self, database: &str) -> Self {
        let mut url = self.url.clone();
        url.set_path(database);
        Self {
            setting: self.setting.clone(),
            url,
        }
    }

    /// The same database as another user.
    fn of_role(&self, role: &str, password: &str) -> Result<String> {
        let mut url = self.url.clone();
        let set = url.set_username(role).is_ok() && url.set_password(Some(password)).is_ok();
        if !set {
            bail!("{} cannot carry a user", self.setting);
        }
        Ok(url.into())
    }

    /// Runs SQL and answers its rows, one a line, columns parted by `|`. The SQL goes to standard input and the password
    /// into the environment, since every user of the machine may read the process list.
    pub(crate) fn query(&self, sql: &str, signals: &Signals) -> Result<String> {
        let mut url = self.url.clone();
        let password = self.url.password().map(decoded).unwrap_or_default();
        if url.set_password(None).is_err() {
            bail!("{} cannot carry a password", self.setting);
        }
        let mut command = Command::new(postgres::psql().context("psql is missing")?);
        command
            .args([
                "-X",
                "-q",
                "-A",
                "-t",
                "-v",
                "ON_ERROR_STOP=1",
                "-d",
                url.as_str(),
            ])
            .envs([
                ("LC_ALL", "C"),
                ("PGCONNECT_TIMEOUT", "5"),
                ("PGPASSWORD", &password),
            ])
            .env_remove("PGOPTIONS");
        let output = process::capture(&mut command, sql, signals)?;
        if output.status.success() {
            return Ok(output.stdout.trim().to_owned());
        }
        bail!(self.explain(&output.stderr))
    }

    /// What psql complains about, as one sentence that says what to do.
    fn explain(&self, complaint: &str) -> String {
        let (server, setting) = (self.server(), &self.setting);
        let user = self.url.username();
        let has = |text: &str| complaint.contains(text);
        if has("Connection refused") || has("No such file or directory") {
            format!(
                "no PostgreSQL answers at {server}: start it, or mend {setting} or leave it out"
            )
        } else if has("could not translate host name") {
            format!("no machine is known as {server}: mend {setting}")
        } else if has("timeout expired") || has("No route to host") {
            format!("PostgreSQL at {server} cannot be reached: mend {setting} or the network")
        } else if has("password authentication failed") || has("no password supplied") {
            format!("PostgreSQL at {server} refuses the password of {user}: mend {setting}")
        } else if has("database") && has("does not exist") {
            let database = self.database();
            format!("there is no database {database} at {server}: create it or mend {setting}")
        } else {
            let line = complaint
                .lines()
                .find(|line| !line.trim().is_empty())
                .unwrap_or("it gives no reason");
            let line = line.trim_start_matches("psql: error: ");
            format!("PostgreSQL at {server} ({setting}) refuses: {line}")
        }
    }

    /// Checks that the server answers and is new enough; its version.
    pub(crate) fn check(&self, signals: &Signals) -> Result<String> {
        let version = self.query("show server_version", signals)?;
        let version = version
            .split_whitespace()
            .next()
            .unwrap_or_default()
            .to_owned();
        postgres::require(&version).with_context(|| format!("at {}", self.server()))?;
        Ok(version)
    }
}

/// Makes the roles and schemas of all services and remembers what each connects with.
///
/// A role owns its schema and may connect to the database and create in it: sqlx asks for CREATE even where the schema is
/// already there, and it opens no other schema to anyone.
pub(crate) fn set_up(
    admin: &Address,
    private: bool,
    folder: &Folder,
    manifest: &mut Manifest,
    signals: &Signals,
) -> Result<()> {
    if !private {
        check_powers(admin, signals)?;
    }
    let mark = format!("made by the launcher of {}", folder.path().display()).replace('\'', "''");
    let mut sql = vec!["set client_min_messages = warning;".to_owned()];
    if private {
        let database = admin.database();
        sql.push(format!("revoke all on database {database} from public; revoke all on schema public from public;"));
    }
    let mut urls = BTreeMap::new();
    for service in &SERVICES {
        let role = service.schema;
        if !private {
            check_ours(admin, role, &mark, signals)?;
        }
        let password = manifest.secret(role)?;
        sql.push(statements(role, &password, &mark));
        urls.insert(role.to_owned(), admin.of_role(role, &password)?);
    }
    admin.query(&sql.join("\n"), signals)?;
    if !private {
        check_granted(admin, signals)?;
    }
    manifest.database_url = Some(admin.url.to_string());
    manifest.database_urls = urls;
    Ok(())
}

/// All that one service needs. Names are the launcher's own and passwords are hex, so nothing needs quoting but the mark.
fn statements(role: &str, password: &str, mark: &str) -> String {
    format!(
        "do $$ begin
           if not exists (select from pg_roles where rolname = '{role}') then create role {role}; end if;
           -- Only a member of a role may give it a schema; a superuser always may.
           if not (select rolsuper from pg_roles where rolname = current_user) then
             execute format('grant {role} to %I', current_user);
           end if;
           execute format('grant connect, create on database %I to {role}', current_database());
         end $$;
         alter role {role} login password '{password}';
         comment on role {role} is '{mark}';
         create schema if not exists {role} authorization {role};\n"
    )
}

fn check_powers(admin: &Address, signals: &Signals) -> Result<()> {
    let may = admin.query(
        "select rolsuper or (rolcreaterole and has_database_privilege(current_database(), 'create with grant option'))
         from pg_roles where rolname = current_user",
        signals,
    )?;
    if may != "t" {
        bail!(
            "the user of {} may not make roles or does not own the database: `alter role {user} createrole; \
             alter database {database} owner to {user}` as a superuser, or give five <SERVICE>_DATABASE_URLs",
            admin.setting,
            user = admin.url.username(),
            database = admin.database(),
        );
    }
    Ok(())
}

/// A role of that name that something else made keeps its password, and the fleet its hands off.
fn check_ours(admin: &Address, role: &str, mark: &str, signals: &Signals) -> Result<()> {
    let comment = admin.query(
        &format!("select coalesce(shobj_description(oid, 'pg_authid'), '') = '{mark}' from pg_roles where rolname = '{role}'"),
        signals,
    )?;
    if comment == "f" {
        bail!(
            "the server of {} already has a role {role} that is not this fleet's: \
             take another server, or give five <SERVICE>_DATABASE_URLs",
            admin.setting
        );
    }
    Ok(())
}

/// A grant that PostgreSQL may not make is only a warning, so the outcome is looked at.
fn check_granted(admin: &Address, signals: &Signals) -> Result<()> {
    for service in &SERVICES {
        let role = service.schema;
        let sql = format!(
            "select has_database_privilege('{role}', current_database(), 'create')
               and (select nspowner = '{role}'::regrole from pg_namespace where nspname = '{role}')"
        );
        if admin.query(&sql, signals)? != "t" {
            bail!(
                "the schema {role} in {} belongs to another role: `drop schema {role} cascade` \
                 if it is not needed, or take another database",
                admin.identity()
            );
        }
    }
    Ok(())
}

/// An address for each schema.
type Each = BTreeMap<String, String>;

/// What was given: one address for all services, or five; in `options` (`URL` or `SERVICE=URL`), else in the environment.
pub(crate) fn given(
    options: &[String],
    variable: impl Fn(&str) -> Option<String>,
) -> Result<(Option<String>, Option<Each>)> {
    // An empty variable is one that is not set.
    let set = |name: &str| variable(name).filter(|url| !url.is_empty());
    let named = |option: &String| {
        let (name, url) = option.split_once('=')?;
        let service = SERVICES
            .iter()
            .find(|service| [service.name, service.schema].contains(&name))?;
        Some((service.schema.to_owned(), url.to_owned()))
    };
    let whole = options.iter().rfind(|option| named(option).is_none());
    let mut each: Each = options.iter().filter_map(named).collect();
    if whole.is_none() {
        for service in SERVICES {
            if let Some(url) = set(&setting(service.schema)) {
                each.entry(service.schema.to_owned()).or_insert(url);
            }
        }
    }
    if each.is_empty() {
        return Ok((whole.cloned().or_else(|| set("DATABASE_URL")), None));
    }
    let missing: Vec<String> = SERVICES
        .iter()
        .filter(|service| !each.contains_key(service.schema))
        .map(|service| setting(service.schema))
        .collect();
    if missing.is_empty() {
        return Ok((None, Some(each)));
    }
    bail!(
        "{} missing: give all five addresses, or DATABASE_URL, or none",
        missing.join(", ")
    )
}

/// The setting that gives a service its own database.
pub(crate) fn setting(schema: &str) -> String {
    format!("{}_DATABASE_URL", schema.to_uppercase())
}

/// A part of an address without its percent signs.
pub(crate) fn decoded(part: &str) -> String {
    let query = format!("v={}", part.replace('+', "%2B"));
    url::form_urlencoded::parse(query.as_bytes())
        .map(|(_, value)| value.into_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> Address {
        Address::parse("DATABASE_URL", text).unwrap()
    }

    #[test]
    fn an_address_that_is_none_is_refused_with_an_example() {
        for bad in [
            "localhost",
            "mysql://a/b",
            "postgres://host",
            "postgres:///db",
        ] {
            let error = Address::parse("DATABASE_URL", bad).unwrap_err().to_string();
            assert!(
                error.starts_with("DATABASE_URL cannot be understood"),
                "{bad}: {error}"
            );
        }
    }

    #[test]
    fn a_role_keeps_the_parameters_of_the_address() {
        let url = address("postgres://admin:pw@db.example:5433/app?sslmode=require")
            .of_role("economy", "x")
            .unwrap();
        assert_eq!(
            url,
            "postgres://economy:x@db.example:5433/app?sslmode=require"
        );
    }

    #[test]
    fn complaints_become_one_sentence_without_the_password() {
        let address = address("postgres://ann:geheim@db:5433/app");
        let cases = [
            (
                "psql: error: connection to server at \"db\", port 5433 failed: Connection refused\n\tIs …",
                "no PostgreSQL answers",
            ),
            (
                "psql: error: … FATAL:  password authentication failed for user \"ann\"",
                "refuses the password of ann",
            ),
            (
                "psql: error: … FATAL:  database \"app\" does not exist",
                "there is no database app",
            ),
            (
                "psql: error: could not translate host name \"db\" to address",
                "no machine is known as db",
            ),
            ("psql: error: … timeout expired", "cannot be reached"),
            ("psql: error: something new", "refuses: something new"),
        ];
        for (complaint, sentence) in cases {
            let said = address.explain(complaint);
            assert!(said.contains(sentence), "{said}");
            assert!(
                said.contains("DATABASE_URL") && !said.contains("geheim") && !said.contains('\n'),
                "{said}"
            );
        }
    }

    #[test]
    fn one_address_or_all_five_are_given_by_options_or_variables() {
        let none = |_: &str| None;
        let url = |service: &str| format!("postgres://a/{service}");
        let five: Vec<String> = SERVICES
            .iter()
            .map(|service| format!("{}={}", service.name, url(service.schema)))
            .collect();
        let whole = Some(url("whole"));
        let variables = |name: &str| (name == "DATABASE_URL").then(|| url("whole"));
        assert_eq!(given(&[], none).unwrap(), (None, None));
        assert_eq!(given(&[], variables).unwrap(), (whole.clone(), None));
        assert_eq!(given(&[url("whole")], none).unwrap(), (whole, None));
        let each = given(&five, variables).unwrap().1.unwrap();
        assert_eq!((each.len(), &each["gateway"]), (5, &url("gateway")));
        assert_eq!(given(&[], |_| Some(String::new())).unwrap(), (None, None));
    }

    #[test]
    fn some_of_the_five_addresses_are_not_enough() {
        let one = ["gateway=postgres://a/b".to_owned()];
        let error = given(&one, |_| None).unwrap_err().to_string();
        assert!(
            error.contains("ECONOMY_DATABASE_URL") && !error.contains("GATEWAY"),
            "{error}"
        );
    }
}
