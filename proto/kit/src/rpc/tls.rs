//! TLS between services.

use std::sync::Arc;

/// The DNS names of the verified client certificate of a connection: a request extension, absent without such a certificate.
#[derive(Debug, Clone)]
pub struct PeerNames(pub Arc<[String]>);
