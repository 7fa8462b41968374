//! Resolves the names of endpoints, for each connection again. Tests replace the resolver.

use std::fmt::Debug;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::{BoxFuture, Either, select};
use hickory_resolver::TokioResolver;
use hickory_resolver::lookup::Lookup;
use hickory_resolver::net::NetError;
use hickory_resolver::proto::rr::Name;
use tokio::time::{Instant, timeout_at};

/// Maximum lifetimes of cached answers, so that the new address of an endpoint is found soon.
const MAX_TTL: Duration = Duration::from_mins(5);
const MAX_NEGATIVE_TTL: Duration = Duration::from_secs(10);
/// How long IPv4 addresses wait for IPv6 addresses (RFC 8305, section 3).
const IPV6_DELAY: Duration = Duration::from_millis(50);
/// How long IPv6 addresses wait for IPv4 addresses, which may be the only ones that this machine can use.
const IPV4_DELAY: Duration = Duration::from_millis(800);

type Resolved = Result<Vec<SocketAddr>, ResolveError>;

pub trait Resolve: Debug + Send + Sync + 'static {
    /// Resolves `host`. The caller gives up after `limit`. The port of each address is 0, which stands for the port of the URL.
    fn resolve<'a>(&'a self, host: &'a str, limit: Duration) -> BoxFuture<'a, Resolved>;
}

/// Why a name has no address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// The domain says that there is no such name (NXDOMAIN).
    #[error("it does not exist")]
    NoName,
    /// The domain says that the name has no address.
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
    fn resolve<'a>(&'a self, host: &'a str, limit: Duration) -> BoxFuture<'a, Resolved> {
        async move {
            let resolver = self.0.as_ref().map_err(ResolveError::clone)?;
            let name = query_name(host)?;
            let v4 = resolver.ipv4_lookup(name.clone()).map(addresses);
            let v6 = resolver.ipv6_lookup(name).map(addresses);
            both_families(v4, v6, limit).await
        }
        .boxed()
    }
}

/// The addresses of a response; at least one.
fn addresses(response: Result<Lookup, NetError>) -> Resolved {
    match response {
        Ok(found) => {
            let ips = found.answers().iter().filter_map(|record| record.data.ip_addr());
            let found: Vec<SocketAddr> = ips.map(|ip| SocketAddr::new(ip, 0)).collect();
            if found.is_empty() {
                return Err(ResolveError::NoAddress);
            }
            Ok(found)
        }
        Err(error) if error.is_nx_domain() => Err(ResolveError::NoName),
        Err(error) if error.is_no_records_found() => Err(ResolveError::NoAddress),
        Err(error) => Err(ResolveError::Unanswered(error.to_string())),
    }
}

/// The addresses of both families. Some name servers never answer for one family: the addresses of the other family are then enough.
async fn both_families(
    v4: impl Future<Output = Resolved>,
    v6: impl Future<Output = Resolved>,
    limit: Duration,
) -> Resolved {
    // Before the caller gives up, and loses the addresses that are there.
    let latest = Instant::now() + limit * 7 / 8;
    let (v4, v6) = match select(pin!(v4), pin!(v6)).await {
        Either::Left((v4, v6)) => {
            let v6 = second(&v4, v6, latest.min(Instant::now() + IPV6_DELAY)).await;
            (v4, v6)
        }
        Either::Right((v6, v4)) => {
            let v4 = second(&v6, v4, latest.min(Instant::now() + IPV4_DELAY)).await;
            (v4, v6)
        }
    };
    match (v4, v6) {
        (Ok(mut v4), Ok(v6)) => {
            v4.extend(v6);
            Ok(v4)
        }
        (Ok(found), Err(_)) | (Err(_), Ok(found)) => Ok(found),
        (Err(unanswered @ ResolveError::Unanswered(_)), _)
        | (_, Err(unanswered @ ResolveError::Unanswered(_))) => Err(unanswered),
        (Err(ResolveError::NoName), Err(ResolveError::NoName)) => Err(ResolveError::NoName),
        (Err(_), Err(_)) => Err(ResolveError::NoAddress),
    }
}

