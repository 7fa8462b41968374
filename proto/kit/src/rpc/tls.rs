//! TLS between the services.
//!
//! A process has one certificate, with which it serves and calls; it reads the files once, at its start. Each side verifies the other by the
//! authorities of `tls_ca`: a client by the name of the service that it calls, a server by the authority alone. A client may have no
//! certificate: staff have tokens.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use rustls::client::danger::ServerCertVerifier as _;
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::{ParsedCertificate, WebPkiClientVerifier};
use rustls::{ClientConfig, RootCertStore};
use tonic::transport::{Certificate, ClientTlsConfig, Identity, ServerTlsConfig};

use super::permissions::SERVICES;
use crate::config::TlsFiles;

/// How long a server waits for the handshake of a client, which may be short of processor time.
const ACCEPT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a client waits for the handshake of a server. Then another replica gets the call.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(2);

/// The certificate of a process, and the authorities that it trusts.
#[derive(Debug, Clone)]
pub struct Credentials {
    server: ServerTlsConfig,
    client: Authorities,
}

/// The authorities by which a client verifies servers; and its own certificate, if it has one. Clones share them.
#[derive(Debug, Clone)]
pub struct Authorities(ClientTlsConfig);

impl Credentials {
    /// Reads the files of `service`, and checks the certificate as the other services will.
    ///
    /// # Errors
    /// A file cannot be read, or other services would refuse the certificate.
    pub async fn load(files: &TlsFiles, service: &'static str) -> anyhow::Result<Self> {
        let [certificate_pem, key_pem, ca_pem] =
            [read(&files.certificate).await?, read(&files.key).await?, read(&files.ca).await?];
        let roots = Arc::new(roots(&ca_pem)?);
        let chain = certificates(&certificate_pem).context("tls_certificate")?;
        let (certificate, intermediates) =
            chain.split_first().context("tls_certificate: the file has no certificate")?;
        let key = PrivateKeyDer::from_pem_slice(&key_pem)
            .context("tls_key: the file has no private key")?;
        let (name, now) = (ServerName::try_from(service)?, UnixTime::now());
        let servers = WebPkiServerVerifier::builder(Arc::clone(&roots)).build()?;
        servers
            .verify_server_cert(certificate, intermediates, &name, &[], now)
            .with_context(|| {
                format!("tls_certificate: callers of {service} would refuse it: give one that an authority of tls_ca has signed for the DNS name {service}")
            })?;
        let clients = WebPkiClientVerifier::builder(roots).build()?;
        clients
            .verify_client_cert(certificate, intermediates, now)
            .context("tls_certificate: the services that are called would refuse it: its extended key usages, if it has any, must include clientAuth")?;
        show_expiry(certificate).context("tls_certificate")?;
        // tonic would find a wrong key only when it connects.
        ClientConfig::builder()
            .with_webpki_verifier(servers)
            .with_client_auth_cert(chain, key)
            .context("tls_key: it is not the key of tls_certificate")?;
        let identity = Identity::from_pem(certificate_pem, key_pem);
        let client = trusting(&ca_pem).identity(identity.clone());
        let server = ServerTlsConfig::new()
            .identity(identity)
            .client_ca_root(Certificate::from_pem(ca_pem))
            .client_auth_optional(true)
            .timeout(ACCEPT_TIMEOUT);
        Ok(Self { server, client: Authorities(client) })
    }

    /// What the clients of this process verify servers by, with its certificate.
    pub fn client(&self) -> &Authorities {
        &self.client
    }

    /// The configuration of the server.
    pub(super) fn server(self) -> ServerTlsConfig {
        self.server
    }
}

impl Authorities {
    /// The authorities of a PEM file, for a client without a certificate.
    ///
    /// # Errors
    /// The file cannot be read, or has no certificate.
    pub async fn read(ca: &Path) -> anyhow::Result<Self> {
        let ca_pem = read(ca).await?;
        roots(&ca_pem)?;
        Ok(Self(trusting(&ca_pem)))
    }

    pub(super) fn config(&self) -> ClientTlsConfig {
        self.0.clone()
    }
}

/// The service that the verified certificate of a caller names; `None` if it names none.
pub(super) fn service_name(certificate: &CertificateDer<'_>) -> Option<&'static str> {
    let certificate = ParsedCertificate::try_from(certificate).ok()?;
    SERVICES.into_iter().find(|&service| {
        let name = ServerName::try_from(service);
        name.is_ok_and(|name| verify_server_name(&certificate, &name).is_ok())
    })
}

/// A client that verifies servers by the authorities of `ca_pem`, which [`roots`] has read.
fn trusting(ca_pem: &[u8]) -> ClientTlsConfig {
    let authorities = Certificate::from_pem(ca_pem);
    ClientTlsConfig::new().ca_certificate(authorities).timeout(HANDSHAKE_TIMEOUT)
}

/// The authorities in a PEM file. While an authority is replaced, the file has the old and the new one.
fn roots(pem: &[u8]) -> anyhow::Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    for authority in certificates(pem).context("tls_ca")? {
        roots.add(authority).context("tls_ca")?;
    }
    anyhow::ensure!(!roots.is_empty(), "tls_ca: the file has no certificate");
    Ok(roots)
}

