//! `fleet.json`: what tests and tools need to know about a fleet, and what the launcher must remember between starts; and
//! `run.json`: which processes it started.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::folder::Folder;
use crate::process::Record;
use crate::random;

/// How far a fleet is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum State {
    #[default]
    Stopped,
    Starting,
    Running,
}

/// The text of `fleet.json`.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Manifest {
    pub(crate) state: State,
    /// Where the API is; ends with the version segment.
    pub(crate) base_url: String,
    /// The whole database, for tests and for looking around; absent when five addresses were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) database_url: Option<String>,
    /// What each service connects with.
    pub(crate) database_urls: BTreeMap<String, String>,
    pub(crate) redis_url: String,
    pub(crate) clock_file: String,
    /// Where mails are written instead of being sent.
    pub(crate) mail_dir: String,
    pub(crate) services: Vec<Service>,
    /// PostgreSQL and Redis, where the launcher started them.
    pub(crate) servers: Vec<Server>,
    pub(crate) staff_token: String,
    pub(crate) fleet_token: String,
    pub(crate) accounts: Vec<Account>,
    pub(crate) memory: Memory,
}

/// One running process of a service.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Service {
    pub(crate) name: String,
    pub(crate) replica: u16,
    /// Absent while the process is down and waits to be started again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pid: Option<u32>,
    pub(crate) grpc: String,
    /// The public address; the gateway alone has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) http: Option<String>,
    pub(crate) metrics: String,
    pub(crate) health: String,
    pub(crate) ready: String,
}

/// A server that the launcher keeps running.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Server {
    /// `postgres` or `redis`.
    pub(crate) name: String,
    /// Absent while it is down and waits to be started again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pid: Option<u32>,
}

impl Service {
    /// Its name among its replicas: `webhook-svc`, `webhook-svc-2`.
    pub(crate) fn full_name(&self) -> String {
        replica_name(&self.name, self.replica)
    }
}

/// The name of one process of a service: the first has the service's own.
pub(crate) fn replica_name(service: &str, replica: u16) -> String {
    if replica == 1 {
        service.to_owned()
    } else {
        format!("{service}-{replica}")
    }
}

/// A ready-made account.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Account {
    pub(crate) name: String,
    pub(crate) id: String,
    pub(crate) plan: String,
    pub(crate) email: String,
    /// Handles of the pages that it owns.
    pub(crate) pages: Vec<String>,
    /// Slugs of the games under them.
    pub(crate) games: Vec<String>,
    /// The one of them that has a currency; the keys of a game are its.
    pub(crate) economy_game: Option<String>,
    pub(crate) keys: BTreeMap<String, String>,
}

/// What the launcher alone reads: nobody else should.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Memory {
    /// Ports by use, to come back to.
    pub(crate) ports: BTreeMap<String, u16>,
    /// Secrets by use.
    pub(crate) secrets: BTreeMap<String, String>,
    /// Which database the accounts and the import went into; another one starts without them.
    pub(crate) database: String,
    /// The fingerprint of the directory data that was imported.
    pub(crate) imported: Option<String>,
}

/// The text of `run.json`: it is there from the first child to the last.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Run {
    /// Start times count from the start of the machine, so records of an earlier one mean nothing.
    pub(crate) boot: String,
    pub(crate) launcher: Record,
    /// In the order of their start.
    pub(crate) children: Vec<Record>,
}

impl Manifest {
    /// Last time's manifest; a new one when there is none or it cannot be understood.
    pub(crate) fn load(folder: &Folder) -> Self {
        read(&folder.manifest()).unwrap_or_default()
    }

    pub(crate) fn save(&self, folder: &Folder) -> Result<()> {
        write(folder, &folder.manifest(), self)
    }

    /// The secret for a use: last time's, or a new one.
    pub(crate) fn secret(&mut self, name: &str) -> Result<String> {
        if let Some(secret) = self.memory.secrets.get(name) {
            return Ok(secret.clone());
        }
        let secret = random::secret()?;
        self.memory.secrets.insert(name.to_owned(), secret.clone());
        Ok(secret)
    }

    /// Forgets accounts and import when they went into another database.
    pub(crate) fn belong_to(&mut self, database: &str) {
        if self.memory.database != database {
            database.clone_into(&mut self.memory.database);
            self.memory.imported = None;
            self.accounts.clear();
        }
    }

    /// A key of a ready-made account.
    pub(crate) fn key(&self, account: &str, key: &str) -> Option<&str> {
        let account = self.accounts.iter().find(|known| known.name == account)?;
        account.keys.get(key).map(String::as_str)
    }
}

impl Run {
    pub(crate) fn begin() -> Result<Self> {
        let launcher = Record::of("launcher", std::process::id())?;
        Ok(Self {
            boot: boot_id(),
            launcher,
            children: Vec::new(),
        })
    }

    /// What the last launcher wrote, when that was since the machine started.
    pub(crate) fn load(folder: &Folder) -> Option<Self> {
        read::<Self>(&folder.run()).filter(|run| run.boot == boot_id())
    }

    pub(crate) fn save(&self, folder: &Folder) -> Result<()> {
        write(folder, &folder.run(), self)
    }

    pub(crate) fn remove(folder: &Folder) -> Result<()> {
        match fs::remove_file(folder.run()) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(error).context("run.json cannot be removed")
            }
            _ => Ok(()),
        }
    }
}

fn boot_id() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id")
        .unwrap_or_default()
        .trim()
        .to_owned()
}

fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

fn write<T: Serialize>(folder: &Folder, path: &Path, value: &T) -> Result<()> {
    let mut text =
        serde_json::to_vec_pretty(value).context("a state file cannot be put into words")?;
    text.push(b'\n');
    folder.write(path, &text, 0o600)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_launcher_left_half_written_counts_as_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::locate(Some(dir.path()), dir.path().to_owned()).unwrap();
        fs::write(folder.manifest(), "{\"base_url\": \"http").unwrap();
        fs::write(folder.run(), "").unwrap();
        assert_eq!(Manifest::load(&folder).base_url, "");
        assert!(Run::load(&folder).is_none());
    }

    #[test]
    fn records_from_before_the_machine_started_count_as_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::locate(Some(dir.path()), dir.path().to_owned()).unwrap();
        let mut run = Run::begin().unwrap();
        run.save(&folder).unwrap();
        assert!(Run::load(&folder).is_some());
        run.boot = "another".to_owned();
        run.save(&folder).unwrap();
        assert!(Run::load(&folder).is_none());
    }

    #[test]
    fn secrets_are_made_once() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::locate(Some(dir.path()), dir.path().to_owned()).unwrap();
        let mut manifest = Manifest::default();
        let secret = manifest.secret("redis").unwrap();
        manifest.save(&folder).unwrap();
        assert_eq!(Manifest::load(&folder).secret("redis").unwrap(), secret);
    }
}
