//! Serves one connection.

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
use parking_lot::Mutex;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};
use tokio_util::task::TaskTracker;
use tower::ServiceExt as _;

use super::Settings;
use super::clients::{ClientConnection, Clients};
use super::host;
use super::io::{CLOSING, Stream};
use super::request_body::SharedBody;
use super::response::track;
use super::timeouts::CallGuard;

/// Limits of the HTTP library, far above those of the services. Beyond them the error response is the library's.
const MAX_HEADERS: usize = 256;
const MAX_HEAD_SIZE: u32 = 128 * 1024;
/// Concurrent requests on an HTTP/2 connection.
const MAX_STREAMS: u32 = 100;
/// HTTP/2 flow control: bytes of bodies that a client may send ahead, per request and per connection.
const STREAM_WINDOW: u32 = 64 * 1024;
const CONNECTION_WINDOW: u32 = 256 * 1024;

/// Serves the connections of a port.
pub(super) struct ConnectionServer {
    pub(super) builder: Builder<TokioExecutor>,
    pub(super) router: Router,
    pub(super) settings: Settings,
    pub(super) clients: Arc<Clients>,
    /// The connections, and the bodies over HTTP/2 that are dropped.
    pub(super) tasks: TaskTracker,
}

impl ConnectionServer {
    /// Serves a connection until the client closes it, a deadline expires, it is closed to make room or the server is drained. Closes it
    /// at once if its client has too many.
    pub(super) async fn serve(self: Arc<Self>, stream: TcpStream) {
        // An error means that the connection is closed.
        drop(stream.set_nodelay(true));
        let opened = self
            .clients
            .open(stream.peer_addr().ok(), self.settings.timeouts);
        let Some(open) = opened.await else {
            return;
        };
        let client = &open.connection;
        let address = client.peer.map(ConnectInfo);
        let deadlines = &client.deadlines;
        let io = TokioIo::new(Stream {
            socket: stream,
            deadlines: Arc::clone(deadlines),
            closing: None,
        });
        let service = service_fn(|mut request: Request<Incoming>| {
            if let Some(address) = address {
                request.extensions_mut().insert(address);
            }
            let call = CallGuard::begin(deadlines, request.version() == Version::HTTP_2);
            Arc::clone(&self).respond(request, call, Arc::clone(client))
        });
        let mut connection = pin!(self.builder.serve_connection(io, service));
        let mut draining = false;
        loop {
            tokio::select! {
                biased;
                ended = connection.as_mut() => return tracing::debug!(?ended, "a connection ended"),
                () = client.reset.cancelled() => return,
                () = deadlines.expired() => {
                    // Graceful first: over HTTP/2, a GOAWAY frame tells the client.
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

    /// Answers a request. Over HTTP/1.1, the next request begins where the body ends, so the rest of the body is read and
    /// dropped. If that is not possible, the response says `Connection: close`. Over HTTP/2, the response is sent meanwhile.
    async fn respond(
        self: Arc<Self>,
        request: Request<Incoming>,
        call: CallGuard,
        connection: Arc<ClientConnection>,
    ) -> Result<Response, h2::Error> {
        let deadline = Instant::now() + self.settings.timeouts.http_body;
        let is_http1 = request.version() < Version::HTTP_2;
        let expects_continue = request.headers().contains_key(EXPECT);
        let mut close = !host::is_valid(&request);
        let client = connection.client_of(request.headers());
        let (head, incoming) = request.into_parts();
        let body = SharedBody(Arc::new(Mutex::new(incoming)));
        let request = Request::from_parts(head, Body::new(body.clone()));
        let Ok(mut response) = self.router.clone().oneshot(request).await;
        if is_http1 && !body.is_end_stream() {
            // A client that sent `Expect` may or may not send the body after a final response.
            close |= expects_continue || body.is_too_long() || !body.drain(deadline).await;
        } else if !body.is_end_stream() {
            // The tracker waits for the task, so its handle is not needed.
            drop(self.tasks.spawn(body.drain(deadline)));
        }
        if is_http1 && close {
            response
                .headers_mut()
                .insert(CONNECTION, HeaderValue::from_static("close"));
        }
        track(&connection, client, call, response)
    }
}

/// The HTTP library's server, with its limits.
pub(super) fn builder() -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        // `timeouts.rs` enforces this timeout. It distinguishes a late head from an idle connection.
        .header_read_timeout(None)
        .max_headers(MAX_HEADERS)
        .max_buf_size(MAX_HEAD_SIZE as usize);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(MAX_HEAD_SIZE)
        .max_concurrent_streams(MAX_STREAMS)
        // Limits streams that a client has reset before they were accepted. A connection that opens and resets streams in bulk is
        // closed (CVE-2023-44487).
        .max_pending_accept_reset_streams(MAX_STREAMS as usize)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .keep_alive_interval(Duration::from_secs(20))
        .keep_alive_timeout(Duration::from_secs(10));
    builder
}
