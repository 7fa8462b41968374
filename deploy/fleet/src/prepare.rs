//! Checked SQL: regenerates or checks the `.sqlx` folders, with which queries compile without a database.
//!
//! Compiles all crates once, against a scratch database with all schemas. A small wrapper around rustc, or around clippy, which then checks
//! the lints in the same pass, writes the query data of each crate to its own folder. That folder is compared with `.sqlx` or replaces it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use anyhow::{Context, Result, bail};

use crate::cargo;
use crate::database::Address;
use crate::process;
use crate::wait::Signals;

/// The command that regenerates stale query data.
pub(crate) const COMMAND: &str = "deploy/test --prepare";

/// A crate with checked SQL.
#[derive(Debug)]
struct Crate {
    /// The package name.
    name: String,
    folder: PathBuf,
}

/// The rustc wrapper: a script in the folder of the launcher.
const COMPILER: &str = "rustc-with-queries";
/// The wrapper around clippy, whose warnings are errors.
const LINTER: &str = "clippy-with-queries";

/// Query data by file name.
type Queries = BTreeMap<String, Vec<u8>>;

/// The crates whose `.sqlx` does not match their migrations and queries.
///
/// # Errors
/// A crate does not compile, or clippy reports a warning.
pub(crate) fn stale(server: &Address, scratch: &Path, signals: &Signals) -> Result<Vec<String>> {
    let crates = generate(server, scratch, LINTER, signals)?;
    let mut stale = Vec::new();
    for one in crates {
        if queries(&one.folder.join(".sqlx"))? != queries(&scratch.join(&one.name))? {
            stale.push(one.name);
        }
    }
    Ok(stale)
}

