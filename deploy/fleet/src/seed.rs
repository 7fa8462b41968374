//! The seed data of a fleet: accounts with keys, and the real directory. `staff apply` creates them from a file.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::folder::{self, Folder};
use crate::manifest::{Account, Manifest};
use crate::process;
use crate::say::say;
use crate::services::WEB;
use crate::wait::Signals;

/// The program that creates people of the dashboard.
pub(crate) const PEOPLE: &str = "local-people";
/// The characters of a password: 80 bits.
const PASSWORD: usize = 20;

/// Secrets of keys, by the id of the account and the name of the key.
type Secrets = BTreeMap<String, BTreeMap<String, String>>;

/// The staff tool, and the services that it calls.
pub(crate) struct Staff<'a> {
    pub(crate) folder: &'a Folder,
    pub(crate) binaries: &'a Path,
    pub(crate) signals: &'a Signals,
    pub(crate) gateway: String,
    pub(crate) listings: String,
    pub(crate) economy: String,
}

/// The report of `staff apply`.
#[derive(Deserialize)]
struct Report {
    files: Vec<Imported>,
    accounts: Vec<Account>,
}

#[derive(Deserialize)]
struct Imported {
    file: PathBuf,
    created: u64,
    updated: u64,
    unchanged: u64,
    refused: u64,
}

/// Creates what is missing, unless the same files are already applied.
pub(crate) fn apply(staff: &Staff<'_>, files: &[PathBuf], manifest: &mut Manifest) -> Result<()> {
    let fingerprint = fingerprint(files)?;
    if manifest.memory.imported.as_deref() == Some(&fingerprint) {
        say("Directory data: already imported");
        return Ok(());
    }
    say("Importing the directory, and creating accounts with keys");
    let secrets = staff.folder.secrets();
    if !secrets.exists() {
        let accounts = manifest.accounts.iter();
        let known: Secrets =
            accounts.map(|account| (account.id.clone(), account.keys.clone())).collect();
        let text = serde_json::to_vec(&known).context("cannot serialize the secrets")?;
        folder::write(&secrets, &text, 0o600)?;
    }
    let mut command = Command::new(staff.binaries.join("staff"));
    // In a folder without a `.fleet`, where the tool would look for another fleet.
    command.current_dir(staff.folder.path()).envs([
        ("STAFF_TOKEN", &manifest.staff_token),
        ("STAFF_GATEWAY", &staff.gateway),
        ("STAFF_LISTINGS", &staff.listings),
        ("STAFF_ECONOMY", &staff.economy),
    ]);
    command.args(["--json", "apply", "--secrets"]).arg(&secrets);
    let output = process::capture(command.args(files), "", staff.signals)?;
    if !output.status.success() {
        bail!("`staff apply` failed: {}", output.stderr.trim());
    }
    let report: Report =
        serde_json::from_str(&output.stdout).context("cannot read the report of `staff apply`")?;
    for imported in report.files {
        say(format!("  {imported}"));
    }
    let text = fs::read(&secrets).context("cannot read the secrets of `staff apply`")?;
    let mut keys: Secrets = serde_json::from_slice(&text).context("cannot parse the secrets")?;
    manifest.accounts = report.accounts;
    for account in &mut manifest.accounts {
        account.email = format!("{}@fleet.example", account.name);
        account.keys = keys.remove(&account.id).unwrap_or_default();
        account.economy_game = account.games.first().cloned();
    }
    create_people(staff, manifest)?;
    manifest.memory.imported = Some(fingerprint);
    manifest.save(staff.folder)
}

/// The owner of an account, for `local-people`.
#[derive(Serialize)]
struct Owner<'a> {
    email: &'a str,
    password: &'a str,
    account: &'a str,
}

/// Gives each account an owner who can sign in to the dashboard. A person who exists keeps the password.
fn create_people(staff: &Staff<'_>, manifest: &mut Manifest) -> Result<()> {
    let mut accounts = std::mem::take(&mut manifest.accounts);
    for account in &mut accounts {
        let mut password = manifest.secret(&format!("password of {}", account.email))?;
        password.truncate(PASSWORD);
        account.password = password;
    }
    manifest.accounts = accounts;
    // Before a person has it, in case the launcher is killed in between.
    manifest.save(staff.folder)?;
    let owners: Vec<Owner<'_>> = manifest
        .accounts
        .iter()
        .map(|account| Owner {
            email: &account.email,
            password: &account.password,
            account: &account.id,
        })
        .collect();
    let text = serde_json::to_string(&owners).context("cannot serialize the people")?;
    let database = manifest.database_urls.get(WEB);
    let database = database.context("the dashboard has no database URL")?;
    let mut command = Command::new(staff.binaries.join(PEOPLE));
    command.env("WEB_DATABASE_URL", database);
    let output = process::capture(&mut command, &text, staff.signals)?;
    if !output.status.success() {
        bail!("`{PEOPLE}` failed: {}", output.stderr.trim());
    }
    Ok(())
}

impl std::fmt::Display for Imported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = self.file.file_stem().unwrap_or_default().to_string_lossy();
        let rows = self.created + self.updated + self.unchanged;
        write!(f, "{name:<20} {rows} rows")?;
        if self.refused > 0 {
            write!(f, ", {} refused", self.refused)?;
        }
        Ok(())
    }
}

/// A hash of the files and of all data in their folders.
fn fingerprint(files: &[PathBuf]) -> Result<String> {
    let mut hasher = DefaultHasher::new();
    for file in files {
        file.file_name().hash(&mut hasher);
        let folder = file.parent().unwrap_or(file);
        let entries =
            fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            let bytes = fs::read(&path);
            hasher.write(&bytes.with_context(|| format!("cannot read {}", path.display()))?);
        }
    }
    Ok(format!("{:016x}", hasher.finish()))
}
