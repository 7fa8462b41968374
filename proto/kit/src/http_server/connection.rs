//! Serves one connection.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, HttpBody};
use axum::extract::ConnectInfo;
use axum::response::Response;
use bytes::Bytes;
use http::header::{CONNECTION, EXPECT, HeaderValue};
use http::{Request, Version};
use http_body::{Frame, SizeHint};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use parking_lot::Mutex;
use socket2::SockRef;
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::lingering_stream::{CLOSING, LingeringStream};
use super::{Limits, host};

/// Limits of the HTTP library, far above those of the services. Beyond them the error response is the library's.
const MAX_HEADERS: usize = 256;
const MAX_HEAD_SIZE: u32 = 128 * 1024;
/// Concurrent requests on an HTTP/2 connection.
const MAX_STREAMS: u32 = 100;
/// HTTP/2 flow control: bytes of bodies that a client may send ahead, per request and per connection.
const STREAM_WINDOW: u32 = 64 * 1024;
const CONNECTION_WINDOW: u32 = 256 * 1024;
/// How long a client may take none of the bytes that are sent to it.
const UNTAKEN: Duration = Duration::from_secs(30);

/// The requests of a connection.
#[derive(Debug)]
struct Activity {
    state: Mutex<State>,
    /// Notified when `state` changes.
    changed: Notify,
}

#[derive(Debug)]
struct State {
    /// Requests that run, or whose responses are not written yet.
    running: u32,
    /// Whether a request has come.
    has_begun: bool,
    /// When the connection was opened, or the last request ended.
    since: Instant,
}

/// A running request, until this is dropped.
struct RunningRequest(Arc<Activity>);

/// The body of a response. The HTTP library drops it when it is written.
struct ResponseBody {
    body: Body,
    _running: RunningRequest,
}

impl HttpBody for ResponseBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Activity {
    fn new() -> Arc<Self> {
        let state = Mutex::new(State {
            running: 0,
            has_begun: false,
            since: Instant::now(),
        });
        let changed = Notify::new();
        Arc::new(Self { state, changed })
    }

    fn begin(self: &Arc<Self>) -> RunningRequest {
        let mut state = self.state.lock();
        (state.running, state.has_begun) = (state.running + 1, true);
        drop(state);
        self.changed.notify_one();
        RunningRequest(Arc::clone(self))
    }

    /// Waits until the connection has been without a request for too long.
    async fn expired(&self, limits: Limits) {
        loop {
            let deadline = {
                let state = self.state.lock();
                let limit = if state.has_begun {
                    limits.http_idle
                } else {
                    limits.http_head
                };
                (state.running == 0).then_some(state.since + limit)
            };
            let expiring = async {
                match deadline {
                    Some(deadline) => sleep_until(deadline).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = self.changed.notified() => {}
                () = expiring => return,
            }
        }
    }
}

impl Drop for RunningRequest {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        (state.running, state.since) = (state.running - 1, Instant::now());
        drop(state);
        self.0.changed.notify_one();
    }
}

fn prepare(stream: &TcpStream) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    SockRef::from(stream).set_tcp_user_timeout(Some(UNTAKEN))
}

/// Serves a connection until the client closes it, it has been without a request for too long, or the server is drained.
pub(super) async fn serve_connection(
    builder: &Builder<TokioExecutor>,
    stream: TcpStream,
    peer: SocketAddr,
    limits: Limits,
    router: Router,
    draining: CancellationToken,
) {
    // An error means that the connection is closed.
    drop(prepare(&stream));
    let activity = Activity::new();
    let service = service_fn(|mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
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

/// Answers a request. It runs until its response is written. Where the request ends is in doubt if it has no valid host, or if its client may
/// wait for leave to send the body: the connection is closed then.
async fn respond(
    router: Router,
    running: RunningRequest,
    request: Request<Incoming>,
) -> Result<Response, Infallible> {
    let is_doubtful = !host::is_valid(&request) || request.headers().contains_key(EXPECT);
    let closes = is_doubtful && request.version() < Version::HTTP_2;
    let Ok(mut response) = router.oneshot(request).await;
    if closes {
        response
            .headers_mut()
            .insert(CONNECTION, HeaderValue::from_static("close"));
    }
    Ok(response.map(|body| {
        Body::new(ResponseBody {
            body,
            _running: running,
        })
    }))
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
        // Limits streams that a client has reset before they were accepted. A connection that opens and resets streams in bulk is
        // closed (CVE-2023-44487).
        .max_pending_accept_reset_streams(MAX_STREAMS as usize)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .keep_alive_interval(Duration::from_secs(20))
        .keep_alive_timeout(Duration::from_secs(10));
    builder
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        http_connections: 1,
        http_head: Duration::from_secs(10),
        http_idle: Duration::from_secs(75),
    };

    /// How long `activity` takes to expire from now, in seconds.
    async fn seconds_until_expired(activity: &Activity) -> u64 {
        let begun = Instant::now();
        activity.expired(LIMITS).await;
        begun.elapsed().as_secs()
    }

    #[tokio::test]
    async fn the_kernel_closes_a_connection_whose_client_takes_nothing() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap());
        let stream = stream.await.unwrap();
        prepare(&stream).unwrap();
        let timeout = SockRef::from(&stream).tcp_user_timeout().unwrap();
        assert_eq!(timeout, Some(UNTAKEN));
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_request_must_come_in_time_and_later_ones_may_take_longer() {
        let activity = Activity::new();
        assert_eq!(seconds_until_expired(&activity).await, 10);
        drop(activity.begin());
        assert_eq!(seconds_until_expired(&activity).await, 75);
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_with_a_running_request_does_not_expire() {
        let activity = Activity::new();
        let (first, second) = (activity.begin(), activity.begin());
        let requests = async {
            tokio::time::sleep(LIMITS.http_idle * 2).await;
            drop(first);
            tokio::time::sleep(LIMITS.http_idle * 2).await;
            drop(second);
        };
        let (seconds, ()) = tokio::join!(seconds_until_expired(&activity), requests);
        assert_eq!(seconds, 5 * 75);
    }
}
