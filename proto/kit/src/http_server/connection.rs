//! Serves one connection.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, HttpBody};
use axum::extract::ConnectInfo;
use axum::response::Response;
use bytes::Bytes;
use http::header::{CONNECTION, HeaderValue};
use http::{Request, Version};
use http_body::{Frame, SizeHint};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use socket2::SockRef;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::activity::{Activity, ResponseBody, RunningRequest, UNTAKEN};
use super::lingering_stream::{CLOSING, LingeringStream};
use super::{PortLimits, host};
use crate::overload::QueueSlot;

/// Limits of the HTTP library, far above those of the services. Beyond them the error response is the library's.
const MAX_HEADERS: usize = 256;
const MAX_HEAD_SIZE: u32 = 128 * 1024;
/// Concurrent requests on an HTTP/2 connection. A client that has sent so many keeps the others back, which costs the service nothing; to
/// shed a request after a wait costs as much as to answer it. With eight, one core answers the streams of 1,000 connections within a
/// second; with sixteen, most of them wait too long.
const MAX_STREAMS: u32 = 8;
/// Streams of a connection that its client has reset before they were accepted.
const MAX_RESET_STREAMS: usize = 100;
/// HTTP/2 flow control: bytes of bodies that a client may send ahead, per request and per connection.
const STREAM_WINDOW: u32 = 64 * 1024;
const CONNECTION_WINDOW: u32 = 256 * 1024;

/// The body of a request over HTTP/1.1.
struct RequestBody {
    body: Incoming,
    is_read: Arc<AtomicBool>,
}

impl HttpBody for RequestBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        let is_read = frame.is_none() || self.body.is_end_stream();
        self.is_read.store(is_read, Ordering::Relaxed);
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

fn prepare(stream: &TcpStream, untaken: Duration) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    SockRef::from(stream).set_tcp_user_timeout(Some(untaken))
}

/// Serves a connection until the client closes it, it has been without a request for too long, its client takes nothing of a response, or the
/// server is drained.
pub(super) async fn serve_connection(
    builder: &Builder<TokioExecutor>,
    stream: TcpStream,
    peer: SocketAddr,
    limits: PortLimits,
    router: Router,
    draining: CancellationToken,
) {
    // An error means that the connection is closed.
    drop(prepare(&stream, UNTAKEN));
    let activity = Activity::new();
    let slot = QueueSlot::new();
    let service = service_fn(|mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        request.extensions_mut().insert(slot.clone());
        respond(router.clone(), activity.begin(), request)
    });
    let io = TokioIo::new(LingeringStream::new(stream));
    let mut connection = pin!(builder.serve_connection(io, service));
    let mut expired = pin!(activity.expired(limits));
    let mut is_draining = false;
    loop {
        tokio::select! {
            biased;
            ended = connection.as_mut() => return tracing::debug!(?ended, "a connection ended"),
            () = expired.as_mut() => {
                // Graceful first: over HTTP/2, a GOAWAY frame tells the client.
                connection.as_mut().graceful_shutdown();
                return drop(timeout(CLOSING, connection).await);
            }
            () = draining.cancelled(), if !is_draining => {
                is_draining = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    }
}

/// Answers a request. It runs until its response is written. Over HTTP/1.1 the connection ends with a request that has no valid host, because
/// readers may disagree about its end, and with one whose body was not read whole: the next request would begin after the body. The response
/// says so, because the client would lose its next request otherwise.
async fn respond(
    router: Router,
    running: RunningRequest,
    request: Request<Incoming>,
) -> Result<Response, Infallible> {
    let version = request.version();
    let is_http2 = version == Version::HTTP_2;
    let has_host = host::is_valid(&request);
    let (head, body) = request.into_parts();
    let is_read = Arc::new(AtomicBool::new(is_http2 || body.is_end_stream()));
    let body = if is_read.load(Ordering::Relaxed) {
        Body::new(body)
    } else {
        let is_read = Arc::clone(&is_read);
        Body::new(RequestBody { body, is_read })
    };
    let Ok(mut response) = router.oneshot(Request::from_parts(head, body)).await;
    let is_whole = has_host && is_read.load(Ordering::Relaxed);
    if !is_http2 && !is_whole {
        // Under a later version, the library adds `keep-alive` for a client of HTTP/1.0 that asked for it.
        *response.version_mut() = version;
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    Ok(response.map(|body| Body::new(ResponseBody::new(body, running, is_http2))))
}

/// The HTTP library's server, with its limits.
pub(super) fn builder() -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        // `Activity` distinguishes a late head from an idle connection.
        .header_read_timeout(None)
        .max_headers(MAX_HEADERS)
        .max_buf_size(MAX_HEAD_SIZE as usize);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(MAX_HEAD_SIZE)
        .max_concurrent_streams(MAX_STREAMS)
        // A connection that opens and resets streams in bulk is closed (CVE-2023-44487).
        .max_pending_accept_reset_streams(MAX_RESET_STREAMS)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .keep_alive_interval(Duration::from_secs(20))
        .keep_alive_timeout(Duration::from_secs(10));
    builder
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_kernel_closes_a_connection_whose_client_takes_nothing() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let _client = TcpStream::connect(listener.local_addr().unwrap()).await;
        let (stream, _) = listener.accept().await.unwrap();
        prepare(&stream, Duration::from_millis(1)).unwrap();
        let part = vec![b'x'; 1 << 20];
        let error = loop {
            stream.writable().await.unwrap();
            match stream.try_write(&part) {
                Err(error) if error.kind() != std::io::ErrorKind::WouldBlock => break error,
                _ => {}
            }
        };
        assert_eq!(error.kind(), std::io::ErrorKind::TimedOut);
    }
}
