//! The addresses of a service's replicas, and the task that keeps them up to date.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use http::Uri;
use parking_lot::Mutex;
use tokio::sync::{Notify, watch};

use super::transport::Transport;
use crate::grpc_address;
use crate::lifecycle::Lifecycle;
use crate::throttle::Throttle;

/// The source of the addresses of a service.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Addresses {
    /// A fixed list.
    List(Vec<String>),
    /// A file with one address per line, which is read again when it changes.
    File(PathBuf),
    /// A URL with a DNS name, which is resolved again and again.
    Dns(String),
}

impl FromStr for Addresses {
    type Err = String;

    /// Parses `http://a:1,http://b:2`, `file:/path` or `dns:http://name:port`; with `https://` for TLS.
    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix("file:") {
            return Ok(Self::File(path.into()));
        }
        if let Some(name) = text.strip_prefix("dns:") {
            grpc_address::parse(name).map_err(|error| error.to_string())?;
            return Ok(Self::Dns(name.to_owned()));
        }
        let list: Vec<String> = text.split(',').map(|a| a.trim().to_owned()).collect();
        for text in &list {
            grpc_address::parse(text).map_err(|error| error.to_string())?;
        }
        Ok(Self::List(list))
    }
}

/// The addresses of a service, kept up to date. Clones share them.
#[derive(Debug, Clone)]
pub struct Resolver {
    pub(super) list: watch::Receiver<Arc<[Uri]>>,
    /// Raised when a call to one of the addresses has failed: there may be others now.
    pub(super) call_failed: Arc<Notify>,
}

/// How often a file is read again, and a name at most resolved.
const REFRESH: Duration = Duration::from_millis(500);
/// How much longer the addresses of a name stay while calls to them succeed: five seconds in all.
const DNS_PAUSE: Duration = Duration::from_millis(4_500);

impl Resolver {
    /// Keeps `addresses` up to date until the process stops.
    ///
    /// # Errors
    /// An entry of a list is not an address that `transport` allows.
    pub fn watch(
        addresses: Addresses,
        transport: Transport,
        lifecycle: &Lifecycle,
    ) -> anyhow::Result<Self> {
        let Addresses::List(list) = addresses else {
            let (sender, receiver) = watch::channel(Arc::from([]));
            let resolver = Self::new(receiver);
            let call_failed = Arc::clone(&resolver.call_failed);
            let refreshing = refresh(addresses, transport, sender, call_failed);
            lifecycle.spawn_background("address watch", refreshing);
            return Ok(resolver);
        };
        Self::fixed(&list, &transport)
    }

    /// Addresses that never change.
    pub(super) fn fixed(list: &[String], transport: &Transport) -> anyhow::Result<Self> {
        let list: anyhow::Result<Arc<[Uri]>> =
            list.iter().map(|text| transport.address(text)).collect();
        // The list never changes, so it needs no sender.
        Ok(Self::new(watch::channel(list?).1))
    }

    pub(super) fn new(list: watch::Receiver<Arc<[Uri]>>) -> Self {
        Self { list, call_failed: Arc::default() }
    }
}

/// The resolvers of a process: one for each setting, so that the clients of a service share its look-ups.
#[derive(Debug, Default)]
pub(crate) struct Resolvers(Mutex<HashMap<Addresses, Resolver>>);

impl Resolvers {
    /// The resolver of `addresses`. Every `transport` of a process allows the same ones.
    ///
    /// # Errors
    /// An entry of a list is not an address that `transport` allows.
    pub(crate) fn watch(
        &self,
        addresses: &Addresses,
        transport: &Transport,
        lifecycle: &Lifecycle,
    ) -> anyhow::Result<Resolver> {
        match self.0.lock().entry(addresses.clone()) {
            Entry::Occupied(known) => Ok(known.get().clone()),
            Entry::Vacant(new) => {
                let resolver = Resolver::watch(addresses.clone(), transport.clone(), lifecycle)?;
                Ok(new.insert(resolver).clone())
            }
        }
    }
}

async fn refresh(
    addresses: Addresses,
    transport: Transport,
    current: watch::Sender<Arc<[Uri]>>,
    call_failed: Arc<Notify>,
) -> anyhow::Result<()> {
    // A name that cannot be looked up would be logged twice a second.
    let warnings = Throttle::new();
    loop {
        let found = resolve(&addresses, &transport).await;
        let problem = match &found {
            Ok(found) => found.ignored.join("; "),
            Err(error) => format!("{error:#}"),
        };
        if !problem.is_empty() && warnings.admits() {
            tracing::warn!(
                problem,
                ?addresses,
                "not all addresses can be used; after a failed look-up, the last ones stay"
            );
        }
        // After an error the last addresses stay: old ones are better than none.
        if let Ok(found) = found {
            current.send_if_modified(|list| {
                let changed = **list != found.allowed[..];
                if changed {
                    *list = found.allowed.into();
                }
                changed
            });
        }
        tokio::time::sleep(REFRESH).await;
        if matches!(addresses, Addresses::Dns(_)) && !current.borrow().is_empty() {
            tokio::select! {
                () = call_failed.notified() => {}
                () = tokio::time::sleep(DNS_PAUSE) => {}
            }
        }
    }
}

/// The addresses that a look-up has returned.
#[derive(Debug)]
struct Resolution {
    /// Those that may be called, sorted, so that equal sets are equal lists.
    allowed: Vec<Uri>,
    /// Why each other one may not.
    ignored: Vec<String>,
}

