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

/// Five given addresses: all or none.
pub(crate) fn given(
    each: &BTreeMap<&'static str, Option<String>>,
) -> Result<Option<BTreeMap<String, String>>> {
    let urls: BTreeMap<String, String> = each
        .iter()
        .filter_map(|(schema, url)| Some(((*schema).to_owned(), url.clone()?)))
        .collect();
    if urls.is_empty() || urls.len() == each.len() {
        return Ok((!urls.is_empty()).then_some(urls));
    }
    let missing: Vec<String> = each
        .iter()
        .filter(|(_, url)| url.is_none())
        .map(|(schema, _)| setting(schema))
        .collect();
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
    fn some_of_the_five_addresses_are_not_enough() {
        let mut each: BTreeMap<&'static str, Option<String>> = SERVICES
            .iter()
            .map(|service| (service.schema, None))
            .collect();
        assert!(given(&each).unwrap().is_none());
        each.insert("gateway", Some("postgres://a/b".to_owned()));
        let error = given(&each).unwrap_err().to_string();
        assert!(
            error.contains("ECONOMY_DATABASE_URL") && !error.contains("GATEWAY"),
            "{error}"
        );
    }
}
