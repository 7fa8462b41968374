//! Certificates for TLS between services, in files as `deploy/secrets` writes them and `deploy/up --tls` reads them.

use std::path::Path;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, date_time_ymd,
};

pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

impl Authority {
    pub fn new(name: &str) -> anyhow::Result<Self> {
        let mut params = CertificateParams::new(Vec::new())?;
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate()?)?;
        Ok(Self { issuer })
    }

    pub fn pem(&self) -> String {
        self.issuer.pem()
    }

    /// Writes the certificate of the authority to `ca.crt` in the folder of a service.
    pub fn write(&self, folder: &Path) -> anyhow::Result<()> {
        std::fs::create_dir_all(folder)?;
        Ok(std::fs::write(folder.join("ca.crt"), self.pem())?)
    }

    /// Issues a certificate that expires on 1 January of `year`. Writes it and its key to `tls.crt` and `tls.key` in the folder of the service.
    pub fn issue(&self, folder: &Path, service: &str, year: i32) -> anyhow::Result<()> {
        let names = [service, "localhost"].map(ToOwned::to_owned);
        let mut params = CertificateParams::new(names)?;
        params.not_after = date_time_ymd(year, 1, 1);
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, &self.issuer)?;
        std::fs::create_dir_all(folder)?;
        std::fs::write(folder.join("tls.crt"), certificate.pem())?;
        std::fs::write(folder.join("tls.key"), key.serialize_pem())?;
        Ok(())
    }
}
