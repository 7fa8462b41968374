//! Resolves the names of endpoints, for each connection again. Tests replace the resolver.

use std::fmt::Debug;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use hickory_resolver::TokioResolver;
use hickory_resolver::config::LookupIpStrategy;

/// Maximum lifetimes of cached answers, so that the new address of an endpoint is found soon.
const MAX_TTL: Duration = Duration::from_mins(5);
const MAX_NEGATIVE_TTL: Duration = Duration::from_secs(10);

pub trait Resolve: Debug + Send + Sync + 'static {
    /// The addresses of `host`, with `port`.
    fn resolve<'a>(
        &'a self,
        host: &'a str,
        port: u16,
    ) -> BoxFuture<'a, Result<Vec<SocketAddr>, ResolveError>>;
}

/// Why a name has no address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// The domain says so (NXDOMAIN, or no record).
    #[error("it has no address")]
    NoAddress,
    /// The name servers of this machine do not say: they time out, refuse, or answer SERVFAIL, or they cannot be asked.
    #[error("{0}")]
    Unanswered(String),
}

/// A resolver that queries the name servers of this machine.
///
/// A look-up of the C library would block a thread for as long as a name server takes: a few slow name servers would stop all look-ups.
pub fn system() -> Arc<dyn Resolve> {
    let settings = TokioResolver::builder_tokio().and_then(|mut builder| {
        let options = builder.options_mut();
        options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
        options.positive_max_ttl = Some(MAX_TTL);
        options.negative_max_ttl = Some(MAX_NEGATIVE_TTL);
        builder.build()
    });
    Arc::new(System(settings.map_err(|error| {
        ResolveError::Unanswered(format!(
            "this machine has no usable name server (/etc/resolv.conf): {error}"
        ))
    })))
}

/// Without name servers, every look-up fails with the reason.
#[derive(Debug)]
struct System(Result<TokioResolver, ResolveError>);

impl Resolve for System {
    fn resolve<'a>(
        &'a self,
        host: &'a str,
        port: u16,
    ) -> BoxFuture<'a, Result<Vec<SocketAddr>, ResolveError>> {
        async move {
            let resolver = self.0.as_ref().map_err(ResolveError::clone)?;
            // The final dot keeps the search domains of this machine out. Names without a dot are local.
            let dot = if host.contains('.') { "." } else { "" };
            match resolver.lookup_ip(format!("{host}{dot}")).await {
                Ok(found) => Ok(found.iter().map(|ip| SocketAddr::new(ip, port)).collect()),
                Err(error) if error.is_no_records_found() || error.is_nx_domain() => {
                    Err(ResolveError::NoAddress)
                }
                Err(error) => Err(ResolveError::Unanswered(error.to_string())),
            }
        }
        .boxed()
    }
}
