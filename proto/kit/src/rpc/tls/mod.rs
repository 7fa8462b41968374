//! TLS between the services.
//!
//! A process has one certificate, with which it serves and calls. Each side verifies the other by the
//! authorities of `tls_ca`: a client by the name of the service that it calls, a server by the authority alone. A client may have no
//! certificate: staff have tokens.

mod certificate;
mod files;
mod server;

use std::sync::Arc;

pub use files::{Authorities, Credentials, FileWatch};
pub(super) use server::{Connection, handshakes};

/// The DNS names of the verified certificate of a client, an extension of its requests. A request of a client without a certificate has
/// no such extension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeerNames(pub Arc<[String]>);