/// Waits for the second family; no longer than until `latest` if the first one has addresses.
async fn second(
    first: &Resolved,
    second: impl Future<Output = Resolved>,
    latest: Instant,
) -> Resolved {
    if first.is_err() {
        return second.await;
    }
    let second = timeout_at(latest, second).await;
    second.unwrap_or(Err(ResolveError::NoAddress))
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
    use std::net::Ipv4Addr;

    use hickory_resolver::config::{ConnectionConfig, NameServerConfig, ResolverConfig};
    use hickory_resolver::net::runtime::TokioRuntimeProvider;
    use hickory_resolver::proto::op::{Message, ResponseCode};
    use hickory_resolver::proto::rr::rdata::{A, AAAA};
    use hickory_resolver::proto::rr::{RData, Record, RecordType};
    use proptest::prelude::*;
    use reqwest_rustls::dns;
    use rustls::pki_types::ServerName;
    use tokio::net::UdpSocket;

    use super::*;
    use crate::domain::address::{Address, AllowList};
    use crate::http::public_resolver::{PublicHosts, PublicResolver};

    /// The limit of a delivery's look-up.
    const LIMIT: Duration = Duration::from_secs(4);

    /// Random host names with labels of every allowed form.
    fn hosts() -> impl Strategy<Value = String> {
        let label = prop_oneof![
            Just("my_app".to_owned()),
            Just("_dmarc".to_owned()),
            Just("xn--bcher-kva".to_owned()),
            Just("a--b".to_owned()),
            "[a-z0-9_-]{1,63}",
        ];
        (proptest::collection::vec(label, 1..4), "[a-z_][a-z0-9_-]{1,8}")
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

    /// What a name server answers for a family of addresses.
    #[derive(Debug, Clone, Copy)]
    enum Says {
        Address,
        Empty,
        NoName,
    }

    async fn resolved_by(v4: Says, v6: Says) -> Resolved {
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let mut connection = ConnectionConfig::udp();
        connection.port = socket.local_addr().unwrap().port();
        let mut server = NameServerConfig::udp(Ipv4Addr::LOCALHOST.into());
        server.connections = vec![connection];
        let mut config = ResolverConfig::default();
        config.name_servers.push(server);
        let builder = TokioResolver::builder_with_config(config, TokioRuntimeProvider::default());
        let system = System(Ok(builder.build().unwrap()));
        let serving = async {
            loop {
                let mut buffer = [0; 512];
                let (length, from) = socket.recv_from(&mut buffer).await.unwrap();
                let query = Message::from_vec(&buffer[..length]).unwrap();
                let question = query.queries[0].clone();
                let (says, data) = match question.query_type() {
                    RecordType::A => (v4, RData::A(A::new(192, 0, 2, 1))),
                    _ => (v6, RData::AAAA(AAAA::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1))),
                };
                let code = match says {
                    Says::NoName => ResponseCode::NXDomain,
                    _ => ResponseCode::NoError,
                };
                let mut answer =
                    Message::error_msg(query.metadata.id, query.metadata.op_code, code);
                match says {
                    Says::Address => {
                        let record = Record::from_rdata(question.name().clone(), 60, data);
                        answer.add_answer(record);
                    }
                    Says::Empty | Says::NoName => {}
                }
                answer.add_query(question);
                let answer = answer.to_vec().unwrap();
                socket.send_to(&answer, from).await.unwrap();
            }
        };
        tokio::select! {
            resolved = system.resolve("hooks.example", LIMIT) => resolved,
            () = serving => unreachable!(),
        }
    }

    #[tokio::test]
    async fn a_name_server_that_answers_for_one_family_is_enough() {
        let v4: SocketAddr = "192.0.2.1:0".parse().unwrap();
        let v6: SocketAddr = "[2001:db8::1]:0".parse().unwrap();
        for (a, aaaa, expected) in [
            (Says::Address, Says::Address, vec![v4, v6]),
            (Says::Address, Says::Empty, vec![v4]),
            (Says::NoName, Says::Address, vec![v6]),
        ] {
            let found = resolved_by(a, aaaa).await;
            assert_eq!(found, Ok(expected), "{a:?} {aaaa:?}");
        }
    }

    #[tokio::test]
    async fn a_name_that_does_not_exist_and_one_without_an_address_are_told_apart() {
        for (a, aaaa, expected) in [
            (Says::NoName, Says::NoName, ResolveError::NoName),
            (Says::Empty, Says::Empty, ResolveError::NoAddress),
            (Says::Empty, Says::NoName, ResolveError::NoAddress),
        ] {
            let found = resolved_by(a, aaaa).await;
            assert_eq!(found, Err(expected), "{a:?} {aaaa:?}");
        }
    }

    /// Some name servers never answer for one of the families.
    #[tokio::test(start_paused = true)]
    async fn a_family_with_addresses_does_not_wait_for_one_without_an_answer() {
        let found = "192.0.2.1:0".parse().unwrap();
        let answer = || async { Ok(vec![found]) };
        let never = std::future::pending::<Resolved>;
        for resolving in [
            both_families(answer(), never(), LIMIT).boxed(),
            both_families(never(), answer(), LIMIT).boxed(),
        ] {
            let resolved = tokio::time::timeout(IPV4_DELAY * 2, resolving).await;
            assert_eq!(resolved, Ok(Ok(vec![found])));
        }
    }

    /// IPv6 addresses come after this time, and IPv4 addresses never.
    #[derive(Debug)]
    struct OnlyIpv6(Duration);

    impl Resolve for OnlyIpv6 {
        fn resolve<'a>(&'a self, _: &'a str, limit: Duration) -> BoxFuture<'a, Resolved> {
            let v6 = async {
                tokio::time::sleep(self.0).await;
                Ok(vec!["[2606:4700::1]:0".parse().unwrap()])
            };
            both_families(std::future::pending(), v6, limit).boxed()
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_wait_for_a_family_ends_before_the_limit_of_a_look_up() {
        for (limit, after) in [(500, 0), (500, 450), (1_000, 500), (4_000, 3_400)] {
            let resolver = PublicResolver {
                resolver: Arc::new(OnlyIpv6(Duration::from_millis(after))),
                timeout: Duration::from_millis(limit),
                hosts: Arc::new(PublicHosts::new(AllowList::default())),
            };
            let found = dns::Resolve::resolve(&resolver, "hooks.example".parse().unwrap()).await;
            assert_eq!(found.unwrap().count(), 1, "{limit} {after}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn ipv6_addresses_wait_for_late_ipv4_addresses() {
        let v4 = "192.0.2.1:0".parse().unwrap();
        let v6 = "[2001:db8::1]:0".parse().unwrap();
        let late = async {
            tokio::time::sleep(IPV6_DELAY * 4).await;
            Ok(vec![v4])
        };
        let resolved = both_families(late, async { Ok(vec![v6]) }, LIMIT).await;
        assert_eq!(resolved, Ok(vec![v4, v6]));
    }

    #[tokio::test(start_paused = true)]
    async fn a_family_without_addresses_waits_for_the_other() {
        let found = "192.0.2.1:0".parse().unwrap();
        let late = async {
            tokio::time::sleep(IPV4_DELAY * 2).await;
            Ok(vec![found])
        };
        let empty = async { Err(ResolveError::NoAddress) };
        assert_eq!(both_families(empty, late, LIMIT).await, Ok(vec![found]));
        let failed = async { Err(ResolveError::Unanswered("SERVFAIL".to_owned())) };
        let empty = async { Err(ResolveError::NoAddress) };
        let unanswered = both_families(empty, failed, LIMIT).await;
        assert!(matches!(unanswered, Err(ResolveError::Unanswered(_))));
    }

    #[test]
    fn a_host_may_have_an_underscore() {
        let url = "https://my_app.example.com/h";
        assert!(Address::parse(url, &AllowList::default()).is_ok());
        assert_eq!(query_name("my_app.example.com").unwrap().to_ascii(), "my_app.example.com.");
    }
}
