//! The PEM files of a process, and the configurations of rustls that are made of them. They are made again when the files change; open
//! connections go on.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use arc_swap::ArcSwap;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier as _;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::WebPkiClientVerifier;
use rustls::{ClientConfig, RootCertStore, ServerConfig};

use super::certificate;
use crate::config::TlsFiles;

/// How often the files are read.
const POLL_INTERVAL: Duration = Duration::from_secs(2);
/// The only protocol of the gRPC ports.
const HTTP2: &[u8] = b"h2";

/// The certificate of a process, and the authorities that it trusts. Clones share them.
#[derive(Debug, Clone)]
pub struct Credentials {
    server: Arc<ArcSwap<ServerConfig>>,
    client: Authorities,
}

/// The authorities by which a client verifies servers; and its own certificate, if it has one. Clones share them.
#[derive(Debug, Clone)]
pub struct Authorities(Arc<ArcSwap<ClientConfig>>);

/// Follows the files of [`Credentials`].
#[derive(Debug)]
pub struct FileWatch {
    credentials: Credentials,
    files: TlsFiles,
    service: &'static str,
    /// What the files held last, or why they could not be read.
    last: Result<Pem, String>,
    /// Whether that is used.
    is_used: bool,
}

/// The contents of the files.
#[derive(Clone, PartialEq, Eq)]
struct Pem {
    certificate: Vec<u8>,
    key: Vec<u8>,
    ca: Vec<u8>,
}

struct Configs {
    server: ServerConfig,
    client: ClientConfig,
    /// When the certificate expires, in seconds since 1970.
    expires: i64,
}

impl Credentials {
    /// Reads the files of `service`. They are followed while the second value [runs](FileWatch::run).
    ///
    /// # Errors
    /// A file cannot be read, or other services would refuse the certificate.
    pub async fn load(files: TlsFiles, service: &'static str) -> anyhow::Result<(Self, FileWatch)> {
        let pem = Pem::read(&files).await?;
        let configs = Configs::new(&pem, service, UnixTime::now())?;
        let client = Arc::new(ArcSwap::from_pointee(configs.client));
        let credentials = Self {
            server: Arc::new(ArcSwap::from_pointee(configs.server)),
            client: Authorities(client),
        };
        show_expiry(configs.expires);
        let watch = FileWatch {
            credentials: credentials.clone(),
            files,
            service,
            last: Ok(pem),
            is_used: true,
        };
        Ok((credentials, watch))
    }

    /// What the clients of this process verify servers by, with its certificate.
    pub fn client(&self) -> &Authorities {
        &self.client
    }

    /// The configuration for the next connection.
    pub(super) fn server_config(&self) -> Arc<ServerConfig> {
        self.server.load_full()
    }

    fn replace(&self, pem: &Pem, service: &'static str, now: UnixTime) -> anyhow::Result<()> {
        let configs = Configs::new(pem, service, now)?;
        self.server.store(Arc::new(configs.server));
        self.client.0.store(Arc::new(configs.client));
        show_expiry(configs.expires);
        Ok(())
    }
}

impl Authorities {
    /// The authorities of a PEM file, for a client without a certificate.
    ///
    /// # Errors
    /// The file cannot be read, or has no certificate.
    pub async fn read(ca: &Path) -> anyhow::Result<Self> {
        let roots = roots(&read(ca).await?)?;
        let mut client = ClientConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        client.alpn_protocols = vec![HTTP2.to_vec()];
        Ok(Self(Arc::new(ArcSwap::from_pointee(client))))
    }

    /// The configuration for the next connection.
    pub(in crate::rpc) fn config(&self) -> Arc<ClientConfig> {
        self.0.load_full()
    }
}

impl FileWatch {
    /// Reads the files again and again. Files that do not belong together change nothing.
    pub async fn run(mut self) -> anyhow::Result<()> {
        loop {
            tokio::time::sleep(POLL_INTERVAL).await;
            self.check(UnixTime::now()).await;
        }
    }

