//! The file of a fleet, `fleet.json`, which the launcher writes.

use std::path::Path;

use serde::Deserialize;

use crate::command_hint::quote;
use crate::error::Error;
use crate::profile::Profile;

/// The file of a fleet that was started in the current folder.
pub(crate) const LOCAL_FLEET: &str = ".fleet/fleet.json";

/// The part of a fleet's file that this tool reads.
#[derive(Debug, Default, Deserialize)]
struct Manifest {
    staff_token: Option<String>,
    #[serde(default)]
    services: Vec<Service>,
}

#[derive(Debug, Deserialize)]
struct Service {
    name: String,
    grpc: String,
}

/// Reads the file of a fleet.
pub(crate) fn read(path: &Path) -> Result<Profile, Error> {
    let shown = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Error::usage(format!("{shown} cannot be read: {error}")))?;
    let manifest: Manifest = serde_json::from_str(&text).map_err(|error| {
        Error::usage(format!(
            "{shown} is not the file of a fleet (`deploy/up` writes one): {error}"
        ))
    })?;
    let grpc = |name: &str| {
        let service = manifest.services.iter().find(|s| s.name == name);
        service.map(|s| s.grpc.clone())
    };
    Ok(Profile {
        gateway: grpc("gateway"),
        listings: grpc("listings-svc"),
        economy: grpc("economy-svc"),
        catalogue: grpc("catalogue-svc"),
        webhook: grpc("webhook-svc"),
        stopped: manifest.services.is_empty().then(|| path.to_owned()),
        token: manifest.staff_token,
    })
}

/// The command that starts the fleet of a file, in backquotes.
pub(crate) fn deploy_up(file: &Path) -> String {
    if file == Path::new(LOCAL_FLEET) {
        return "`deploy/up`".to_owned();
    }
    let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let folder = file.parent().unwrap_or(&file).to_string_lossy();
    format!("`deploy/up --dir {}`", quote(&folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fleet_is_started_in_the_folder_of_its_file() {
        let command = deploy_up(Path::new("/srv/two/fleet.json"));
        assert_eq!(command, "`deploy/up --dir /srv/two`");
        assert_eq!(deploy_up(Path::new(LOCAL_FLEET)), "`deploy/up`");
    }
}
