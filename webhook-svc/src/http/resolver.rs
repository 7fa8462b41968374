//! Resolves the names of endpoints, for each connection again. Tests replace the resolver.

use std::fmt::Debug;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use hickory_resolver::TokioResolver;
use hickory_resolver::config::LookupIpStrategy;
use hickory_resolver::proto::rr::Name;

/// Maximum lifetimes of cached answers, so that the new address of an endpoint is found soon.
const MAX_TTL: Duration = Duration::from_mins(5);
const MAX_NEGATIVE_TTL: Duration = Duration::from_secs(10);

pub trait Resolve: Debug + Send + Sync + 'static {
    /// The addresses of `host`. Port 0 is that of the URL.
    fn resolve<'a>(&'a self, host: &'a str)
    -> BoxFuture<'a, Result<Vec<SocketAddr>, ResolveError>>;
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
    ) -> BoxFuture<'a, Result<Vec<SocketAddr>, ResolveError>> {
        async move {
            let resolver = self.0.as_ref().map_err(ResolveError::clone)?;
            match resolver.lookup_ip(query_name(host)?).await {
                Ok(found) => Ok(found.iter().map(|ip| SocketAddr::new(ip, 0)).collect()),
                Err(error) if error.is_no_records_found() || error.is_nx_domain() => {
                    Err(ResolveError::NoAddress)
                }
                Err(error) => Err(ResolveError::Unanswered(error.to_string())),
            }
        }
        .boxed()
    }
}

/// The name to ask for: its bytes as they are. A parser of international names would refuse `_`, which many hosts of customers have.
fn query_name(host: &str) -> Result<Name, ResolveError> {
    // The final dot keeps the search domains of this machine out. Names without a dot are local.
    let dot = if host.contains('.') { "." } else { "" };
    // An owner can enter only names that have this form: NoAddress counts as a failed attempt, if one is stored all the same.
    Name::from_ascii(format!("{host}{dot}")).map_err(|_malformed| ResolveError::NoAddress)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rustls::pki_types::ServerName;

    use super::*;
    use crate::domain::address::{Address, AllowList};

    /// Random host names with labels of every allowed form.
    fn hosts() -> impl Strategy<Value = String> {
        let label = prop_oneof![
            Just("my_app".to_owned()),
            Just("_dmarc".to_owned()),
            Just("xn--bcher-kva".to_owned()),
            Just("a--b".to_owned()),
            "[a-z0-9_-]{1,63}",
        ];
        (
            proptest::collection::vec(label, 1..4),
            "[a-z_][a-z0-9_-]{1,8}",
        )
            .prop_map(|(labels, top)| format!("{}.{top}", labels.join(".")))
    }

    proptest! {
        #[test]
        fn every_accepted_host_can_be_looked_up_and_verified(host in hosts()) {
            if Address::parse(&format!("https://{host}/in"), &AllowList::default()).is_ok() {
                let name = query_name(&host).expect("a name to ask for");
                prop_assert_eq!(name.to_ascii(), format!("{host}."));
                prop_assert!(ServerName::try_from(host.as_str()).is_ok(), "{}", host);
            }
        }
    }

    #[test]
    fn a_host_may_have_an_underscore() {
        let url = "https://my_app.example.com/h";
        assert!(Address::parse(url, &AllowList::default()).is_ok());
        assert_eq!(
            query_name("my_app.example.com").unwrap().to_ascii(),
            "my_app.example.com."
        );
    }
}
