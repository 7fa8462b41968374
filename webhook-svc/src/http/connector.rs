//! Connects to endpoints: resolves the name, checks every address, connects to a checked address, and speaks TLS.

use std::cell::Cell;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use anyhow::Context as _;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use http::Uri;
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio::time::error::Elapsed;
use tokio::time::timeout;
use tower::{BoxError, Service};

use super::own_fault::OwnFault;
use super::resolver::{Resolve, ResolveError};
use super::settings::Settings;
use super::tcp_connection::TcpConnection;
use crate::domain::address::AllowList;
use crate::domain::network::special_purpose;

/// Maximum addresses of a name to connect to.
const MAX_ADDRESSES: usize = 4;
/// With several addresses: the time for one to accept, before the next one is tried.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

tokio::task_local! {
    /// The local address of the connection that was opened for this task's request.
    pub(super) static OPENED: Cell<Option<SocketAddr>>;
}

/// Makes connections over TCP and TLS.
#[derive(Clone, Debug)]
pub(super) struct Connector {
    https: HttpsConnector<Dialer>,
    /// Bounds connects that outlive their request: when another connection becomes idle first, the client completes the new one in the
    /// background.
    timeout: Duration,
}

/// Makes TCP connections to public addresses only.
#[derive(Clone, Debug)]
pub(super) struct Dialer {
    resolver: Arc<dyn Resolve>,
    /// Shorter than the deadline of the request, which would blame the receiver.
    resolve_timeout: Duration,
    allowed: Arc<AllowList>,
}

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConnectError {
    /// The name servers of this machine do not say. Their words are in the log only.
    #[error("could not resolve the name {host}")]
    Unresolved { host: String },
    /// It has another address, or none. Which one is in the log only: a stranger who enters names must not learn what our name servers know
    /// of internal ones.
    #[error("{host} does not resolve to a public address")]
    NotPublic { host: String },
    #[error("refused the connection")]
    Refused,
    #[error("did not accept a connection in time")]
    TimedOut,
    #[error("could not be reached: {0}")]
    Unreachable(io::Error),
}

impl ConnectError {
    /// Our fault, if it is one, that there is no connection.
    pub(super) fn own_fault(&self) -> Option<OwnFault> {
        match self {
            Self::Unresolved { .. } => Some(OwnFault::Network),
            Self::Unreachable(error) => OwnFault::of_socket(error),
            _ => None,
        }
    }
}

pub(super) fn new(
    settings: &Settings,
    allowed: Arc<AllowList>,
    resolver: Arc<dyn Resolve>,
) -> anyhow::Result<Connector> {
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
    tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let dialer = Dialer {
        resolver,
        resolve_timeout: settings.answer_timeout / 2,
        allowed,
    };
    Ok(Connector {
        https: HttpsConnector::from((dialer, tls)),
        timeout: settings.answer_timeout,
    })
}

impl Service<Uri> for Connector {
    type Response = MaybeHttpsStream<TcpConnection>;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Self::Response, BoxError>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.https.poll_ready(context)
    }

    fn call(&mut self, target: Uri) -> Self::Future {
        let connecting = timeout(self.timeout, self.https.call(target));
        let late = |_: Elapsed| BoxError::from(ConnectError::TimedOut);
        async move { connecting.await.map_err(late)? }.boxed()
    }
}

impl Service<Uri> for Dialer {
    type Response = TcpConnection;
    type Error = ConnectError;
    type Future = BoxFuture<'static, Result<Self::Response, ConnectError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), ConnectError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, target: Uri) -> Self::Future {
        let dialer = self.clone();
        async move {
            let default_port = if target.scheme_str() == Some("http") {
                80
            } else {
                443
            };
            let host = target.host().unwrap_or_default();
            let port = target.port_u16().unwrap_or(default_port);
            let addresses = dialer.resolve_public(host, port).await?;
            let stream = connect(&addresses).await?;
            // The value is absent where the client opens a connection in the background.
            OPENED
                .try_with(|opened| opened.set(stream.local_addr().ok()))
                .ok();
            Ok(TcpConnection::new(stream))
        }
        .boxed()
    }
}

impl Dialer {
    /// The addresses of a host, after a check of each. One address that is not public rejects them all, since the owner of the name chooses
    /// their order.
    async fn resolve_public(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, ConnectError> {
        let literal = host.trim_start_matches('[').trim_end_matches(']');
        let addresses = match literal.parse::<IpAddr>() {
            Ok(address) => vec![SocketAddr::new(address, port)],
            Err(_name) => self.resolve(host, port).await?,
        };
        if self.allowed.permits_host(host, port) {
            return Ok(addresses);
        }
        for address in &addresses {
            let (ip, port) = (address.ip(), address.port());
            if let Some(what) = special_purpose(ip)
                && !self.allowed.permits(ip, port)
            {
                tracing::warn!(host, %ip, what, "an endpoint resolves to an address that is not public");
                return Err(ConnectError::NotPublic {
                    host: host.to_owned(),
                });
            }
        }
        Ok(addresses)
    }

    async fn resolve(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, ConnectError> {
        let resolving = timeout(self.resolve_timeout, self.resolver.resolve(host, port));
        let found = resolving.await.unwrap_or_else(|_elapsed| {
            let why = "the name servers did not answer in time";
            Err(ResolveError::Unanswered(why.to_owned()))
        });
        let host_name = host.to_owned();
        match found {
            Ok(addresses) if !addresses.is_empty() => Ok(addresses),
            Ok(_) | Err(ResolveError::NoAddress) => {
                Err(ConnectError::NotPublic { host: host_name })
            }
            Err(ResolveError::Unanswered(why)) => {
                tracing::warn!(host, %why, "cannot look up the name of an endpoint");
                Err(ConnectError::Unresolved { host: host_name })
            }
        }
    }
}

/// Connects to the first address that accepts. If none does, a receiver's failure counts before a fault of this machine, which may have no
/// IPv6, except one that concerns every address.
async fn connect(addresses: &[SocketAddr]) -> Result<TcpStream, ConnectError> {
    let mut failed = None;
    for address in addresses.iter().take(MAX_ADDRESSES) {
        let connecting = TcpStream::connect(address);
        let connected = if addresses.len() == 1 {
            // The deadline of the whole request applies.
            connecting.await
        } else {
            match timeout(CONNECT_TIMEOUT, connecting).await {
                Ok(connected) => connected,
                Err(_elapsed) => {
                    failed = Some(ConnectError::TimedOut);
                    continue;
                }
            }
        };
        let error = match connected.and_then(|stream| stream.set_nodelay(true).map(|()| stream)) {
            Ok(stream) => return Ok(stream),
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => ConnectError::Refused,
            Err(error) => ConnectError::Unreachable(error),
        };
        match error.own_fault() {
            Some(OwnFault::Sockets) => return Err(error),
            Some(OwnFault::Network) if failed.is_some() => {}
            _ => failed = Some(error),
        }
    }
    Err(failed.unwrap_or(ConnectError::TimedOut))
}
