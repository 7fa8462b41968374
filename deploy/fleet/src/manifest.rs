//! `fleet.json`: the description of a fleet for tests and tools, and the state of the launcher between starts.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::folder::{self, Folder};
use crate::random;

/// The state of a fleet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FleetState {
    #[default]
    Stopped,
    Starting,
    Running,
}

/// The content of `fleet.json`.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Manifest {
    pub(crate) state: FleetState,
    /// The base URL of the API, with the version segment.
    pub(crate) base_url: String,
    /// The address of the API's OpenAPI document.
    pub(crate) openapi_url: String,
    /// The address of the public site and the dashboard; ends in a slash.
    pub(crate) dashboard_url: String,
    /// The database of all services, for tests and users.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) database_url: Option<String>,
    /// The database URL of each service, by schema.
    pub(crate) database_urls: BTreeMap<String, String>,
    /// The same as the owner of the schema, who migrates it.
    pub(crate) database_owner_urls: BTreeMap<String, String>,
    pub(crate) redis_url: String,
    pub(crate) clock_file: String,
    /// The folder to which mails are written instead of being sent.
    pub(crate) mail_dir: String,
    pub(crate) services: Vec<Service>,
    /// PostgreSQL and Redis, if the launcher has started them.
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
    /// Absent while the process waits for its restart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pid: Option<u32>,
    pub(crate) grpc: String,
    /// The public address, which only the gateway and the dashboard have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) http: Option<String>,
    pub(crate) metrics: String,
    pub(crate) health: String,
    pub(crate) ready: String,
}

/// A server that the launcher runs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Server {
    /// `postgres` or `redis`.
    pub(crate) name: String,
    /// Absent while the server waits for its restart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pid: Option<u32>,
}

impl Service {
    /// The name of this process: `webhook-svc`, `webhook-svc-2`.
    pub(crate) fn full_name(&self) -> String {
        replica_name(&self.name, self.replica)
    }
}

/// The name of a process of a service. The first replica has the name of the service.
pub(crate) fn replica_name(service: &str, replica: u16) -> String {
    if replica == 1 { service.to_owned() } else { format!("{service}-{replica}") }
}

/// An account of the seed data.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Account {
    pub(crate) name: String,
    pub(crate) id: String,
    pub(crate) plan: String,
    /// The address and the password of its owner in the dashboard.
    pub(crate) email: String,
    pub(crate) password: String,
    /// The handles of its creator pages.
    pub(crate) pages: Vec<String>,
    /// The slugs of the games of its secret and public keys.
    pub(crate) games: Vec<String>,
    /// The game with a currency: the first of these games.
    pub(crate) economy_game: Option<String>,
    pub(crate) keys: BTreeMap<String, String>,
}

/// The state of the launcher. Other programs should not read it.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Memory {
    /// The first private port and the public port, for the next start.
    pub(crate) first_port: Option<u16>,
    pub(crate) public_port: Option<u16>,
    /// Secrets by purpose.
    pub(crate) secrets: BTreeMap<String, String>,
    /// The database with the accounts and the import. Another database starts without them.
    pub(crate) database: String,
    /// The public address that listings in copied data have. With another one, listings-svc would publish them all again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) public_url: Option<String>,
    /// The fingerprint of the directory data that was imported.
    pub(crate) imported: Option<String>,
    /// Whether the fleet's clock is behind, for the reports and votes of a month.
    pub(crate) is_behind: bool,
}

impl Manifest {
    /// The manifest of the last start; a new one if there is none or it cannot be parsed.
    pub(crate) fn load(folder: &Folder) -> Self {
        Self::read(&folder.manifest()).unwrap_or_default()
    }

    /// The manifest of a fleet that starts with the data of a stopped one. Accounts, and the passwords and the key that the data need, are the
    /// same. Ports and tokens are its own: no service of one fleet may take one of the other for its own.
    pub(crate) fn copy(template: &Path) -> Result<Self> {
        let path = template.join("fleet.json");
        let mut manifest =
            Self::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let public_url = manifest.memory.public_url.take();
        let public_url =
            public_url.unwrap_or_else(|| manifest.dashboard_url.trim_end_matches('/').to_owned());
        manifest.memory.public_url = Some(public_url);
        manifest.memory.first_port = None;
        manifest.memory.public_port = None;
        for token in ["staff", "fleet"] {
            manifest.memory.secrets.remove(token);
        }
        Ok(manifest)
    }

    pub(crate) fn save(&self, folder: &Folder) -> Result<()> {
        let mut text = serde_json::to_vec_pretty(self).context("cannot serialize fleet.json")?;
        text.push(b'\n');
        folder::write(&folder.manifest(), &text, 0o600)?;
        self.save_staff_profile(folder)
    }

    fn read(path: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }

    /// Saves another state. A stopped fleet has no processes.
    pub(crate) fn set_state(&mut self, state: FleetState, folder: &Folder) -> Result<()> {
        self.state = state;
        if state == FleetState::Stopped {
            self.services.clear();
            self.servers.clear();
        }
        self.save(folder)
    }

    /// Writes the profile with which the staff tool finds the services; removes it when the fleet is stopped.
    fn save_staff_profile(&self, folder: &Folder) -> Result<()> {
        let path = folder.staff_profile();
        if self.services.is_empty() {
            return match fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    Err(error).context("cannot remove staff.toml")
                }
                _ => Ok(()),
            };
        }
        let mut text = format!("token = {:?}\n", self.staff_token);
        for service in self.services.iter().filter(|one| one.replica == 1) {
            let field = service.name.trim_end_matches("-svc");
            writeln!(text, "{field} = {:?}", service.grpc)?;
        }
        folder::write(&path, text.as_bytes(), 0o600)
    }

    /// The secret for a purpose: the one of the last start, or a new one.
    pub(crate) fn secret(&mut self, name: &str) -> Result<String> {
        if let Some(secret) = self.memory.secrets.get(name) {
            return Ok(secret.clone());
        }
        let secret = random::secret()?;
        self.memory.secrets.insert(name.to_owned(), secret.clone());
        Ok(secret)
    }

    /// Sets the database, and clears accounts and import if it is another one.
    pub(crate) fn use_database(&mut self, database: &str) {
        if self.memory.database != database {
            database.clone_into(&mut self.memory.database);
            self.memory.imported = None;
            self.accounts.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_incomplete_file_of_a_killed_launcher_is_ignored() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::locate(Some(dir.path()), dir.path().to_owned()).unwrap();
        fs::write(folder.manifest(), "{\"base_url\": \"http").unwrap();
        assert_eq!(Manifest::load(&folder).base_url, "");
    }

    #[test]
    fn secrets_are_created_once() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::locate(Some(dir.path()), dir.path().to_owned()).unwrap();
        let mut manifest = Manifest::default();
        let secret = manifest.secret("redis").unwrap();
        manifest.save(&folder).unwrap();
        assert_eq!(Manifest::load(&folder).secret("redis").unwrap(), secret);
    }
}
