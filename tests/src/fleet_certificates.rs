//! The certificates of all services of a fleet, for `--tls`.

use kit::rpc::permissions::SERVICES;
use testing::certificates::Authority;

/// A folder for `--tls`, with an authority of its own.
pub struct FleetCertificates {
    /// It signs the certificates.
    pub authority: Authority,
    folder: tempfile::TempDir,
}

impl FleetCertificates {
    /// Certificates until 1 January of `year`.
    pub fn new(year: i32) -> Self {
        let new = Self {
            authority: Authority::new("test fleet").unwrap(),
            folder: tempfile::tempdir().unwrap(),
        };
        for name in SERVICES.into_iter().chain(["staff"]) {
            new.authority.write(&new.folder.path().join(name)).unwrap();
        }
        new.replace(year);
        new
    }

    /// Writes other certificates of all services, until 1 January of `year`.
    pub fn replace(&self, year: i32) {
        for service in SERVICES {
            let folder = self.folder.path().join(service);
            self.authority.issue(&folder, service, year).unwrap();
        }
    }

    /// The folder.
    pub fn folder(&self) -> &str {
        self.folder.path().to_str().unwrap()
    }
}
