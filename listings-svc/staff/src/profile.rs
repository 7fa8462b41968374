//! A member's own file: where the service is, and the token.

use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::problem::Problem;

/// Below the folder for settings.
const NAME: &str = "mchezo/staff.toml";

/// What the file may hold.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Profile {
    /// The staff token, or a member's own.
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
    /// The file of a fleet that does not run.
    #[serde(skip)]
    pub(crate) stopped: Option<PathBuf>,
}

/// Where the file is, unless it is said otherwise.
pub(crate) fn usual(config_home: Option<&Path>, home: Option<&Path>) -> Option<PathBuf> {
    let folder = config_home
        // A relative one is to be passed over (XDG Base Directory Specification).
        .filter(|folder| folder.is_absolute())
        .map(Path::to_owned)
        .or_else(|| home.map(|home| home.join(".config")))?;
    Some(folder.join(NAME))
}

/// Reads the file. One that others can read is refused: there is a token in it.
pub(crate) fn read(path: &Path) -> Result<Profile, Problem> {
    let shown = path.display();
    let unreadable =
        |error: std::io::Error| Problem::usage(format!("{shown} cannot be read: {error}"));
    let mut file = File::open(path).map_err(unreadable)?;
    let mode = file.metadata().map_err(unreadable)?.permissions().mode();
    if mode & 0o077 != 0 {
        return Err(Problem::usage(format!(
            "{shown} holds a token and is open to others: close it with `chmod 600 {shown}`"
        )));
    }
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(unreadable)?;
    // The message shows the line, and the line may be the token's.
    toml::from_str(&text).map_err(|error: toml::de::Error| {
        Problem::usage(format!(
            "{shown} is not a profile: {}. It may have token, gateway, listings, economy, catalogue and webhook, each a text in quotes",
            error.message()
        ))
    })
}

/// Whether there is such a file.
pub(crate) fn exists(path: &Path) -> bool {
    fs::exists(path).unwrap_or(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_place_is_that_of_settings() {
        let [xdg, home] = ["/x", "/home/ada"].map(Path::new);
        let place = |config: Option<&Path>| usual(config, Some(home)).unwrap();
        assert_eq!(place(Some(xdg)), Path::new("/x/mchezo/staff.toml"));
        let own = Path::new("/home/ada/.config/mchezo/staff.toml");
        assert_eq!(place(None), own);
        assert_eq!(place(Some(Path::new("x"))), own);
        assert_eq!(usual(None, None), None);
    }

    #[test]
    fn what_others_can_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("staff.toml");
        fs::write(&path, "token = \"staff_x\"\nlistings = \"http://a\"").unwrap();
        for (mode, good) in [(0o600, true), (0o400, true), (0o640, false), (0o604, false)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(read(&path).is_ok(), good, "{mode:o}");
        }
    }

    #[test]
    fn a_bad_file_is_named_without_its_token() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("staff.toml");
        fs::write(&path, "tokn = \"staff_secret\"").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let sentence = read(&path).unwrap_err().to_string();
        assert!(sentence.contains("staff.toml") && sentence.contains("tokn"));
        assert!(!sentence.contains("secret"), "{sentence}");
    }
}
