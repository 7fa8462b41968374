//! What each client holds: its connections, and its responses that wait to be sent. A client is an IPv4 address or an IPv6 /64; behind a
//! trusted proxy, the address in the proxy's header.
//!
//! One client gets a part of the connections and of the memory. If many clients together reach the limit of the process, connections of
//! those that hold most are closed, and the others go on.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use h2::Reason;
use http::HeaderMap;
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use super::timeouts::{Deadlines, Timeouts};
use crate::client_address::{self, Network, ProxyHeader, TrustedProxies};

/// Unsent bytes over all connections, at which connections are closed.
pub(super) const MAX_UNSENT_BYTES: usize = 128 * 1024 * 1024;
/// How often connections are closed while one waits.
const CLOSE_INTERVAL: Duration = Duration::from_millis(20);
/// Clients that are remembered although they hold nothing.
const MAX_UNUSED: usize = 8_192;

/// The limits of one client.
#[derive(Debug, Clone, Default)]
pub struct ClientLimits {
    /// Concurrent connections.
    pub connections: u32,
    /// Bytes of responses that wait to be sent.
    pub unsent: usize,
    /// Proxies, whose connections have no limit; their clients do.
    pub proxies: TrustedProxies,
    /// The header in which they name the client.
    pub proxy_header: ProxyHeader,
}

/// All clients and their connections.
#[derive(Debug)]
pub(super) struct Clients {
    limits: ClientLimits,
    /// A connection is served once there is a permit for it.
    permits: Arc<Semaphore>,
    /// Connections that are closed at once to make room.
    batch: usize,
    /// Unsent bytes over all connections.
    unsent: AtomicUsize,
    registry: Mutex<Registry>,
}

#[derive(Debug, Default)]
struct Registry {
    clients: HashMap<Network, Arc<Client>>,
    connections: HashMap<u64, Arc<ClientConnection>>,
    /// The number of the next connection.
    next: u64,
}

#[derive(Debug, Default)]
pub(super) struct Client {
    connections: AtomicU32,
    /// Bytes.
    unsent: AtomicUsize,
}

#[derive(Debug)]
pub(super) struct ClientConnection {
    clients: Arc<Clients>,
    pub(super) peer: Option<SocketAddr>,
    /// The client that has opened the connection.
    owner: Arc<Client>,
    /// The client of the last request, if the owner is a trusted proxy.
    forwarded: Option<Mutex<Arc<Client>>>,
    pub(super) deadlines: Arc<Deadlines>,
    /// Bytes.
    unsent: AtomicUsize,
    /// Cancelled to close the connection at once, with what it holds.
    pub(super) reset: CancellationToken,
}

/// A connection that is registered until this is dropped.
pub(super) struct OpenConnection {
    pub(super) connection: Arc<ClientConnection>,
    number: u64,
    _permit: OwnedSemaphorePermit,
}

impl Clients {
    pub(super) fn new(connections: u32, limits: ClientLimits) -> Arc<Self> {
        Arc::new(Self {
            limits,
            permits: Arc::new(Semaphore::new(connections as usize)),
            batch: (connections as usize / 64).max(1),
            unsent: AtomicUsize::new(0),
            registry: Mutex::default(),
        })
    }

