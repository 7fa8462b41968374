//! Checked SQL: regenerates the `.sqlx` folders, with which queries compile without a database.
//!
//! Compiles all crates once, against a scratch database with all schemas. A small wrapper around rustc, or around clippy, which then checks
//! the lints in the same pass, writes the query data of each crate to its own folder, which replaces `.sqlx`.

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
use crate::services::{SERVICES, WEB};
use crate::wait::Signals;

/// A crate with checked SQL: that of a service.
struct Crate {
    /// The name of its schema, which is also that of the package.
    schema: &'static str,
    folder: PathBuf,
}

fn crates() -> impl Iterator<Item = Crate> {
    SERVICES.iter().map(|service| {
        let folder = match service.name {
            WEB => "gateway/web",
            name => name,
        };
        Crate { schema: service.schema(), folder: cargo::root().join(folder) }
    })
}

/// The rustc wrapper: a script in the folder of the launcher.
pub(crate) const COMPILER: &str = "rustc-with-queries";
/// The wrapper around clippy, whose warnings are errors.
pub(crate) const LINTER: &str = "clippy-with-queries";

/// Query data by file name.
type Queries = BTreeMap<String, Vec<u8>>;

/// Regenerates every `.sqlx` folder with one of the two wrappers; returns the crates whose folder has changed.
///
/// # Errors
/// A crate does not compile, or clippy reports a warning.
pub(crate) fn regenerate(
    server: &Address,
    scratch: &Path,
    compiler: &str,
    signals: &Signals,
) -> Result<Vec<&'static str>> {
    generate(server, scratch, compiler, signals)?;
    let mut changed = Vec::new();
    for one in crates() {
        let folder = one.folder.join(".sqlx");
        let (old, new) = (queries(&folder)?, queries(&scratch.join(one.schema))?);
        if old == new {
            continue;
        }
        for name in old.keys() {
            fs::remove_file(folder.join(name)).with_context(|| format!("cannot remove {name}"))?;
        }
        fs::create_dir_all(&folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        for (name, text) in &new {
            fs::write(folder.join(name), text).with_context(|| format!("cannot write {name}"))?;
        }
        changed.push(one.schema);
    }
    Ok(changed)
}

/// Compiles all crates against a database with all migrations. Writes their query data to `scratch/<crate>`.
fn generate(server: &Address, scratch: &Path, compiler: &str, signals: &Signals) -> Result<()> {
    if scratch.exists() {
        fs::remove_dir_all(scratch)
            .with_context(|| format!("cannot remove {}", scratch.display()))?;
    }
    fs::create_dir_all(scratch).with_context(|| format!("cannot create {}", scratch.display()))?;
    server.query("drop database if exists prepare", signals)?;
    server.query("create database prepare template template0", signals)?;
    let database = server.sibling("prepare");
    for one in crates() {
        migrate(&one, &database, signals)?;
        let folder = scratch.join(one.schema);
        fs::create_dir(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    // Cargo only compiles crates with changed files, and only a compilation writes query data.
    // The folder is new.
    let now = fs::metadata(scratch)
        .and_then(|scratch| scratch.modified())
        .with_context(|| format!("cannot read {}", scratch.display()))?;
    for one in crates() {
        for part in ["src", "tests", "benches", "examples"] {
            touch(&one.folder.join(part), now)?;
        }
    }
    let mut command = cargo::command(&["check", "--workspace", "--all-targets"]);
    command.envs([("SQLX_OFFLINE", "false"), ("DATABASE_URL", &database.to_string())]);
    use_compiler(&mut command, compiler, scratch);
    if !process::run(&mut command, signals)?.success() {
        bail!(
            "clippy reports a warning, or a query does not match the migrations: the errors are above"
        );
    }
    Ok(())
}

/// Makes a command find what [`LINTER`] has compiled without an error.
pub(crate) fn reuse_linted(command: &mut Command, scratch: &Path) {
    use_compiler(command, LINTER, scratch);
}

/// Sets the wrapper for the crates of the workspace. Commands with the same wrapper share what they compile.
fn use_compiler(command: &mut Command, compiler: &str, scratch: &Path) {
    let wrapper = cargo::root().join("deploy/fleet").join(compiler);
    command.env("RUSTC_WORKSPACE_WRAPPER", wrapper);
    command.env("FLEET_QUERIES", scratch);
}

/// Migrates the database from which PostgreSQL makes new ones. A test of SQL gets a database of its own: it then has all tables at once, and
/// sqlx finds no migration to run.
pub(crate) fn migrate_template(server: &Address, signals: &Signals) -> Result<()> {
    let template = server.sibling("template1");
    crates().try_for_each(|one| migrate(&one, &template, signals))
}

/// Creates the schema of a service, then runs its migrations in order and records them as sqlx does.
fn migrate(one: &Crate, database: &Address, signals: &Signals) -> Result<()> {
    let schema = one.schema;
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
    database.query(&sql, signals).with_context(|| format!("a migration of {schema} fails"))?;
    Ok(())
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

/// Sets the modification time of all Rust files in a folder.
fn touch(folder: &Path, time: SystemTime) -> Result<()> {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            touch(&path, time)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let file = File::options().write(true).open(&path);
            file.and_then(|file| file.set_modified(time))
                .with_context(|| format!("cannot touch {}", path.display()))?;
        }
    }
    Ok(())
}
