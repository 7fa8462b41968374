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
use tower::util::MapResponseLayer;

use super::progress;
use super::public_resolver::PublicResolver;
use super::settings::Settings;

/// An idle connection is closed after this time: earlier than most servers close theirs, so that few requests go on a connection that the
/// server is closing.
const IDLE_TIMEOUT: Duration = Duration::from_secs(4);
/// A connection serves no request after this time, so that a receiver that moves in DNS gets the deliveries soon, however many there are.
const MAX_CONNECTION_AGE: time::Duration = time::Duration::minutes(5);

/// The client, which is replaced now and then: the connections of a former one are closed when their requests have ended.
#[derive(Debug)]
pub(super) struct Clients {
    settings: Settings,
    tls: ClientConfig,
    resolver: Arc<PublicResolver>,
    current: Mutex<Current>,
}

#[derive(Debug)]
struct Current {
    client: Client,
    /// The time of the first attempt; `None`: there was none.
    since: Option<OffsetDateTime>,
}

impl Clients {
    pub(super) fn new(settings: &Settings, resolver: PublicResolver) -> anyhow::Result<Self> {
        let (tls, resolver) = (tls(settings)?, Arc::new(resolver));
        let client = new(settings, tls.clone(), &resolver)?;
        Ok(Self {
            settings: settings.clone(),
            tls,
            resolver,
            current: Mutex::new(Current {
                client,
                since: None,
            }),
        })
    }

    /// The client for a request without a message.
    pub(super) fn current(&self) -> Client {
        self.current.lock().client.clone()
    }

    /// The client for an attempt.
    pub(super) fn at(&self, now: OffsetDateTime) -> Client {
        let mut current = self.current.lock();
        let since = *current.since.get_or_insert(now);
        // The clock may also have gone back.
        if (now - since).abs() >= MAX_CONNECTION_AGE {
            match new(&self.settings, self.tls.clone(), &self.resolver) {
                Ok(client) => {
                    *current = Current {
                        client,
                        since: Some(now),
                    }
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

fn new(
    settings: &Settings,
    tls: ClientConfig,
    resolver: &Arc<PublicResolver>,
) -> anyhow::Result<Client> {
    let builder = Client::builder()
        .use_preconfigured_tls(tls)
        .dns_resolver(Arc::clone(resolver))
        .connector_layer(MapResponseLayer::new(progress::connected))
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
        .connect_timeout(settings.answer_timeout)
        .pool_idle_timeout(IDLE_TIMEOUT)
        .pool_max_idle_per_host(settings.idle_connections)
        // The status line decides: old servers fold fields, and write spaces before colons.
        .http1_allow_obsolete_multiline_headers_in_responses(true)
        .http1_allow_spaces_after_header_name_in_responses(true)
        .http1_ignore_invalid_headers_in_responses(true);
    Ok(builder.build()?)
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