fn certificates(pem: &[u8]) -> anyhow::Result<Vec<CertificateDer<'static>>> {
    let certificates: Result<Vec<_>, pem::Error> = CertificateDer::pem_slice_iter(pem).collect();
    certificates.context("the file is not valid PEM")
}

async fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    let bytes = tokio::fs::read(file).await;
    bytes.with_context(|| format!("cannot read {}", file.display()))
}

/// Shows when a certificate expires, in seconds since 1970.
fn show_expiry(certificate: &CertificateDer<'_>) -> anyhow::Result<()> {
    let seconds = u32::try_from(expires(certificate)?).unwrap_or(u32::MAX);
    metrics::gauge!("tls_certificate_expires_seconds").set(f64::from(seconds));
    Ok(())
}

fn expires(certificate: &CertificateDer<'_>) -> anyhow::Result<i64> {
    let (_, certificate) = x509_parser::parse_x509_certificate(certificate)
        .map_err(|error| anyhow!("cannot parse a certificate: {error}"))?;
    Ok(certificate.validity().not_after.timestamp())
}

#[cfg(test)]
pub(super) mod tests {
    use metrics_exporter_prometheus::PrometheusBuilder;
    use testing::certificates::Authority;

    use super::*;

    const SERVICE: &str = "catalogue-svc";

    /// A certificate with this DNS name.
    pub(in crate::rpc) fn certificate(name: &str) -> CertificateDer<'static> {
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::new("test").unwrap();
        authority.issue(folder.path(), name, 2090).unwrap();
        let pem = std::fs::read(folder.path().join("tls.crt")).unwrap();
        certificates(&pem).unwrap().remove(0)
    }

    struct Folder {
        authority: Authority,
        folder: tempfile::TempDir,
    }

    impl Folder {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let authority = Authority::new("test").unwrap();
            authority.write(folder.path()).unwrap();
            authority.issue(folder.path(), SERVICE, 2090).unwrap();
            Self { authority, folder }
        }

        async fn load(&self, service: &'static str) -> anyhow::Result<Credentials> {
            let path = |name: &str| self.folder.path().join(name);
            let files =
                TlsFiles { certificate: path("tls.crt"), key: path("tls.key"), ca: path("ca.crt") };
            Credentials::load(&files, service).await
        }
    }

    #[tokio::test]
    async fn the_time_at_which_the_certificate_expires_is_a_metric() {
        let recorder = PrometheusBuilder::new().build_recorder();
        let _recording = metrics::set_default_local_recorder(&recorder);
        Folder::new().load(SERVICE).await.unwrap();
        let metrics = recorder.handle().render();
        // 1 January 2090.
        let expected = "tls_certificate_expires_seconds 3786912000";
        assert!(metrics.contains(expected), "{metrics}");
    }

    #[tokio::test]
    async fn a_certificate_that_others_would_refuse_is_refused() {
        let folder = Folder::new();
        let refused = folder.load("economy-svc").await;
        let reason = format!("{:#}", refused.unwrap_err());
        assert!(reason.contains("the DNS name economy-svc"), "{reason}");

        let stranger = Authority::new("stranger").unwrap();
        stranger.write(folder.folder.path()).unwrap();
        let refused = folder.load(SERVICE).await;
        let reason = format!("{:#}", refused.unwrap_err());
        assert!(reason.contains("tls_ca"), "{reason}");

        let path = folder.folder.path();
        folder.authority.issue(path, SERVICE, 2001).unwrap();
        folder.authority.write(path).unwrap();
        assert!(folder.load(SERVICE).await.is_err(), "it has expired");
    }

    #[tokio::test]
    async fn files_that_do_not_belong_together_are_refused() {
        let folder = Folder::new();
        let key = folder.folder.path().join("tls.key");
        let stranger = Folder::new();
        let other = stranger.folder.path().join("tls.key");
        for broken in ["not PEM".to_owned(), String::new(), std::fs::read_to_string(other).unwrap()]
        {
            std::fs::write(&key, broken).unwrap();
            let reason = format!("{:#}", folder.load(SERVICE).await.unwrap_err());
            assert!(reason.contains("tls_key"), "{reason}");
        }
    }

    /// While an authority is being replaced, the old one and the new one sign certificates.
    #[tokio::test]
    async fn several_authorities_are_trusted() {
        let folder = Folder::new();
        let next = Authority::new("next").unwrap();
        let both = folder.authority.pem() + &next.pem();
        let path = folder.folder.path();
        std::fs::write(path.join("ca.crt"), both).unwrap();
        folder.load(SERVICE).await.unwrap();
        next.issue(path, SERVICE, 2090).unwrap();
        folder.load(SERVICE).await.unwrap();
    }

    #[test]
    fn the_service_and_the_end_of_a_certificate_are_read() {
        let web = certificate("web");
        assert_eq!(service_name(&web), Some("web"));
        for other in ["web.example", "staff", "*.example"] {
            assert_eq!(service_name(&certificate(other)), None, "{other}");
        }
        // 1 January 2090.
        assert_eq!(expires(&web).unwrap(), 3_786_912_000);
    }
}