    /// Registers an accepted connection; `None` if its client has too many. A trusted proxy has no limit of its own. At the limit of the
    /// process, closes other connections until this one may be served.
    pub(super) async fn open(
        self: &Arc<Self>,
        peer: Option<SocketAddr>,
        timeouts: Timeouts,
    ) -> Option<OpenConnection> {
        let permit = loop {
            if self.permits.available_permits() == 0 {
                self.close_some();
            }
            let acquired = Arc::clone(&self.permits).acquire_owned();
            if let Ok(permit) = timeout(CLOSE_INTERVAL, acquired).await {
                // The semaphore is never closed.
                break permit.ok()?;
            }
        };
        // A connection that has just been closed has no peer address. All such clients count as one.
        let address = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.ip());
        let is_proxy = self.limits.proxies.contain(address);
        let mut registry = self.registry.lock();
        let owner = registry.client(address.into());
        if !is_proxy && owner.connections.load(Relaxed) >= self.limits.connections {
            count_closed("address");
            return None;
        }
        owner.connections.fetch_add(1, Relaxed);
        let connection = Arc::new(ClientConnection {
            clients: Arc::clone(self),
            peer,
            forwarded: is_proxy.then(|| Mutex::new(Arc::clone(&owner))),
            owner,
            deadlines: Arc::new(Deadlines::new(timeouts, Instant::now())),
            unsent: AtomicUsize::new(0),
            reset: CancellationToken::new(),
        });
        let number = registry.next;
        registry.next += 1;
        registry.connections.insert(number, Arc::clone(&connection));
        Some(OpenConnection {
            connection,
            number,
            _permit: permit,
        })
    }

    /// Closes connections to make room for others: of the client that has most, those that have been idle longest. A connection with
    /// running requests is closed only if its client has more than half of what it may have. Closes a 64th of all at once, since to
    /// compare all of them takes a while.
    fn close_some(&self) {
        let registry = self.registry.lock();
        let mut open: Vec<_> = (registry.connections.values())
            .filter(|connection| !connection.reset.is_cancelled())
            .map(|connection| {
                let (count, deadlines) = (connection.count(), &connection.deadlines);
                let since = Reverse(deadlines.since());
                ((count, deadlines.is_idle(), since), connection)
            })
            .filter(|((count, is_idle, _), _)| *is_idle || *count > self.limits.connections / 2)
            .collect();
        open.sort_unstable_by_key(|(rank, _)| Reverse(*rank));
        for (_, connection) in open.into_iter().take(self.batch) {
            count_closed("room");
            connection.reset.cancel();
        }
    }

    /// Whether a client may get more bytes. When the process has reached its limit, connections that hold most are closed.
    ///
    /// # Errors
    /// The client has reached its limit.
    fn check_room(&self, client: &Client) -> Result<(), h2::Error> {
        if client.unsent.load(Relaxed) >= self.limits.unsent {
            return Err(Reason::ENHANCE_YOUR_CALM.into());
        }
        if self.unsent.load(Relaxed) >= MAX_UNSENT_BYTES {
            self.close_largest();
        }
        Ok(())
    }

    /// Closes connections until the others hold less than seven eighths of the limit: those of the client that holds most first, and of
    /// these the largest.
    fn close_largest(&self) {
        let registry = self.registry.lock();
        let mut open: Vec<_> = (registry.connections.values())
            .filter(|connection| !connection.reset.is_cancelled())
            .map(|connection| {
                let of_client = connection.client().unsent.load(Relaxed);
                (of_client, connection.unsent.load(Relaxed), connection)
            })
            .collect();
        let mut sum: usize = open.iter().map(|(_, unsent, _)| unsent).sum();
        if sum < MAX_UNSENT_BYTES {
            // Connections that were closed just now still hold the rest.
            return;
        }
        open.sort_unstable_by_key(|(of_client, unsent, _)| Reverse((*of_client, *unsent)));
        for (_, unsent, connection) in open {
            if sum < MAX_UNSENT_BYTES / 8 * 7 {
                return;
            }
            sum -= unsent;
            count_closed("unsent");
            connection.reset.cancel();
        }
    }
}

impl Registry {
    fn client(&mut self, network: Network) -> Arc<Client> {
        if self.clients.len() >= MAX_UNUSED {
            self.clients
                .retain(|_, client| Arc::strong_count(client) > 1);
        }
        Arc::clone(self.clients.entry(network).or_default())
    }
}

impl ClientConnection {
    /// The client of a request with these headers.
    pub(super) fn client_of(&self, headers: &HeaderMap) -> Arc<Client> {
        let (Some(forwarded), Some(peer)) = (&self.forwarded, self.peer) else {
            return Arc::clone(&self.owner);
        };
        let ClientLimits {
            proxies,
            proxy_header,
            ..
        } = &self.clients.limits;
        let address = client_address::resolve(proxies, *proxy_header, peer.ip(), headers);
        let client = self.clients.registry.lock().client(address.into());
        *forwarded.lock() = Arc::clone(&client);
        client
    }

    /// The client of the last request.
    fn client(&self) -> Arc<Client> {
        match &self.forwarded {
            None => Arc::clone(&self.owner),
            Some(client) => Arc::clone(&client.lock()),
        }
    }

    /// The connections of the client; 0 behind a trusted proxy, which has many for others.
    fn count(&self) -> u32 {
        match self.forwarded {
            None => self.owner.connections.load(Relaxed),
            Some(_) => 0,
        }
    }

    /// See [`Clients::check_room`].
    pub(super) fn check_room(&self, client: &Client) -> Result<(), h2::Error> {
        self.clients.check_room(client)
    }

    pub(super) fn add_unsent(&self, client: &Client, bytes: usize) {
        for unsent in [&self.clients.unsent, &client.unsent, &self.unsent] {
            unsent.fetch_add(bytes, Relaxed);
        }
    }

    pub(super) fn remove_unsent(&self, client: &Client, bytes: usize) {
        for unsent in [&self.clients.unsent, &client.unsent, &self.unsent] {
            unsent.fetch_sub(bytes, Relaxed);
        }
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        let connection = &self.connection;
        connection.owner.connections.fetch_sub(1, Relaxed);
        // Dropped after the lock is released.
        let _removed = connection
            .clients
            .registry
            .lock()
            .connections
            .remove(&self.number);
    }
}

/// `why`: `address` (it has too many connections), `room` (for another connection) or `unsent` (it held most of the memory).
fn count_closed(why: &'static str) {
    metrics::counter!("http_connections_closed_total", "why" => why).increment(1);
}

#[cfg(test)]
pub(super) mod tests;
