//! A port for clients outside the fleet: HTTP/1.1 and HTTP/2 without TLS on one listener, served by hyper-util.
//!
//! A slow, silent, greedy or hostile client must not cost other clients anything. Everything that waits for a client is therefore
//! limited: time in `timeouts.rs`, connections and memory in `clients`, length in the HTTP library (`connection.rs`) and, below that,
//! in the service. The service also limits concurrent requests.

mod clients;
mod connection;
mod content_encoding;
pub mod host;
mod io;
mod method;
mod request_body;
mod response;
mod timeouts;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use clap::Args;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::client_address::{ProxyHeader, TrustedProxies};
use crate::descriptor_limit;
use crate::throttle::Throttle;
pub use clients::ClientLimits;
use clients::Clients;
use connection::{ConnectionServer, builder};
pub use content_encoding::content_coding;
pub use method::method_label;
pub use timeouts::Timeouts;

/// Pause after a connection could not be accepted, for example without file descriptors.
const ACCEPT_BACKOFF: Duration = Duration::from_millis(20);
/// Warnings of accepts that failed.
static WARNINGS: Throttle = Throttle::new();

/// The limits of a port, as settings of a service.
#[derive(Debug, Clone, Copy, Args)]
// clap would name the group after the type.
#[group(skip)]
pub struct Limits {
    /// Concurrent connections; at this limit, idle ones are closed for others
    #[arg(long, default_value_t = 4_096, value_parser = clap::value_parser!(u32).range(1..))]
    pub http_connections: u32,
    /// Concurrent connections from an IPv4 address or IPv6 network (/64); further ones are closed
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..))]
    pub http_client_connections: u32,
    /// MiB of responses that an IPv4 address or IPv6 network (/64) has not received; further responses are dropped
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=4_095))]
    pub http_client_unsent: u32,
    /// When connections are closed.
    #[command(flatten)]
    pub timeouts: Timeouts,
}

impl Limits {
    /// The settings of the port. It has fewer connections if the process has too few file descriptors.
    pub fn settings(
        &self,
        proxies: TrustedProxies,
        proxy_header: ProxyHeader,
        draining: CancellationToken,
    ) -> Settings {
        Settings {
            timeouts: self.timeouts,
            connections: descriptor_limit::allowed("http_connections", self.http_connections, 1),
            client: ClientLimits {
                connections: self.http_client_connections,
                unsent: self.http_client_unsent as usize * 1024 * 1024,
                proxies,
                proxy_header,
            },
            draining,
        }
    }
}

/// How a port is served.
#[derive(Debug, Clone)]
pub struct Settings {
    /// When connections are closed.
    pub timeouts: Timeouts,
    /// Concurrent connections. At this limit, idle ones are closed. If none is idle, further ones wait in the kernel's backlog.
    pub connections: u32,
    /// The limits of each client.
    pub client: ClientLimits,
    /// Stops the server: running requests are finished, no others are accepted.
    pub draining: CancellationToken,
}

impl Settings {
    /// A permit for each connection, and one more: a connection is accepted before others are closed for it. The semaphore is never
    /// closed.
    fn permits(&self) -> Arc<Semaphore> {
        Arc::new(Semaphore::new(self.connections as usize + 1))
    }
}

/// Serves until the server is drained, then finishes running requests.
pub async fn serve(listener: TcpListener, settings: Settings, router: Router) {
    let (permits, draining) = (settings.permits(), settings.draining.clone());
    let tasks = TaskTracker::new();
    let server = Arc::new(ConnectionServer {
        builder: builder(),
        router,
        clients: Clients::new(settings.connections, settings.client.clone()),
        settings,
        tasks: tasks.clone(),
    });
    loop {
        let accepting = async {
            let permit = Arc::clone(&permits).acquire_owned().await;
            (listener.accept().await, permit)
        };
        let (accepted, permit) = tokio::select! {
            () = draining.cancelled() => break,
            accepted = accepting => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                let served = serve_counted(Arc::clone(&server), stream);
                // The tracker waits for the connection, so its handle is not needed.
                drop(tasks.spawn(async move {
                    let _permit = permit;
                    served.await;
                }));
            }
            Err(error) => {
                if WARNINGS.admits() {
                    tracing::warn!(%error, "cannot accept a connection");
                }
                tokio::time::sleep(ACCEPT_BACKOFF).await;
            }
        }
    }
    drop(listener);
    tasks.close();
    tasks.wait().await;
}

/// Serves a connection, which the metrics count.
async fn serve_counted(server: Arc<ConnectionServer>, stream: TcpStream) {
    metrics::gauge!("http_connections").increment(1);
    server.serve(stream).await;
    metrics::gauge!("http_connections").decrement(1);
}
