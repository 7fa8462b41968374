//! The public port: HTTP/1.1 and HTTP/2 without TLS on one listener, served by hyper-util.
//!
//! A slow, silent, greedy or hostile client must not cost other clients anything. Everything that waits for a client is therefore
//! limited: time in `timeouts.rs`, connections and memory in `clients`, length in `request_limits.rs` and, far above that, in the HTTP
//! library (`connection.rs`). `layers/admission.rs` limits concurrent requests.

mod clients;
mod connection;
mod io;
mod request_body;
mod response;
mod timeouts;

use std::sync::Arc;

use axum::Router;
use kit::workers::{Receiver, Workers};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::config::Timeouts;
pub use clients::ClientLimits;
use clients::Clients;
use connection::{ConnectionServer, builder};

#[derive(Debug, Clone)]
pub struct Settings {
    pub timeouts: Timeouts,
    /// Concurrent connections. At this limit, idle ones are closed. If none is idle, further ones wait in the kernel's backlog.
    pub connections: u32,
    /// The limits of each client.
    pub client: ClientLimits,
    pub threads: usize,
    /// Stops the server: running requests are finished, no others are accepted.
    pub draining: CancellationToken,
    /// Ends the runtimes of the threads. They live longer than the server, since other tasks use pooled connections that are
    /// bound to them.
    pub ended: CancellationToken,
}

/// Serves until the server is drained, then finishes running requests. Each thread calls `router` once, before it serves.
pub async fn serve<R>(
    listener: TcpListener,
    settings: Settings,
    router: impl Fn() -> R + Send + Sync + 'static,
) -> anyhow::Result<()>
where
    R: Future<Output = anyhow::Result<Router>>,
{
    let (draining, ended) = (settings.draining.clone(), settings.ended.clone());
    // One more connection is accepted than is served: others may have to be closed for it. The semaphore is never closed.
    let permits = Arc::new(Semaphore::new(settings.connections as usize + 1));
    let clients = Clients::new(settings.connections, settings.client.clone());
    let workers = Workers::start("http", settings.threads, &ended, move |accepted| {
        let (router, settings, clients) = (router(), settings.clone(), Arc::clone(&clients));
        async move {
            let server = ConnectionServer {
                builder: builder(),
                router: router.await?,
                settings,
                clients,
            };
            serve_thread(accepted, Arc::new(server)).await
        }
    })?;
    let permit = || Arc::clone(&permits).acquire_owned();
    let accepted = |stream, permit| (stream, permit);
    workers.accept(listener, draining, permit, accepted).await
}

/// Serves the connections that one thread gets.
async fn serve_thread<Permit: Send + 'static>(
    mut accepted: Receiver<(std::net::TcpStream, Permit)>,
    server: Arc<ConnectionServer>,
) -> anyhow::Result<()> {
    let connections = TaskTracker::new();
    while let Some(dealt) = accepted.recv().await {
        let server = Arc::clone(&server);
        // The tracker waits for the connection, so its handle is not needed.
        drop(connections.spawn(async move {
            let ((stream, _permit), _dealt) = dealt.into_parts();
            metrics::gauge!("http_connections").increment(1);
            match TcpStream::from_std(stream) {
                Ok(stream) => server.serve(stream).await,
                Err(error) => tracing::warn!(%error, "cannot register an accepted connection"),
            }
            metrics::gauge!("http_connections").decrement(1);
        }));
    }
    connections.close();
    connections.wait().await;
    Ok(())
}
