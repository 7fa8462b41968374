//! One connection, from its first byte to its end.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, HttpBody as _};
use axum::extract::ConnectInfo;
use axum::response::Response;
use http::header::{CONNECTION, EXPECT, HeaderValue};
use http::{Request, Version};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use kit::{Code, Fault};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::body::Bounded;
use super::io::Paced;
use super::pace::Pace;
use crate::config::Patience;
use crate::layers::bounds::{self, Objection};

/// Bounds of the library, far above those of `layers/bounds.rs`: beyond them the answer is bare (§7.2).
const FIELDS: usize = 256;
const HEAD: usize = 128 * 1024;
const HEAD_H2: u32 = 128 * 1024;
/// Calls at once on one HTTP/2 connection.
const STREAMS: u32 = 100;
/// Streams that a caller has reset before they were looked at: no more than it may have open. A caller that opens and resets for the
/// sake of it is shown the door (CVE-2023-44487).
const RESETS: usize = 100;
/// Bytes of bodies that a caller may have sent ahead, of one call and of all on its connection.
const WINDOW: u32 = 64 * 1024;
const WINDOWS: u32 = 256 * 1024;

/// Where connections come in.
pub(super) struct Door {
    builder: Builder<TokioExecutor>,
    router: Router,
    patience: Patience,
    draining: CancellationToken,
    full: bool,
}

impl Door {
    /// The door to `router`.
    pub(super) fn new(router: Router, patience: Patience, draining: CancellationToken) -> Self {
        Self {
            builder: builder(),
            router,
            patience,
            draining,
            full: false,
        }
    }

    /// The door where everybody is told that there is no room.
    pub(super) fn full(router: Router, patience: Patience, draining: CancellationToken) -> Self {
        Self {
            full: true,
            ..Self::new(router, patience, draining)
        }
    }

    /// Serves a connection to its end: its caller's, ours when it takes too long, or that of the server.
    pub(super) async fn serve(&self, stream: TcpStream) {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "answers on a connection may wait for each other");
        }
        let peer = stream.peer_addr().ok().map(ConnectInfo);
        let pace = Arc::new(Pace::new(self.patience));
        let io = Paced {
            stream,
            pace: Arc::clone(&pace),
        };
        let service = service_fn(|request| self.answer(request, &pace, peer));
        let mut connection = pin!(self.builder.serve_connection(TokioIo::new(io), service));
        let mut draining = false;
        loop {
            tokio::select! {
                biased;
                ended = connection.as_mut() => {
                    if let Err(error) = ended {
                        tracing::debug!(%error, "a connection broke off");
                    }
                    return;
                }
                () = pace.overdue() => {
                    // First the polite way: over HTTP/2 the caller is told. Then it is let go.
                    if !pace.part() {
                        tracing::debug!("a connection took longer than it may");
                        return;
                    }
                    connection.as_mut().graceful_shutdown();
                }
                () = self.draining.cancelled(), if !draining => {
                    draining = true;
                    connection.as_mut().graceful_shutdown();
                }
            }
        }
    }

    fn answer(
        &self,
        request: Request<Incoming>,
        pace: &Arc<Pace>,
        peer: Option<ConnectInfo<SocketAddr>>,
    ) -> impl Future<Output = Result<Response, Infallible>> + Send + 'static {
        let version = request.version();
        let call = pace.call(version);
        let time = self.patience.http_body;
        let mut request = request.map(|body| Body::new(Bounded::new(body, bounds::BODY, time)));
        let objection = self.objection(&request);
        // Whoever asks before it sends a body may send it or not once it has an answer; so nobody knows what comes next.
        let asks_first = request.headers().contains_key(EXPECT) && !request.body().is_end_stream();
        let close = version < Version::HTTP_2 && (objection.is_some() || asks_first);
        if let Some(fault) = objection {
            request.extensions_mut().insert(Objection(fault));
        }
        if let Some(peer) = peer {
            request.extensions_mut().insert(peer);
        }
        let answer = self.router.clone().oneshot(request);
        async move {
            let mut answer = answer.await;
            drop(call);
            if let (true, Ok(answer)) = (close, &mut answer) {
                let headers = answer.headers_mut();
                headers.insert(CONNECTION, HeaderValue::from_static("close"));
            }
            answer
        }
    }

    /// Why a request is refused whatever it asks.
    fn objection(&self, request: &Request<Body>) -> Option<Fault> {
        if self.full {
            return Some(Fault {
                retry_after: Some(1),
                ..Fault::new(
                    Code::Unavailable,
                    "there is no room for another connection just now; try again in a moment, or keep connections open",
                )
            });
        }
        bounds::host(request).err()
    }
}

fn builder() -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        // `pace.rs` sees to it, and knows a head that is late from a connection that rests.
        .header_read_timeout(None)
        .max_headers(FIELDS)
        .max_buf_size(HEAD);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(HEAD_H2)
        .max_concurrent_streams(STREAMS)
        .max_pending_accept_reset_streams(RESETS)
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(WINDOWS)
        .keep_alive_interval(Duration::from_secs(20))
        .keep_alive_timeout(Duration::from_secs(10));
    builder
}
