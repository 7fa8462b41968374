//! The public port: HTTP/1.1 and HTTP/2 without TLS on one listener, served by hyper-util.
//!
//! A slow, silent, greedy or hostile client must not cost other clients anything. Everything that waits for a client is therefore
//! limited: time in `timeouts.rs`, memory in `response.rs`, length in `request_limits.rs` and, far above that, in the HTTP
//! library (`connection.rs`). `layers/admission.rs` limits concurrent requests.

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
use connection::{ConnectionServer, builder};
use response::UnsentResponses;

#[derive(Debug, Clone)]
pub struct Settings {
    pub timeouts: Timeouts,
    /// Concurrent connections. Further ones wait in the kernel's backlog.
    pub connections: u32,
    pub threads: usize,
    /// Stops the server: running requests are finished, no others are accepted.
    pub draining: CancellationToken,
    /// Ends the runtimes of the threads. They live longer than the server, since other tasks use pooled connections that are
    /// bound to them.
    pub ended: CancellationToken,
}

/// Serves until the server is drained, then finishes running requests. Each thread calls `router` once.
pub async fn serve(
    listener: TcpListener,
    settings: Settings,
    router: impl Fn() -> anyhow::Result<Router> + Send + Sync + 'static,
) -> anyhow::Result<()> {
    let (draining, ended) = (settings.draining.clone(), settings.ended.clone());
    // A connection is accepted once there is a permit for it. The semaphore is never closed.
    let permits = Arc::new(Semaphore::new(settings.connections as usize));
    let unsent = UnsentResponses::default();
    let workers = Workers::start("http", settings.threads, &ended, move |accepted| {
        let server = router().map(|router| ConnectionServer {
            builder: builder(),
            router,
            settings: settings.clone(),
            unsent: unsent.clone(),
        });
        serve_thread(accepted, server)
    })?;
    let permit = || Arc::clone(&permits).acquire_owned();
    let accepted = |stream, permit| (stream, permit);
    workers.accept(listener, draining, permit, accepted).await
}

/// Serves the connections that one thread gets.
async fn serve_thread<Permit: Send + 'static>(
    mut accepted: Receiver<(std::net::TcpStream, Permit)>,
    server: anyhow::Result<ConnectionServer>,
) -> anyhow::Result<()> {
    let server = Arc::new(server?);
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