    /// Uses the files if they have changed and are valid at `now`. A certificate may be valid a little later, by the clock of this machine.
    async fn check(&mut self, now: UnixTime) {
        let read = Pem::read(&self.files).await;
        let read = read.map_err(|error| format!("{error:#}"));
        let has_changed = read != self.last;
        if self.is_used && !has_changed {
            return;
        }
        let replaced = match &read {
            Ok(pem) => self.credentials.replace(pem, self.service, now),
            Err(reason) => Err(anyhow!("{reason}")),
        };
        self.is_used = replaced.is_ok();
        match replaced {
            Ok(()) => tracing::info!("new connections use the new TLS certificate"),
            Err(error) if has_changed => tracing::warn!(
                error = format!("{error:#}"),
                "the changed TLS files are not used, and the last certificate stays: replace tls_certificate, tls_key and tls_ca by files that belong together"
            ),
            Err(_) => {}
        }
        self.last = read;
    }
}

impl Pem {
    async fn read(files: &TlsFiles) -> anyhow::Result<Self> {
        Ok(Self {
            certificate: read(&files.certificate).await?,
            key: read(&files.key).await?,
            ca: read(&files.ca).await?,
        })
    }
}

impl std::fmt::Debug for Pem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pem").finish_non_exhaustive()
    }
}

impl Configs {
    /// Checks the certificate as the other services will at `now`.
    fn new(pem: &Pem, service: &'static str, now: UnixTime) -> anyhow::Result<Self> {
        let provider = provider();
        let roots = Arc::new(roots(&pem.ca)?);
        let chain = certificates(&pem.certificate).context("tls_certificate")?;
        let (certificate, intermediates) = chain
            .split_first()
            .context("tls_certificate: the file has no certificate")?;
        let key = PrivateKeyDer::from_pem_slice(&pem.key)
            .context("tls_key: the file has no private key")?;
        let servers =
            WebPkiServerVerifier::builder_with_provider(Arc::clone(&roots), Arc::clone(&provider))
                .build()?;
        let clients = WebPkiClientVerifier::builder_with_provider(roots, Arc::clone(&provider))
            .allow_unauthenticated()
            .build()?;
        let name = ServerName::try_from(service)?;
        servers
            .verify_server_cert(certificate, intermediates, &name, &[], now)
            .with_context(|| {
                format!("tls_certificate: callers of {service} would refuse it: give one that an authority of tls_ca has signed for the DNS name {service}")
            })?;
        clients
            .verify_client_cert(certificate, intermediates, now)
            .context("tls_certificate: the services that are called would refuse it: its extended key usages, if it has any, must include clientAuth")?;
        let expires = certificate::expires(certificate).context("tls_certificate")?;
        let mut server = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()?
            .with_client_cert_verifier(clients)
            .with_single_cert(chain.clone(), key.clone_key())
            .context("tls_key: it is not the key of tls_certificate")?;
        let mut client = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_webpki_verifier(servers)
            .with_client_auth_cert(chain, key)?;
        server.alpn_protocols = vec![HTTP2.to_vec()];
        client.alpn_protocols = vec![HTTP2.to_vec()];
        Ok(Self {
            server,
            client,
            expires,
        })
    }
}

/// Not the default of the process: a process with two providers has none.
fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
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

fn show_expiry(seconds: i64) {
    let seconds = u32::try_from(seconds).unwrap_or(u32::MAX);
    metrics::gauge!("tls_certificate_expires_seconds").set(f64::from(seconds));
}

#[cfg(test)]
mod tests {
    use testing::certificates::Authority;

    use super::*;

    const SERVICE: &str = "catalogue-svc";

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

        fn path(&self, name: &str) -> std::path::PathBuf {
            self.folder.path().join(name)
        }

