//! How a client reaches the replicas of a service: with TLS at an `https://` address, without it at an `http://` one.

use anyhow::ensure;
use http::Uri;
use rustls::pki_types::ServerName;

use crate::grpc_address;
use crate::rpc::tls::Authorities;

/// The addresses that a client may call, and what it verifies the service by.
#[derive(Debug, Clone)]
pub struct Transport {
    /// Whether calls may leave this machine without TLS.
    may_expose: bool,
    pub(super) tls: Option<ServiceTls>,
}

/// TLS with one service.
#[derive(Debug, Clone)]
pub(super) struct ServiceTls {
    pub(super) authorities: Authorities,
    /// The name of the service, which its certificate has. The host of an address may be any.
    pub(super) name: ServerName<'static>,
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
        let tls = ServiceTls {
            authorities: authorities.clone(),
            name: ServerName::try_from(service.to_owned())?,
        };
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
}
