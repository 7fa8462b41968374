//! Serves the router: a limit of connections, and time limits for slow clients.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt as _;

/// How long the head of a request may take, and how long a connection may be idle before the next one.
const HEAD: Duration = Duration::from_secs(15);
/// How often an idle HTTP/2 connection is asked whether it is still there.
const PING: Duration = Duration::from_secs(20);
/// Pause after a connection could not be accepted, for example without file descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves until `draining` is cancelled, then finishes the requests that run.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    connections: usize,
    draining: CancellationToken,
) -> anyhow::Result<()> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(PING)
        .max_concurrent_streams(64);
    let (permits, graceful) = (
        Arc::new(Semaphore::new(connections)),
        GracefulShutdown::new(),
    );
    let tasks = TaskTracker::new();
    loop {
        let (stream, peer, permit) = tokio::select! {
            () = draining.cancelled() => break,
            accepted = accept(&listener, &permits) => accepted?,
        };
        let router = router.clone();
        let service = service_fn(move |mut request: hyper::Request<Incoming>| {
            request.extensions_mut().insert(ConnectInfo(peer));
            let answering = router.clone().oneshot(request.map(Body::new));
            async move { Ok::<_, Infallible>(answering.await.unwrap_or_else(|never| match never {})) }
        });
        let connection = builder.serve_connection(TokioIo::new(stream), service);
        let connection = graceful.watch(connection.into_owned());
        // The tracker waits for the task, so its handle is not needed.
        drop(tasks.spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(error, "a connection ended");
            }
            drop(permit);
        }));
    }
    graceful.shutdown().await;
    tasks.close();
    tasks.wait().await;
    Ok(())
}

async fn accept(
    listener: &TcpListener,
    permits: &Arc<Semaphore>,
) -> anyhow::Result<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let permit = Arc::clone(permits).acquire_owned().await?;
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => return Ok((stream, peer, permit)),
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}
