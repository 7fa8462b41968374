//! The file of `staff apply`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use contracts::gateway::v1 as proto;
use kit::Mode;
use serde::Deserialize;
use uuid::Uuid;

use crate::error::Error;

/// What a file describes. Entries that it does not name are left alone.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Desired {
    /// Files for `staff listing import`, relative to this file.
    #[serde(default)]
    pub(super) import: Vec<PathBuf>,
    #[serde(default, rename = "currency")]
    pub(super) currencies: Vec<Currency>,
    #[serde(default, rename = "account")]
    pub(super) accounts: Vec<Account>,
}

/// An account, which its id identifies. web knows its people.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Account {
    /// A UUID.
    pub(super) id: Uuid,
    /// For a new account; the name of an existing account cannot be changed.
    pub(super) name: String,
    pub(super) plan: String,
    /// The handles of pages that it owns.
    #[serde(default)]
    pub(super) pages: Vec<String>,
    #[serde(default)]
    pub(super) keys: Vec<Key>,
}

/// A key, which its name identifies within the account.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Key {
    pub(super) name: String,
    pub(super) mode: Mode,
    #[serde(default)]
    pub(super) kind: KeyKind,
    #[serde(default)]
    pub(super) may_write: bool,
    /// The slug of the game of a secret or public key.
    pub(super) game: Option<String>,
    #[serde(default)]
    pub(super) revoked: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum KeyKind {
    #[default]
    Account,
    Secret,
    Public,
}

impl From<KeyKind> for proto::KeyKind {
    fn from(kind: KeyKind) -> Self {
        match kind {
            KeyKind::Account => Self::Account,
            KeyKind::Secret => Self::Secret,
            KeyKind::Public => Self::Public,
        }
    }
}

/// The currency of a game.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Currency {
    pub(super) game: String,
    pub(super) name: String,
}

impl Desired {
    /// Reads a file, and checks what no service can: that it describes each entry once.
    pub(super) fn read(path: &Path) -> Result<Self, Error> {
        let shown = path.display();
        let text = std::fs::read_to_string(path)
            .map_err(|error| Error::usage(format!("{shown} cannot be read: {error}")))?;
        let mut desired: Self = toml::from_str(&text)
            .map_err(|error| Error::usage(format!("{shown} is not a file to apply: {error}")))?;
        let mut entries = BTreeSet::new();
        for account in &desired.accounts {
            let keys =
                account.keys.iter().map(|key| format!("the key {} of {}", key.name, account.id));
            for entry in keys.chain([format!("the account {}", account.id)]) {
                if !entries.insert(entry.clone()) {
                    return Err(Error::usage(format!("{shown} describes {entry} twice")));
                }
            }
        }
        let folder = path.parent().unwrap_or_else(|| Path::new(""));
        for file in &mut desired.import {
            *file = folder.join(&*file);
        }
        Ok(desired)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "01930000-0000-7000-8000-000000000001";

    fn read(text: &str) -> Result<Desired, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fleet.toml");
        std::fs::write(&path, text).unwrap();
        Desired::read(&path)
    }

    #[test]
    fn an_error_names_the_file_and_the_problem() {
        let account = format!("[[account]]\nname = \"Ada\"\nplan = \"free\"\nid = \"{ID}\"\n");
        let key = "[[account.keys]]\nname = \"k\"\nmode = \"test\"\n";
        for (text, says) in [
            ("acount = 1", "unknown field `acount`"),
            ("[[account]]\nname = \"Ada\"", "missing field `id`"),
            (&account.repeat(2), &format!("the account {ID} twice")),
            (&format!("{account}{key}{key}"), &format!("the key k of {ID} twice")),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
            assert!(error.contains("fleet.toml"), "{error}");
        }
    }

    #[test]
    fn a_key_is_an_account_key_by_default() {
        let text = format!(
            "[[account]]\nname = \"Ada\"\nplan = \"free\"\nid = \"{ID}\"\nkeys = [{{ name = \"k\", mode = \"test\" }}]"
        );
        let desired = read(&text).unwrap();
        let key = &desired.accounts[0].keys[0];
        assert_eq!(key.kind, KeyKind::Account);
        assert!(!key.may_write && !key.revoked && key.game.is_none());
    }
}