        fn files(&self) -> TlsFiles {
            TlsFiles {
                certificate: self.path("tls.crt"),
                key: self.path("tls.key"),
                ca: self.path("ca.crt"),
            }
        }
    }

    #[tokio::test]
    async fn changed_files_are_used_if_they_belong_together() {
        let folder = Folder::new();
        let loaded = Credentials::load(folder.files(), SERVICE).await;
        let (credentials, mut watch) = loaded.unwrap();
        let first = credentials.server_config();
        let is_first = || Arc::ptr_eq(&first, &credentials.server_config());
        let now = UnixTime::now();
        watch.check(now).await;
        assert!(is_first(), "the files have not changed");

        let key = std::fs::read(folder.path("tls.key")).unwrap();
        for broken in ["not PEM", ""] {
            std::fs::write(folder.path("tls.key"), broken).unwrap();
            watch.check(now).await;
            assert!(is_first(), "{broken}");
        }
        std::fs::remove_file(folder.path("ca.crt")).unwrap();
        watch.check(now).await;
        folder.authority.write(folder.folder.path()).unwrap();
        // A new certificate with the old key.
        let renew = || {
            let folder_path = folder.folder.path();
            folder.authority.issue(folder_path, SERVICE, 2091).unwrap();
        };
        renew();
        std::fs::write(folder.path("tls.key"), key).unwrap();
        watch.check(now).await;
        assert!(is_first());

        renew();
        watch.check(now).await;
        assert!(!is_first(), "the new files belong together");
    }

    #[tokio::test]
    async fn files_that_are_refused_are_used_once_their_certificate_is_valid() {
        let folder = Folder::new();
        let loaded = Credentials::load(folder.files(), SERVICE).await;
        let (credentials, mut watch) = loaded.unwrap();
        let first = credentials.server_config();
        let is_first = || Arc::ptr_eq(&first, &credentials.server_config());
        let renewed = folder.authority.issue(folder.folder.path(), SERVICE, 2091);
        renewed.unwrap();
        // 1 January of 1970, before it begins.
        for _ in 0..2 {
            watch
                .check(UnixTime::since_unix_epoch(Duration::ZERO))
                .await;
            assert!(is_first());
        }
        watch.check(UnixTime::now()).await;
        assert!(!is_first());
        let second = credentials.server_config();
        watch.check(UnixTime::now()).await;
        assert!(Arc::ptr_eq(&second, &credentials.server_config()));
    }

    #[tokio::test]
    async fn a_certificate_that_others_would_refuse_is_refused() {
        let folder = Folder::new();
        let refused = Credentials::load(folder.files(), "economy-svc").await;
        let reason = format!("{:#}", refused.unwrap_err());
        assert!(reason.contains("the DNS name economy-svc"), "{reason}");

        let stranger = Authority::new("stranger").unwrap();
        stranger.write(folder.folder.path()).unwrap();
        let refused = Credentials::load(folder.files(), SERVICE).await;
        let reason = format!("{:#}", refused.unwrap_err());
        assert!(reason.contains("tls_ca"), "{reason}");

        folder
            .authority
            .issue(folder.folder.path(), SERVICE, 2001)
            .unwrap();
        folder.authority.write(folder.folder.path()).unwrap();
        let refused = Credentials::load(folder.files(), SERVICE).await;
        assert!(refused.is_err(), "it has expired");
    }

    /// While an authority is replaced, both sign certificates.
    #[tokio::test]
    async fn several_authorities_are_trusted() {
        let folder = Folder::new();
        let next = Authority::new("next").unwrap();
        let both = folder.authority.pem() + &next.pem();
        std::fs::write(folder.path("ca.crt"), both).unwrap();
        Credentials::load(folder.files(), SERVICE).await.unwrap();
        next.issue(folder.folder.path(), SERVICE, 2090).unwrap();
        Credentials::load(folder.files(), SERVICE).await.unwrap();
    }

    #[test]
    fn the_names_and_the_end_of_a_certificate_are_read() {
        let folder = Folder::new();
        let pem = std::fs::read(folder.path("tls.crt")).unwrap();
        let certificate = certificates(&pem).unwrap().remove(0);
        let names = certificate::dns_names(&certificate).unwrap();
        assert_eq!(names, [SERVICE, "localhost"]);
        // 1 January 2090.
        assert_eq!(certificate::expires(&certificate).unwrap(), 3_786_912_000);
    }
}
