//! How a client reaches the replicas of a service: over a channel of tonic, with TLS at an
//! `https://` address, without it at an `http://` one.

use std::time::Duration;

use anyhow::ensure;
use http::Uri;
use tonic::transport::{Channel, ClientTlsConfig, Endpoint};

use crate::grpc_address;
use crate::rpc::tls::Authorities;

/// The timeout of connecting: half of the deadline of a read, so that another replica still gets
/// the call when a host has vanished.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// The interval of pings while calls are open, and the timeout of their answer. HTTP/2 itself
/// answers them, so a service that is only slow does. A host that has vanished, a proxy that
/// swallows everything and a stopped process do not: their calls fail.
const PING_INTERVAL: Duration = Duration::from_secs(2);
const PING_TIMEOUT: Duration = Duration::from_secs(2);
/// The flow-control window of a call: what a caller that stops reading costs. A page has some ten
/// kilobytes.
const STREAM_WINDOW: u32 = 256 << 10;
/// The flow-control window of a connection: the maximum, so that one caller that stops reading does
/// not stall the others.
const CONNECTION_WINDOW: u32 = (1 << 31) - 1;
/// The largest head or trailers of a response: a multiple of the status of a fault, which is the
/// only part whose size callers decide. A larger one ends its call without an answer.
const MAX_HEADER_LIST: u32 = 64 << 10;
/// Calls that are cancelled or time out at about the same time and are still remembered. Frames of
/// a forgotten one count as errors.
const RESET_STREAMS: usize = 4_096;

/// The addresses that a client may call, and what it verifies the service by.
#[derive(Debug, Clone)]
pub struct Transport {
    /// Whether calls may leave this machine without TLS.
    may_expose: bool,
    /// It has the name of the service, which its certificate has. The host of an address may be
    /// any.
    tls: Option<ClientTlsConfig>,
}

impl Transport {
    /// Any address without TLS.
    pub const fn plain() -> Self {
        Self { may_expose: true, tls: None }
    }

    /// Without TLS, addresses of this machine only.
    pub const fn guarded() -> Self {
        Self { may_expose: false, tls: None }
    }

    /// TLS as well: the certificate of a replica must have the DNS name `service`.
    ///
    /// # Errors
    /// `service` is not a DNS name.
    pub fn with_tls(self, authorities: &Authorities, service: &str) -> anyhow::Result<Self> {
        let tls = authorities.config().domain_name(service);
        // Any address shows whether it is valid.
        Endpoint::from_static("https://localhost").tls_config(tls.clone())?;
        Ok(Self { tls: Some(tls), ..self })
    }

    /// Parses an address that this client may call.
    pub(super) fn address(&self, text: &str) -> anyhow::Result<Uri> {
        let address = grpc_address::parse(text)?;
        ensure!(
            self.tls.is_some() || !grpc_address::has_tls(&address),
            "{text} is reached by TLS, and there is no file with the authorities to trust"
        );
        ensure!(
            self.may_expose || !grpc_address::is_exposed(&address),
            "{text} is called without TLS: use an https:// address"
        );
        Ok(address)
    }

    /// A channel to `address`, which has passed [`Self::address`]. It connects at the first call,
    /// and again when its connection is lost.
    #[expect(clippy::disallowed_methods, reason = "all other channels are made here")]
    pub(super) fn channel(&self, address: &Uri) -> Channel {
        let endpoint = Endpoint::from(address.clone())
            .connect_timeout(CONNECT_TIMEOUT)
            .http2_keep_alive_interval(PING_INTERVAL)
            .keep_alive_timeout(PING_TIMEOUT)
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .http2_max_header_list_size(MAX_HEADER_LIST)
            .http2_max_concurrent_reset_streams(RESET_STREAMS)
            // The peer is a service of the fleet: however many calls time out, its connection
            // stays.
            .http2_max_local_error_reset_streams(None);
        let secured = match &self.tls {
            // The configuration was valid; without it, an https:// address cannot be reached.
            Some(tls) => endpoint.clone().tls_config(tls.clone()).unwrap_or(endpoint),
            None => endpoint,
        };
        secured.connect_lazy()
    }
}
