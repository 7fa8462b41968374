//! The public port: HTTP/1.1 and HTTP/2 without TLS, on one listener.

use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt as _;

/// How long a caller may take to send the head of a request, and how long a connection may rest between two.
const HEAD: Duration = Duration::from_secs(30);
/// Bounds of the library, far above those of `layers/bounds.rs`: beyond them the answer is bare (§7.2).
const LIBRARY_FIELDS: usize = 256;
const LIBRARY_HEAD: usize = 256 * 1024;
const LIBRARY_HEAD_H2: u32 = 256 * 1024;
/// Calls at once on one HTTP/2 connection.
const STREAMS: u32 = 256;
/// Streams that a caller may have reset and that are not yet cleared away.
const PENDING_RESETS: usize = 1_024;

/// Serves until `draining`, then finishes the calls under way.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    draining: CancellationToken,
) -> anyhow::Result<()> {
    let graceful = GracefulShutdown::new();
    let connections = TaskTracker::new();
    let builder = builder();
    loop {
        let stream = tokio::select! {
            () = draining.cancelled() => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    // Out of file descriptors, or a caller that is gone again: neither is a reason to stop.
                    tracing::warn!(%error, "a connection was not accepted");
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    continue;
                }
            },
        };
        let watched = graceful.watch(connection(&builder, stream, &router));
        // The graceful shutdown waits for the connection, so its handle is not needed.
        drop(connections.spawn(async move {
            if let Err(error) = watched.await {
                tracing::debug!(%error, "a connection broke off");
            }
        }));
    }
    drop(listener);
    graceful.shutdown().await;
    Ok(())
}

fn connection(
    builder: &Builder<TokioExecutor>,
    stream: TcpStream,
    router: &Router,
) -> impl hyper_util::server::graceful::GracefulConnection<Error = impl std::fmt::Display + Send>
+ Send
+ 'static {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "answers on a connection may wait for each other");
    }
    let service = router
        .clone()
        .map_request(|request: http::Request<Incoming>| request.map(Body::new));
    builder
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service))
        .into_owned()
}

fn builder() -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_headers(LIBRARY_FIELDS)
        .max_buf_size(LIBRARY_HEAD);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(LIBRARY_HEAD_H2)
        .max_concurrent_streams(STREAMS)
        .max_pending_accept_reset_streams(PENDING_RESETS)
        .keep_alive_interval(Duration::from_secs(20))
        .keep_alive_timeout(Duration::from_secs(10));
    builder
}