/// Regenerates every `.sqlx` folder; returns the crates whose folder has changed.
pub(crate) fn regenerate(
    server: &Address,
    scratch: &Path,
    signals: &Signals,
) -> Result<Vec<String>> {
    let crates = generate(server, scratch, COMPILER, signals)?;
    let mut changed = Vec::new();
    for one in crates {
        let folder = one.folder.join(".sqlx");
        let (old, new) = (queries(&folder)?, queries(&scratch.join(&one.name))?);
        if old == new {
            continue;
        }
        fs::create_dir_all(&folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        for name in old.keys().filter(|name| !new.contains_key(*name)) {
            fs::remove_file(folder.join(name)).with_context(|| format!("cannot remove {name}"))?;
        }
        for (name, text) in &new {
            fs::write(folder.join(name), text).with_context(|| format!("cannot write {name}"))?;
        }
        changed.push(one.name);
    }
    Ok(changed)
}

/// Compiles all crates against a database with all migrations. Writes their query data to `scratch/<crate>`.
fn generate(
    server: &Address,
    scratch: &Path,
    compiler: &str,
    signals: &Signals,
) -> Result<Vec<Crate>> {
    let crates = crates(&cargo::root())?;
    if scratch.exists() {
        fs::remove_dir_all(scratch)
            .with_context(|| format!("cannot remove {}", scratch.display()))?;
    }
    fs::create_dir_all(scratch).with_context(|| format!("cannot create {}", scratch.display()))?;
    server.query("drop database if exists prepare", signals)?;
    server.query("create database prepare template template0", signals)?;
    let database = server.sibling("prepare");
    for one in &crates {
        migrate(one, &database, signals)?;
        let folder = scratch.join(&one.name);
        fs::create_dir(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    // Cargo only compiles crates with changed files, and only a compilation writes query data.
    let touched = Touched::now(&crates, scratch)?;
    let mut command = cargo::command(&["check", "--workspace", "--all-targets"]);
    command.envs([
        ("SQLX_OFFLINE", "false"),
        ("DATABASE_URL", &database.to_string()),
    ]);
    use_compiler(&mut command, compiler, scratch);
    let compiled = process::run(&mut command, signals);
    touched.restore()?;
    if !compiled?.success() {
        bail!(
            "clippy reports a warning, or a query does not match the migrations: the errors are above"
        );
    }
    Ok(crates)
}

/// Makes a command find what [`stale`] has compiled without an error.
pub(crate) fn reuse_linted(command: &mut Command, scratch: &Path) {
    use_compiler(command, LINTER, scratch);
}

/// Sets the wrapper for the crates of the workspace. Commands with the same wrapper share what they compile.
fn use_compiler(command: &mut Command, compiler: &str, scratch: &Path) {
    let wrapper = cargo::root().join("deploy/fleet").join(compiler);
    command.env("RUSTC_WORKSPACE_WRAPPER", wrapper);
    command.env("FLEET_QUERIES", scratch);
}

/// The crates of the workspace with an `sqlx.toml`: at the top, or nested in one at the top.
fn crates(root: &Path) -> Result<Vec<Crate>> {
    let top = folders(root).with_context(|| format!("cannot read {}", root.display()))?;
    let nested = top.iter().filter_map(|folder| folders(folder).ok());
    let nested: Vec<PathBuf> = nested.flatten().collect();
    let mut crates: Vec<Crate> = top
        .into_iter()
        .chain(nested)
        .filter(|folder| folder.join("sqlx.toml").is_file())
        .map(|folder| {
            let text = fs::read_to_string(folder.join("Cargo.toml"))
                .context("a crate has no Cargo.toml")?;
            let name = text
                .lines()
                .find_map(|line| line.strip_prefix("name = "))
                .context("a crate has no name")?;
            Ok(Crate {
                name: name.trim_matches('"').to_owned(),
                folder,
            })
        })
        .collect::<Result<_>>()?;
    crates.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(crates)
}

/// The paths of the entries of a folder.
fn folders(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?;
    Ok(entries.flatten().map(|entry| entry.path()).collect())
}

/// Migrates the database from which PostgreSQL makes new ones. A test of SQL gets a database of its own: it then has all tables at once, and
/// sqlx finds no migration to run.
pub(crate) fn migrate_template(server: &Address, signals: &Signals) -> Result<()> {
    let template = server.sibling("template1");
    crates(&cargo::root())?
        .iter()
        .try_for_each(|one| migrate(one, &template, signals))
}

/// Creates the schema in a crate's `sqlx.toml`, then runs its migrations in order and records them as sqlx does.
fn migrate(one: &Crate, database: &Address, signals: &Signals) -> Result<()> {
    let settings =
        fs::read_to_string(one.folder.join("sqlx.toml")).context("cannot read sqlx.toml")?;
    let schema = schema(&settings).with_context(|| format!("{} has no schema", one.name))?;
    let mut sql = format!(
        "create schema {schema};
         create table {schema}._sqlx_migrations (
             version bigint primary key,
             description text not null,
             installed_on timestamptz not null default now(),
             success boolean not null,
             checksum bytea not null,
             execution_time bigint not null
         );\n"
    );
    let folder = one.folder.join("migrations");
    let entries =
        fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    for file in files {
        let text =
            fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let (version, description) = name.split_once('_').context("a migration has no number")?;
        // In a transaction, as in the service.
        write!(
            sql,
            "begin;\n{text}\n;
             insert into {schema}._sqlx_migrations (version, description, success, checksum, execution_time)
                 values ({version}, '{}', true, sha384(convert_to($migration${text}$migration$, 'UTF8')), 0);
             commit;\n",
            description.replace('_', " ")
        )?;
    }
    database
        .query(&sql, signals)
        .with_context(|| format!("a migration of {} fails", one.name))?;
    Ok(())
}

/// `create-schemas = ["catalogue"]` → `catalogue`.
fn schema(settings: &str) -> Option<&str> {
    let lines = settings.lines();
    let line = lines
        .map(str::trim)
        .find(|line| line.starts_with("create-schemas"));
    line?.split('"').nth(1)
}

fn queries(folder: &Path) -> Result<Queries> {
    let mut queries = Queries::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let text = fs::read(entry.path())
            .with_context(|| format!("cannot read {}", entry.path().display()))?;
        queries.insert(entry.file_name().to_string_lossy().into_owned(), text);
    }
    Ok(queries)
}

/// Source files whose modification times were set to now, with their earlier times. These are restored afterwards, so that cargo does not
/// compile them again.
struct Touched(Vec<(PathBuf, SystemTime)>);

impl Touched {
    fn now(crates: &[Crate], scratch: &Path) -> Result<Self> {
        let now = modified(scratch)?;
        let mut files = Vec::new();
        for one in crates {
            for part in ["src", "tests", "benches", "examples"] {
                sources(&one.folder.join(part), &mut files);
            }
        }
        let times = files
            .into_iter()
            .map(|file| modified(&file).map(|time| (file, time)))
            .collect::<Result<_>>()?;
        let touched = Self(times);
        touched
            .0
            .iter()
            .try_for_each(|(file, _)| set_modified(file, now))?;
        Ok(touched)
    }

    fn restore(self) -> Result<()> {
        self.0
            .iter()
            .try_for_each(|(file, time)| set_modified(file, *time))
    }
}

fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

fn modified(path: &Path) -> Result<SystemTime> {
    fs::metadata(path)
        .and_then(|metadata| metadata.modified())
        .with_context(|| format!("cannot read the modification time of {}", path.display()))
}

fn set_modified(path: &Path, time: SystemTime) -> Result<()> {
    File::options()
        .write(true)
        .open(path)
        .and_then(|file| file.set_modified(time))
        .with_context(|| format!("cannot set the modification time of {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_parsed_from_the_settings() {
        let settings = "[migrate]\ncreate-schemas = [\"a\"]\ntable-name = \"a._sqlx_migrations\"\n";
        assert_eq!(schema(settings), Some("a"));
        assert_eq!(schema(""), None);
    }

    #[test]
    fn modification_times_are_restored() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().to_owned();
        fs::create_dir(folder.join("src")).unwrap();
        let file = folder.join("src/lib.rs");
        fs::write(&file, "").unwrap();
        set_modified(&file, SystemTime::UNIX_EPOCH).unwrap();
        let touched = Touched::now(
            &[Crate {
                name: String::new(),
                folder,
            }],
            dir.path(),
        )
        .unwrap();
        assert_ne!(modified(&file).unwrap(), SystemTime::UNIX_EPOCH);
        touched.restore().unwrap();
        assert_eq!(modified(&file).unwrap(), SystemTime::UNIX_EPOCH);
    }
}
