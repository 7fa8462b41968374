//! The certificates of all services of a fleet, for `deploy/up --tls`.

use kit::rpc::permissions::SERVICES;
use testing::certificates::Authority;

/// A folder for `--tls`, with its own certificate authority.
pub struct FleetCertificates {
    /// The authority that signs the certificates.
    pub authority: Authority,
    folder: tempfile::TempDir,
}

impl FleetCertificates {
    /// Certificates that expire on 1 January of `year`.
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

    /// Issues new certificates for all services, which expire on 1 January of `year`.
    pub fn replace(&self, year: i32) {
        for service in SERVICES {
            let folder = self.folder.path().join(service);
            self.authority.issue(&folder, service, year).unwrap();
        }
    }

    pub fn folder(&self) -> &str {
        self.folder.path().to_str().unwrap()
    }
}
