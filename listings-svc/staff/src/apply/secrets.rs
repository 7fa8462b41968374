//! The file to which the secrets of new keys are written.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;

use contracts::gateway::v1::Key;

use crate::error::Error;
use crate::profile;

/// Secrets by the id of the account and the name of the key.
type ByAccount = BTreeMap<String, BTreeMap<String, String>>;

/// The secrets in a file that only its owner can read. A service shows a secret once, so each is in the file before the next is made.
#[derive(Debug)]
pub(super) struct Secrets {
    path: Option<PathBuf>,
    secrets: ByAccount,
}

impl Secrets {
    /// Reads the file if it exists.
    pub(super) fn open(path: Option<PathBuf>) -> Result<Self, Error> {
        let secrets = match path.as_ref().map(|path| (path, std::fs::read(path))) {
            // The error would show a part of the file.
            Some((path, Ok(text))) => serde_json::from_slice(&text).ok().ok_or_else(|| {
                Error::usage(format!("{} is not a file of secrets", path.display()))
            })?,
            Some((path, Err(error))) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::usage(format!("{} cannot be read: {error}", path.display())));
            }
            _ => ByAccount::new(),
        };
        Ok(Self { path, secrets })
    }

    /// Fails when there is no file for the secret of a new key.
    pub(super) fn require(&self) -> Result<(), Error> {
        if self.path.is_none() {
            return Err(Error::usage(
                "its secret would be lost: give --secrets FILE, to which secrets of new keys are written",
            ));
        }
        Ok(())
    }

    /// Whether the file has the secret of this key, and not of another key with the same name. Without a file, every key will do.
    pub(super) fn may_have(&self, account: &str, key: &Key) -> bool {
        let keys = self.secrets.get(account);
        let secret = keys.and_then(|keys| keys.get(&key.name));
        self.path.is_none() || secret.is_some_and(|secret| secret.ends_with(&key.last4))
    }

    /// Adds a secret and replaces the file, which is never half written.
    pub(super) fn add(&mut self, account: &str, key: &str, secret: String) -> Result<(), Error> {
        let keys = self.secrets.entry(account.to_owned()).or_default();
        keys.insert(key.to_owned(), secret);
        let Some(path) = &self.path else {
            return Ok(());
        };
        let write = || {
            let mut file = profile::file_beside(path)?;
            serde_json::to_writer_pretty(&mut file, &self.secrets)?;
            file.flush()?;
            file.as_file().sync_all()?;
            file.persist(path).map_err(|error| error.error)
        };
        let written = write();
        written
            .map(drop)
            .map_err(|error| Error::usage(format!("{} cannot be written: {error}", path.display())))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn secrets_are_appended_to_a_file_that_only_its_owner_reads() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secrets.json");
        for key in ["one", "two"] {
            let mut secrets = Secrets::open(Some(path.clone())).unwrap();
            secrets.add("a", key, format!("secret of {key}")).unwrap();
        }
        let secrets = Secrets::open(Some(path.clone())).unwrap().secrets;
        assert_eq!(secrets["a"]["one"], "secret of one");
        assert_eq!(secrets["a"]["two"], "secret of two");
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_secret_of_another_key_of_the_same_name_does_not_match() {
        let folder = tempfile::tempdir().unwrap();
        let key =
            |last4: &str| Key { name: "k".to_owned(), last4: last4.to_owned(), ..Key::default() };
        let mut secrets = Secrets::open(Some(folder.path().join("s"))).unwrap();
        assert!(!secrets.may_have("a", &key("4567")));
        secrets.add("a", "k", "svc_1234567".to_owned()).unwrap();
        assert!(secrets.may_have("a", &key("4567")));
        assert!(!secrets.may_have("a", &key("4568")));
        assert!(!secrets.may_have("b", &key("4567")));
        assert!(Secrets::open(None).unwrap().may_have("a", &key("4568")));
    }

    #[test]
    fn a_malformed_secrets_file_is_neither_shown_nor_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secrets.json");
        std::fs::write(&path, "geheim").unwrap();
        let error = Secrets::open(Some(path.clone())).unwrap_err().to_string();
        assert!(!error.contains("geheim"), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "geheim");
    }
}
