//! The profile: a file of a member of staff, with the addresses of the services and the token.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use tempfile::NamedTempFile;

use crate::error::Error;
use crate::service::Service;

/// The path below the configuration folder.
const PATH: &str = "mchezo/staff.toml";

/// The fields of the file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Profile {
    /// The staff token of the fleet, or the token of a member of staff.
    pub(crate) token: Option<String>,
    /// The gateway's internal gRPC address.
    pub(crate) gateway: Option<String>,
    /// The gRPC address of listings-svc.
    pub(crate) listings: Option<String>,
    /// The gRPC address of economy-svc.
    pub(crate) economy: Option<String>,
    /// The gRPC address of catalogue-svc.
    pub(crate) catalogue: Option<String>,
    /// The gRPC address of webhook-svc.
    pub(crate) webhook: Option<String>,
    /// The internal gRPC address of web.
    pub(crate) web: Option<String>,
    /// The certificate authorities that sign the certificates of the services: a PEM file, for `https://` addresses.
    pub(crate) ca: Option<PathBuf>,
}

impl Profile {
    pub(crate) fn address(&self, service: Service) -> Option<&str> {
        let address = match service {
            Service::Gateway => &self.gateway,
            Service::Listings => &self.listings,
            Service::Economy => &self.economy,
            Service::Catalogue => &self.catalogue,
            Service::Webhook => &self.webhook,
            Service::Web => &self.web,
        };
        address.as_deref()
    }
}

/// The path of the file, unless `--profile` names another.
pub(crate) fn default_path(config_home: Option<&Path>, home: Option<&Path>) -> Option<PathBuf> {
    let folder = config_home
        // A relative path is ignored (XDG Base Directory Specification).
        .filter(|folder| folder.is_absolute())
        .map(Path::to_owned)
        .or_else(|| home.map(|home| home.join(".config")))?;
    Some(folder.join(PATH))
}

/// Reads the file. A file that other users can read is refused, because it holds a token.
pub(crate) fn read(path: &Path) -> Result<Profile, Error> {
    let shown = path.display();
    let unreadable =
        |error: std::io::Error| Error::usage(format!("{shown} cannot be read: {error}"));
    let mut file = File::open(path).map_err(unreadable)?;
    let mode = file.metadata().map_err(unreadable)?.permissions().mode();
    if mode & 0o077 != 0 {
        return Err(Error::usage(format!(
            "{shown} holds a token and other users can read it: run `chmod 600 {shown}`"
        )));
    }
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(unreadable)?;
    // `error` would print the line, which may hold the token; `message` does not.
    toml::from_str(&text).map_err(|error: toml::de::Error| {
        Error::usage(format!(
            "{shown} is not a profile: {}. Its fields are token, gateway, listings, economy, catalogue, webhook, web and ca, each a text in quotes",
            error.message()
        ))
    })
}

/// A temporary file that only its owner can read, in the folder of `path`, which it replaces when it is complete.
pub(crate) fn file_beside(path: &Path) -> io::Result<NamedTempFile> {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    NamedTempFile::new_in(folder.unwrap_or_else(|| Path::new(".")))
}

pub(crate) fn exists(path: &Path) -> bool {
    fs::exists(path).unwrap_or(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_path_follows_the_xdg_specification() {
        let [xdg, home] = ["/x", "/home/ada"].map(Path::new);
        let place = |config: Option<&Path>| default_path(config, Some(home)).unwrap();
        assert_eq!(place(Some(xdg)), Path::new("/x/mchezo/staff.toml"));
        let default = Path::new("/home/ada/.config/mchezo/staff.toml");
        assert_eq!(place(None), default);
        assert_eq!(place(Some(Path::new("x"))), default);
        assert_eq!(default_path(None, None), None);
    }

    #[test]
    fn a_file_that_others_can_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("staff.toml");
        fs::write(&path, "token = \"staff_x\"\nlistings = \"http://a\"").unwrap();
        for (mode, good) in [(0o600, true), (0o400, true), (0o640, false), (0o604, false)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(read(&path).is_ok(), good, "{mode:o}");
        }
    }

    #[test]
    fn an_error_names_the_file_and_not_the_token() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("staff.toml");
        fs::write(&path, "tokn = \"staff_secret\"").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let sentence = read(&path).unwrap_err().to_string();
        assert!(sentence.contains("staff.toml") && sentence.contains("tokn"));
        assert!(!sentence.contains("secret"), "{sentence}");
    }
}
