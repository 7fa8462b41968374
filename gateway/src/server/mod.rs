//! The public port: HTTP/1.1 and HTTP/2 without TLS on one listener, served by hyper-util.
//!
//! A caller may be slow, silent, greedy or hostile; none of that may cost another caller anything. So whatever waits for a caller has
//! a bound: of time in `timeouts.rs`, of memory in `response.rs`, of length in `bounds.rs` and, far above that, in the library
//! (`connection.rs`). How many calls run at once is bounded by `layers/admission.rs`.

mod connection;
mod descriptor_limit;
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

pub use descriptor_limit::within_descriptor_limit;

use crate::config::Timeouts;
use connection::{ConnectionServer, builder};
use response::Unsent;

/// How the port is served.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How long callers are waited for.
    pub timeouts: Timeouts,
    /// Connections that are open at once. Further ones wait in the kernel's backlog.
    pub connections: u32,
    /// Threads that serve them.
    pub threads: usize,
    /// Ends the serving: calls under way are finished, others not begun.
    pub draining: CancellationToken,
    /// Ends the threads' runtimes, to which connections of pools are bound that others use as well.
    pub ended: CancellationToken,
}

/// Serves until it is draining, then finishes the calls under way. Each thread has what `router` makes for it.
pub async fn serve(
    listener: TcpListener,
    settings: Settings,
    router: impl Fn() -> anyhow::Result<Router> + Send + Sync + 'static,
) -> anyhow::Result<()> {
    let (draining, ended) = (settings.draining.clone(), settings.ended.clone());
    // A connection is accepted once there is a permit for it. The semaphore is never closed.
    let permits = Arc::new(Semaphore::new(settings.connections as usize));
    let unsent = Unsent::default();
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

/// What one thread does.
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
                Err(error) => tracing::warn!(%error, "a connection was not taken over"),
            }
            metrics::gauge!("http_connections").decrement(1);
        }));
    }
    connections.close();
    connections.wait().await;
    Ok(())
}
