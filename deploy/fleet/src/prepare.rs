//! Checked SQL: the `.sqlx` folders, which let a machine without a database compile the queries, made anew from the
//! migrations.
//!
//! All crates are compiled once, against a scratch database that holds the schemas of all of them. A small wrapper around
//! rustc, or around clippy, which then checks the code in the same pass, sends each crate's query data to a folder of its own,
//! which is then compared with, or takes the place of, `.sqlx`.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result, bail};

use crate::cargo;
use crate::database::Address;
use crate::process;
use crate::wait::Signals;

/// The command that mends stale query data.
pub(crate) const MEND: &str = "deploy/test --prepare";

/// A crate with checked SQL.
#[derive(Debug)]
struct Crate {
    /// Cargo's name of it.
    name: String,
    folder: PathBuf,
}

/// What compiles the crates: a script of the launcher's folder.
const COMPILER: &str = "rustc-with-queries";
/// The same with clippy's lints, whose warnings are errors.
const LINTER: &str = "clippy-with-queries";

/// Query data by file name.
type Queries = BTreeMap<String, Vec<u8>>;

/// The crates whose `.sqlx` is not what their migrations and queries give. The lints of all crates are checked by the way; where one
/// objects, that is the error.
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

/// Writes every `.sqlx` folder anew; the crates where that changed something.
pub(crate) fn rewrite(server: &Address, scratch: &Path, signals: &Signals) -> Result<Vec<String>> {
    let crates = generate(server, scratch, COMPILER, signals)?;
    let mut changed = Vec::new();
    for one in crates {
        let folder = one.folder.join(".sqlx");
        let (old, new) = (queries(&folder)?, queries(&scratch.join(&one.name))?);
        if old == new {
            continue;
        }
        fs::create_dir_all(&folder)
            .with_context(|| format!("{} cannot be made", folder.display()))?;
        for name in old.keys().filter(|name| !new.contains_key(*name)) {
            fs::remove_file(folder.join(name))
                .with_context(|| format!("{name} cannot be removed"))?;
        }
        for (name, text) in &new {
            fs::write(folder.join(name), text)
                .with_context(|| format!("{name} cannot be written"))?;
        }
        changed.push(one.name);
    }
    Ok(changed)
}

/// Compiles all crates against a database with all migrations; their query data lies in `scratch/<crate>` afterwards.
fn generate(
    server: &Address,
    scratch: &Path,
    compiler: &str,
    signals: &Signals,
) -> Result<Vec<Crate>> {
    let crates = crates(&cargo::root())?;
    if scratch.exists() {
        fs::remove_dir_all(scratch)
            .with_context(|| format!("{} cannot be removed", scratch.display()))?;
    }
    fs::create_dir_all(scratch).with_context(|| format!("{} cannot be made", scratch.display()))?;
    server.query("drop database if exists prepare", signals)?;
    server.query("create database prepare", signals)?;
    let database = server.sibling("prepare");
    for one in &crates {
        migrate(one, &database, signals)?;
        let folder = scratch.join(&one.name);
        fs::create_dir(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    }
    // Cargo compiles only what is newer than its last result, and query data comes out of compiling alone.
    let touched = Touched::now(&crates, scratch)?;
    let mut command = cargo::command(&["check", "--workspace", "--all-targets"]);
    command
        .envs([
            ("SQLX_OFFLINE", "false"),
            ("DATABASE_URL", &database.to_string()),
        ])
        .envs([
            (
                "RUSTC_WORKSPACE_WRAPPER",
                cargo::root()
                    .join("deploy/fleet")
                    .join(compiler)
                    .as_os_str(),
            ),
            ("FLEET_QUERIES", scratch.as_os_str()),
        ]);
    let compiled = process::run(&mut command, signals);
    touched.restore()?;
    if !compiled?.success() {
        bail!("a lint objects, or a query does not fit the migrations: the errors are above");
    }
    Ok(crates)
}

/// The workspace's crates with an `sqlx.toml`.
fn crates(root: &Path) -> Result<Vec<Crate>> {
    let entries =
        fs::read_dir(root).with_context(|| format!("{} cannot be read", root.display()))?;
    let mut crates: Vec<Crate> = entries
        .flatten()
        .map(|entry| entry.path())
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

/// Runs a crate's migrations in order, after making the schemas that its `sqlx.toml` names.
fn migrate(one: &Crate, database: &Address, signals: &Signals) -> Result<()> {
    let settings =
        fs::read_to_string(one.folder.join("sqlx.toml")).context("sqlx.toml cannot be read")?;
    for schema in schemas(&settings) {
        database.query(&format!("create schema if not exists {schema}"), signals)?;
    }
    let folder = one.folder.join("migrations");
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "sql"))
        .filter(|path| !path.to_string_lossy().ends_with(".down.sql"))
        .collect();
    files.sort();
    for file in files {
        let sql = fs::read_to_string(&file)
            .with_context(|| format!("{} cannot be read", file.display()))?;
        // In a transaction, as the service runs it.
        database
            .query(&format!("begin;\n{sql}\n;commit;"), signals)
            .with_context(|| format!("{} does not run", file.display()))?;
    }
    Ok(())
}

/// `create-schemas = ["catalogue"]` → `catalogue`.
fn schemas(settings: &str) -> Vec<&str> {
    let line = settings
        .lines()
        .find_map(|line| line.trim().strip_prefix("create-schemas"));
    line.map(|list| list.split('"').skip(1).step_by(2).collect())
        .unwrap_or_default()
}

fn queries(folder: &Path) -> Result<Queries> {
    let mut queries = Queries::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let text = fs::read(entry.path())
            .with_context(|| format!("{} cannot be read", entry.path().display()))?;
        queries.insert(entry.file_name().to_string_lossy().into_owned(), text);
    }
    Ok(queries)
}

/// Source files made to look changed, with the times they had: given back, so that nothing else is compiled again.
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
        .with_context(|| format!("{} has no time", path.display()))
}

fn set_modified(path: &Path, time: SystemTime) -> Result<()> {
    File::options()
        .write(true)
        .open(path)
        .and_then(|file| file.set_modified(time))
        .with_context(|| format!("{} cannot be touched", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_are_read_from_the_settings() {
        let settings =
            "[migrate]\ncreate-schemas = [\"a\", \"b\"]\ntable-name = \"a._sqlx_migrations\"\n";
        assert_eq!(schemas(settings), ["a", "b"]);
        assert!(schemas("").is_empty());
    }

    #[test]
    fn touched_files_get_their_times_back() {
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
