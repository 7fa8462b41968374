//! Channels to other services: lazy, balanced over all addresses, carrying identity, trace, request id and deadline.

use std::collections::HashSet;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use anyhow::Context as _;
use tokio::sync::mpsc;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::channel::Change;
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status};

use super::{REQUEST_ID, REQUEST_ID_HEADER};
use crate::config::Secret;
use crate::lifecycle::Lifecycle;
use crate::telemetry;

/// Where the replicas of a service are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Addresses {
    /// A fixed list.
    List(Vec<String>),
    /// A file with one address a line, read again when it changes.
    File(PathBuf),
    /// A host name that stands for several addresses, asked again and again; with scheme and port.
    Dns(String),
}

impl FromStr for Addresses {
    type Err = String;

    /// Reads `http://a:1,http://b:2`, `file:/path` or `dns:http://name:port`.
    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix("file:") {
            return Ok(Self::File(path.into()));
        }
        if let Some(name) = text.strip_prefix("dns:") {
            endpoint(name).map_err(|error| error.to_string())?;
            return Ok(Self::Dns(name.to_owned()));
        }
        let list: Vec<String> = text.split(',').map(|a| a.trim().to_owned()).collect();
        for address in &list {
            endpoint(address).map_err(|error| error.to_string())?;
        }
        Ok(Self::List(list))
    }
}

/// A channel to a service. Generated clients are made on top of it; clones share its connections.
pub type Client = InterceptedService<Channel, Outgoing>;

/// How often a name or a file is looked at again.
const LOOK: Duration = Duration::from_millis(500);

/// A channel to the service at `addresses`. It connects when it is first used, so that the order of starts does not matter.
pub fn connect(
    addresses: Addresses,
    token: &Secret,
    lifecycle: &Lifecycle,
) -> anyhow::Result<Client> {
    let (channel, changes) = Channel::balance_channel(64);
    match addresses {
        Addresses::List(list) => {
            for address in list {
                let endpoint = endpoint(&address)?;
                changes
                    .try_send(Change::Insert(address, endpoint))
                    .context("more addresses than a channel takes")?;
            }
            // The list never changes; the channel lives on without its sender.
        }
        watched => lifecycle.background("address watch", watch(watched, changes)),
    }
    let outgoing = Outgoing::new(token)?;
    Ok(InterceptedService::new(channel, outgoing))
}

/// A channel to one address, outside a service: for command-line tools. Fails when nothing answers there.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place that makes channels"
)]
pub async fn dial(address: &str, token: &Secret) -> anyhow::Result<Client> {
    let channel = endpoint(address)?
        .connect()
        .await
        .with_context(|| format!("nothing answers at {address}"))?;
    Ok(InterceptedService::new(channel, Outgoing::new(token)?))
}

fn endpoint(address: &str) -> anyhow::Result<Endpoint> {
    let endpoint = Endpoint::from_shared(address.to_owned())
        .ok()
        .filter(|e| e.uri().scheme().is_some() && e.uri().port().is_some())
        .with_context(|| format!("`{address}` is not an address such as http://127.0.0.1:7000"))?;
    Ok(endpoint
        .connect_timeout(Duration::from_secs(2))
        .tcp_nodelay(true)
        .http2_keep_alive_interval(Duration::from_secs(10))
        .keep_alive_timeout(Duration::from_secs(5))
        .keep_alive_while_idle(true))
}

/// Tells the channel which addresses come and go.
async fn watch(
    addresses: Addresses,
    changes: mpsc::Sender<Change<String, Endpoint>>,
) -> anyhow::Result<()> {
    let mut known = HashSet::new();
    loop {
        match look(&addresses).await {
            Ok(found) => {
                for gone in known.difference(&found) {
                    changes.send(Change::Remove(String::clone(gone))).await?;
                }
                for new in found.difference(&known) {
                    match endpoint(new) {
                        Ok(endpoint) => changes.send(Change::Insert(new.clone(), endpoint)).await?,
                        Err(error) => tracing::warn!(%error, "an address is passed over"),
                    }
                }
                known = found;
            }
            // What was known last stands: better an old address than none.
            Err(error) => tracing::warn!(%error, ?addresses, "addresses cannot be looked up"),
        }
        tokio::time::sleep(LOOK).await;
    }
}

async fn look(addresses: &Addresses) -> anyhow::Result<HashSet<String>> {
    match addresses {
        Addresses::List(list) => Ok(list.iter().cloned().collect()),
        Addresses::File(path) => {
            let text = tokio::fs::read_to_string(path).await?;
            Ok(text
                .lines()
                .map(str::trim)
                .filter(|l| !l.is_empty())
                .map(ToOwned::to_owned)
                .collect())
        }
        Addresses::Dns(name) => {
            let uri: http::Uri = name.parse()?;
            let (scheme, host, port) = (
                uri.scheme_str().unwrap_or("http"),
                uri.host().context("no host name")?,
                uri.port_u16().context("no port")?,
            );
            let found = tokio::net::lookup_host((host, port)).await?;
            Ok(found
                .map(|address| format!("{scheme}://{address}"))
                .collect())
        }
    }
}

/// What every outgoing call carries.
#[derive(Clone)]
pub struct Outgoing {
    authorization: MetadataValue<Ascii>,
}

/// How long a call may take when nobody said otherwise. It bounds the wait for the head of the answer; streams go on.
const DEADLINE: Duration = Duration::from_secs(5);

impl Outgoing {
    fn new(token: &Secret) -> anyhow::Result<Self> {
        let mut authorization: MetadataValue<Ascii> = format!("Bearer {}", token.expose())
            .parse()
            .ok()
            .context("the token has characters that a header cannot carry")?;
        authorization.set_sensitive(true);
        Ok(Self { authorization })
    }
}

impl Interceptor for Outgoing {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if !request.metadata().contains_key("grpc-timeout") {
            request.set_timeout(DEADLINE);
        }
        let metadata = request.metadata_mut();
        metadata.insert("authorization", self.authorization.clone());
        let id = REQUEST_ID.try_with(|id| id.parse().ok()).ok().flatten();
        if let Some(id) = id {
            metadata.insert(REQUEST_ID_HEADER, id);
        }
        telemetry::inject_trace(metadata);
        Ok(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_a_list_a_file_or_a_name() {
        assert_eq!(
            "http://a:1, http://b:2".parse(),
            Ok(Addresses::List(vec![
                "http://a:1".to_owned(),
                "http://b:2".to_owned()
            ]))
        );
        assert_eq!("file:/run/a".parse(), Ok(Addresses::File("/run/a".into())));
        assert_eq!(
            "dns:http://a:1".parse(),
            Ok(Addresses::Dns("http://a:1".to_owned()))
        );
        assert!("a:1".parse::<Addresses>().is_err());
        assert!("".parse::<Addresses>().is_err());
        assert!("dns:a".parse::<Addresses>().is_err());
    }
}
