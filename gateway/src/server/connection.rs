//! One connection, from its first byte to its end.

use std::pin::pin;
use std::sync::{Arc, Mutex};
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
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};
use tower::ServiceExt as _;

use super::Settings;
use super::io::{CLOSING, Stream};
use super::request_body::SharedBody;
use super::response::Unsent;
use super::timeouts::{Call, Deadlines};
use crate::bounds;

/// Bounds of the library, far above those of `bounds.rs`: beyond them the answer is bare (§7.2).
const FIELDS: usize = 256;
const HEAD: u32 = 128 * 1024;
/// Calls at once on one HTTP/2 connection.
const STREAMS: u32 = 100;
/// Bytes of bodies that a caller may have sent ahead, of one call and of all on its connection.
const WINDOW: u32 = 64 * 1024;
const WINDOWS: u32 = 256 * 1024;

/// Serves the connections of a thread.
pub(super) struct ConnectionServer {
    pub(super) builder: Builder<TokioExecutor>,
    pub(super) router: Router,
    pub(super) settings: Settings,
    pub(super) unsent: Unsent,
}

impl ConnectionServer {
    /// Serves a connection until its caller ends it, a deadline expires, or the server is drained.
    pub(super) async fn serve(self: Arc<Self>, stream: TcpStream) {
        // Where this fails the connection has ended.
        drop(stream.set_nodelay(true));
        let address = stream.peer_addr().ok().map(ConnectInfo);
        let deadlines = Arc::new(Deadlines::new(self.settings.timeouts, Instant::now()));
        let io = TokioIo::new(Stream {
            socket: stream,
            deadlines: Arc::clone(&deadlines),
            closing: None,
        });
        let service = service_fn(|mut request: Request<Incoming>| {
            if let Some(address) = address {
                request.extensions_mut().insert(address);
            }
            let call = Call::begin(&deadlines, request.version() == Version::HTTP_2);
            Arc::clone(&self).answer(request, call)
        });
        let mut connection = pin!(self.builder.serve_connection(io, service));
        let mut draining = false;
        loop {
            tokio::select! {
                biased;
                ended = connection.as_mut() => return tracing::debug!(?ended, "a connection ended"),
                () = deadlines.expired() => {
                    // First the polite way: over HTTP/2 the caller is told.
                    connection.as_mut().graceful_shutdown();
                    return drop(timeout(CLOSING, connection).await);
                }
                () = self.settings.draining.cancelled(), if !draining => {
                    draining = true;
                    connection.as_mut().graceful_shutdown();
                }
            }
        }
    }

    /// Answers a call. Over HTTP/1.1 the next call on the connection begins where this one's body ends: what is left of the body is
    /// read and dropped, and where that cannot be done the answer says `Connection: close`.
    async fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
        call: Call,
    ) -> Result<Response, h2::Error> {
        let deadline = Instant::now() + self.settings.timeouts.http_body;
        let is_http1 = request.version() < Version::HTTP_2;
        let asks_first = request.headers().contains_key(EXPECT);
        let mut close = bounds::host(&request).is_err();
        let (head, incoming) = request.into_parts();
        let body = SharedBody(Arc::new(Mutex::new(incoming)));
        let request = Request::from_parts(head, Body::new(body.clone()));
        let Ok(mut response) = self.router.clone().oneshot(request).await;
        if is_http1 && !body.is_end_stream() {
            // Whoever asks before it sends a body may send it or not once it has an answer.
            close |= asks_first || !body.drain(deadline).await;
        }
        if is_http1 && close {
            response
                .headers_mut()
                .insert(CONNECTION, HeaderValue::from_static("close"));
        }
        self.unsent.track(call, response)
    }
}

/// The library's server, with its bounds.
pub(super) fn builder() -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        // `timeouts.rs` sees to it, and knows a head that is late from an idle connection.
        .header_read_timeout(None)
        .max_headers(FIELDS)
        .max_buf_size(HEAD as usize);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(HEAD)
        .max_concurrent_streams(STREAMS)
        // Streams that a caller has reset before they were looked at: no more than it may have open. A connection on which streams are
        // opened and reset for the sake of it is closed (CVE-2023-44487).
        .max_pending_accept_reset_streams(STREAMS as usize)
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(WINDOWS)
        .keep_alive_interval(Duration::from_secs(20))
        .keep_alive_timeout(Duration::from_secs(10));
    builder
}