async fn resolve(addresses: &Addresses, transport: &Transport) -> anyhow::Result<Resolution> {
    let found: BTreeSet<String> = match addresses {
        Addresses::List(list) => list.iter().cloned().collect(),
        Addresses::File(path) => {
            let text = tokio::fs::read_to_string(path).await?;
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            lines.map(ToOwned::to_owned).collect()
        }
        Addresses::Dns(name) => {
            let uri = grpc_address::parse(name)?;
            let (scheme, host, port) = (
                uri.scheme_str().unwrap_or("http"),
                uri.host().context("no host name")?,
                uri.port_u16().context("no port")?,
            );
            // Not as a pair: there, an IPv6 address has no brackets.
            let found = tokio::net::lookup_host(format!("{host}:{port}")).await?;
            found.map(|address| format!("{scheme}://{address}")).collect()
        }
    };
    let (mut allowed, mut ignored) = (Vec::new(), Vec::new());
    for text in &found {
        match transport.address(text) {
            Ok(address) => allowed.push(address),
            Err(error) => ignored.push(error.to_string()),
        }
    }
    Ok(Resolution { allowed, ignored })
}

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::*;

    #[test]
    fn addresses_are_a_list_a_file_or_a_name() {
        assert_eq!(
            "http://a:1, http://b:2".parse(),
            Ok(Addresses::List(vec!["http://a:1".to_owned(), "http://b:2".to_owned()]))
        );
        assert_eq!("file:/run/a".parse(), Ok(Addresses::File("/run/a".into())));
        assert_eq!("dns:http://a:1".parse(), Ok(Addresses::Dns("http://a:1".to_owned())));
        assert!("a:1".parse::<Addresses>().is_err());
        assert!("".parse::<Addresses>().is_err());
        assert!("dns:a".parse::<Addresses>().is_err());
        assert!("https://a:1,dns:a".parse::<Addresses>().is_err());
        assert!("dns:https://a:1".parse::<Addresses>().is_ok());
    }

    #[tokio::test]
    async fn a_file_is_read_without_its_bad_lines() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("addresses");
        std::fs::write(&file, "http://b:2\n\nnonsense\n http://a:1 \n").unwrap();
        let found = resolve(&Addresses::File(file), &Transport::plain()).await.unwrap();
        assert_eq!(found.allowed, ["http://a:1/", "http://b:2/"]);
        assert_eq!(found.ignored.len(), 1, "{found:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_name_is_resolved_soon_only_without_addresses_or_after_a_failed_call() {
        let (sender, mut list) = watch::channel::<Arc<[Uri]>>(Arc::from([]));
        let call_failed = Arc::<Notify>::default();
        let resolving = refresh(
            Addresses::Dns("http://127.0.0.1:1".to_owned()),
            Transport::plain(),
            sender.clone(),
            Arc::clone(&call_failed),
        );
        let former = Uri::from_static("http://127.0.0.1:2/");
        let mut waits = Vec::new();
        let waiting = async {
            list.changed().await.unwrap();
            let cases = [(vec![], false), (vec![former.clone()], false), (vec![former], true)];
            for (before, has_failed) in cases {
                // The next look-up changes the list.
                sender.send_replace(before.into());
                list.mark_unchanged();
                if has_failed {
                    call_failed.notify_one();
                }
                let begun = Instant::now();
                list.changed().await.unwrap();
                waits.push(begun.elapsed());
            }
        };
        tokio::select! {
            ended = resolving => panic!("{ended:?}"),
            () = waiting => {}
        }
        assert_eq!(waits, [REFRESH, REFRESH + DNS_PAUSE, REFRESH]);
    }

    #[tokio::test]
    async fn clients_of_the_same_addresses_share_their_look_ups() {
        let (lifecycle, _supervisor) = Lifecycle::new();
        let (resolvers, transport) = (Resolvers::default(), Transport::plain());
        let resolver = |file: &str| {
            let addresses = Addresses::File(file.into());
            let found = resolvers.watch(&addresses, &transport, &lifecycle);
            found.unwrap().list
        };
        let files = ["/nowhere/a", "/nowhere/a", "/nowhere/b"];
        let [first, second, other] = files.map(resolver);
        assert!(first.same_channel(&second));
        assert!(!first.same_channel(&other));
        lifecycle.stopping().cancel();
    }

    #[tokio::test]
    async fn addresses_that_are_not_allowed_are_not_called() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("addresses");
        std::fs::write(&file, "http://10.0.0.5:1\nhttp://127.0.0.1:2\nhttps://c:3\n").unwrap();
        let found = resolve(&Addresses::File(file), &Transport::guarded()).await;
        assert_eq!(found.unwrap().allowed, ["http://127.0.0.1:2/"]);

        let address = Addresses::Dns("http://[::1]:1".to_owned());
        let found = resolve(&address, &Transport::guarded()).await.unwrap();
        assert_eq!(found.allowed, ["http://[::1]:1/"]);

        let local = Addresses::Dns("http://localhost:1".to_owned());
        let found = resolve(&local, &Transport::guarded()).await.unwrap();
        assert!(!found.allowed.is_empty());
        for refused in ["http://10.0.0.5:1", "https://10.0.0.5:1"] {
            let list = [refused.to_owned()];
            assert!(Resolver::fixed(&list, &Transport::guarded()).is_err());
        }
    }
}
