//! The HTTP client of all endpoints: HTTP/1.1 with TLS, without redirects, proxies, decompression and repetitions.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use parking_lot::Mutex;
use reqwest_rustls::Client;
use reqwest_rustls::redirect::Policy;
use reqwest_rustls::retry;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use time::OffsetDateTime;

use super::public_resolver::{PublicHosts, PublicResolver};
use super::resolver::Resolve;
use super::settings::Settings;

/// An idle connection is closed after this time: earlier than most servers close theirs, so that few requests go on a connection that the
/// server is closing.
const IDLE_TIMEOUT: Duration = Duration::from_secs(4);
/// A connection serves no request after this time, so that a receiver that moves in DNS gets the deliveries soon, however many there are.
const MAX_CONNECTION_AGE: time::Duration = time::Duration::minutes(5);

/// How long a connection may take to open, from the look-up of the name to the end of the TLS handshake: a little less than the whole request, so that the
/// reason of a request that gets no connection says so.
fn connect_limit(limit: Duration) -> Duration {
    limit * 15 / 16
}

/// Makes clients, which share nothing but their settings.
#[derive(Debug)]
pub(super) struct ClientFactory {
    idle_connections: usize,
    tls: ClientConfig,
    resolver: Arc<dyn Resolve>,
    hosts: Arc<PublicHosts>,
}

impl ClientFactory {
    pub(super) fn new(
        settings: &Settings,
        resolver: Arc<dyn Resolve>,
        hosts: Arc<PublicHosts>,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            idle_connections: settings.idle_connections,
            tls: tls(settings)?,
            resolver,
            hosts,
        })
    }

    /// A client for requests that may take as long as `limit`.
    pub(super) fn client(&self, limit: Duration) -> anyhow::Result<Client> {
        let resolver = PublicResolver {
            resolver: Arc::clone(&self.resolver),
            // Shorter than the limit of a connection, which would blame the receiver.
            timeout: limit / 2,
            hosts: Arc::clone(&self.hosts),
        };
        let builder = Client::builder()
            .use_preconfigured_tls(self.tls.clone())
            .dns_resolver(Arc::new(resolver))
            .http1_only()
            .redirect(Policy::none())
            .referer(false)
            .retry(retry::never())
            .no_proxy()
            .no_gzip()
            .no_brotli()
            .no_deflate()
            .no_zstd()
            // Also bounds connects that outlive their request: when another connection becomes idle first, the client completes the new one in the
            // background.
            .connect_timeout(connect_limit(limit))
            .pool_idle_timeout(IDLE_TIMEOUT)
            .pool_max_idle_per_host(self.idle_connections)
            // The status line decides: old servers fold fields, and write spaces before colons.
            .http1_allow_obsolete_multiline_headers_in_responses(true)
            .http1_allow_spaces_after_header_name_in_responses(true)
            .http1_ignore_invalid_headers_in_responses(true);
        Ok(builder.build()?)
    }
}

/// The client for deliveries. It is replaced every few minutes; the connections of the former client close when their requests have ended.
#[derive(Debug)]
pub(super) struct RotatingClient {
    factory: ClientFactory,
    limit: Duration,
    current: Mutex<CurrentClient>,
}

#[derive(Debug)]
struct CurrentClient {
    client: Client,
    /// The time of the first attempt; `None`: there was none.
    since: Option<OffsetDateTime>,
}

impl RotatingClient {
    pub(super) fn new(factory: ClientFactory, limit: Duration) -> anyhow::Result<Self> {
        let client = factory.client(limit)?;
        Ok(Self { factory, limit, current: Mutex::new(CurrentClient { client, since: None }) })
    }

    /// The client for an attempt.
    pub(super) fn at(&self, now: OffsetDateTime) -> Client {
        let mut current = self.current.lock();
        let since = *current.since.get_or_insert(now);
        if now - since >= MAX_CONNECTION_AGE {
            match self.factory.client(self.limit) {
                Ok(client) => {
                    let since = Some(now);
                    *current = CurrentClient { client, since };
                }
                Err(error) => tracing::error!(
                    error = format!("{error:#}"),
                    "cannot make an HTTP client; the former one stays"
                ),
            }
        }
        current.client.clone()
    }
}

/// Trusts the public authorities, and those of the settings.
fn tls(settings: &Settings) -> anyhow::Result<ClientConfig> {
    let mut roots: RootCertStore = webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect();
    if let Some(file) = &settings.ca_file {
        let context = || format!("{} holds no certificates in PEM", file.display());
        let certificates = CertificateDer::pem_file_iter(file).with_context(context)?;
        for certificate in certificates {
            roots.add(certificate.with_context(context)?)?;
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut tls = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    tls.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(tls)
}
