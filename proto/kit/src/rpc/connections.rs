//! The connections that callers open to a gRPC port, and their limits.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures::stream::{self, Stream};
use parking_lot::Mutex;
use tokio::net::{TcpListener, TcpStream};

use crate::client_address::Network;
use crate::throttle::Throttle;

/// Pause after an accept that failed.
const ACCEPT_BACKOFF: Duration = Duration::from_millis(20);
/// Warnings of connections beyond a limit.
static WARNINGS: Throttle = Throttle::new();
/// Warnings of accepts that failed.
static ACCEPT_WARNINGS: Throttle = Throttle::new();

/// A port that callers connect to.
#[derive(Debug)]
pub struct Port {
    listener: TcpListener,
    limits: ConnectionLimits,
}

/// The most connections of a port. Further ones are closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// Of all callers. Strangers may reach the port, and must leave file descriptors to the other ports.
    pub total: u32,
    /// Of a client: an IPv4 address or an IPv6 /64. One client must leave connections to the others.
    pub per_client: u32,
}

impl Port {
    /// A port that only services of the fleet and staff reach.
    pub fn internal(listener: TcpListener) -> Self {
        let limits = ConnectionLimits {
            total: u32::MAX,
            per_client: u32::MAX,
        };
        Self::limited(listener, limits)
    }

    /// A port that strangers may reach as well.
    pub fn limited(listener: TcpListener, limits: ConnectionLimits) -> Self {
        Self { listener, limits }
    }
}

/// An accepted connection.
pub(super) struct Accepted {
    pub(super) stream: TcpStream,
    /// The connection counts until this is dropped.
    pub(super) permit: ConnectionPermit,
}

/// The open connections of a port.
#[derive(Debug)]
struct OpenConnections {
    limits: ConnectionLimits,
    counts: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    total: u32,
    /// Clients without a connection are not in it.
    by_client: HashMap<Network, u32>,
}

/// A connection that counts until this is dropped.
#[derive(Debug)]
pub(super) struct ConnectionPermit {
    connections: Arc<OpenConnections>,
    client: Network,
}

impl OpenConnections {
    /// Counts a connection.
    ///
    /// # Errors
    /// The name of the limit that is reached.
    fn admit(self: &Arc<Self>, client: Network) -> Result<ConnectionPermit, &'static str> {
        let mut counts = self.counts.lock();
        let of_client = counts.by_client.get(&client).copied().unwrap_or_default();
        if of_client >= self.limits.per_client {
            return Err("address");
        }
        if counts.total >= self.limits.total {
            return Err("total");
        }
        counts.total += 1;
        counts.by_client.insert(client, of_client + 1);
        Ok(ConnectionPermit {
            connections: Arc::clone(self),
            client,
        })
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let mut counts = self.connections.counts.lock();
        counts.total -= 1;
        if let Entry::Occupied(mut of_client) = counts.by_client.entry(self.client) {
            *of_client.get_mut() -= 1;
            if *of_client.get() == 0 {
                of_client.remove();
            }
        }
    }
}

/// The connections that callers open. Those beyond a limit are closed.
pub(super) fn accept(port: Port) -> impl Stream<Item = io::Result<Accepted>> {
    // Prometheus sees an increase only from a value that it has read.
    for why in ["address", "total"] {
        count_refused(why, 0);
    }
    let Port { listener, limits } = port;
    let open = Arc::new(OpenConnections {
        limits,
        counts: Mutex::default(),
    });
    stream::unfold(listener, move |listener| {
        let open = Arc::clone(&open);
        async move {
            let accepted = listener.accept().await;
            if let Err(error) = &accepted {
                // The process has no file descriptor left, or the caller has closed the connection. The server goes on.
                if ACCEPT_WARNINGS.admits() {
                    tracing::warn!(%error, "cannot accept a connection");
                }
                tokio::time::sleep(ACCEPT_BACKOFF).await;
            }
            let connection = accepted.and_then(|(stream, peer)| {
                let permit = open.admit(peer.ip().into()).map_err(|why| {
                    record_refused(why, peer);
                    io::Error::other("the port has too many connections")
                })?;
                // Without TCP_NODELAY the last packet of a response waits for the caller's delayed acknowledgement, 40 ms.
                stream.set_nodelay(true)?;
                Ok(Accepted { stream, permit })
            });
            Some((connection, listener))
        }
    })
}

fn record_refused(why: &'static str, peer: SocketAddr) {
    count_refused(why, 1);
    if WARNINGS.admits() {
        tracing::warn!(
            %peer,
            why,
            "closed a connection: its address, or the port for exchanges, has too many. Let a firewall admit exchanges only; \
             rpc_connections_refused_total counts further ones"
        );
    }
}

fn count_refused(why: &'static str, number: u64) {
    metrics::counter!("rpc_connections_refused_total", "why" => why).increment(number);
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures::StreamExt as _;
    use tokio::io::AsyncReadExt as _;
    use tokio::net::TcpSocket;

    use super::*;

    /// A port with these limits, and its address.
    async fn port(total: u32, per_client: u32) -> (Port, SocketAddr) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let limits = ConnectionLimits { total, per_client };
        (Port::limited(listener, limits), address)
    }

    /// Connects from an address of this machine.
    async fn connect(from: [u8; 4], to: SocketAddr) -> TcpStream {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((from, 0).into()).unwrap();
        socket.connect(to).await.unwrap()
    }

    async fn assert_closed(mut stream: TcpStream) {
        assert_eq!(stream.read(&mut [0]).await.unwrap(), 0);
    }

    #[tokio::test]
    async fn connections_beyond_the_limit_are_closed() {
        let (port, address) = port(1, u32::MAX).await;
        let mut accepted = pin!(accept(port));
        let _first = TcpStream::connect(address).await.unwrap();
        let open = accepted.next().await.unwrap().unwrap();
        let second = TcpStream::connect(address).await.unwrap();
        assert!(accepted.next().await.unwrap().is_err());
        assert_closed(second).await;
        drop(open);
        let _third = TcpStream::connect(address).await.unwrap();
        assert!(accepted.next().await.unwrap().is_ok());
    }

    #[tokio::test]
    async fn one_address_leaves_connections_to_the_others() {
        const GREEDY: [u8; 4] = [127, 0, 0, 2];
        const OTHER: [u8; 4] = [127, 0, 0, 3];
        let (port, address) = port(4, 2).await;
        let mut accepted = pin!(accept(port));
        let (mut open, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..2 {
            theirs.push(connect(GREEDY, address).await);
            open.push(accepted.next().await.unwrap().unwrap());
        }
        let third = connect(GREEDY, address).await;
        assert!(accepted.next().await.unwrap().is_err());
        assert_closed(third).await;
        theirs.push(connect(OTHER, address).await);
        open.push(accepted.next().await.unwrap().unwrap());
        // What is closed makes room for the same address, and leaves nothing behind.
        drop(open.remove(0));
        theirs.push(connect(GREEDY, address).await);
        let last = accepted.next().await.unwrap().unwrap();
        let connections = Arc::clone(&last.permit.connections);
        drop((last, open));
        let counts = connections.counts.lock();
        assert_eq!((counts.total, counts.by_client.len()), (0, 0));
        drop(theirs);
    }
}
