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

/// The largest part of a response that is given to the HTTP library at once, so that a client that takes a large one slowly is seen to.
const PART: usize = 16 * 1024;

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
    /// Responses over HTTP/2 whose next part the client does not take.
    untaken: u32,
    /// Whether a request has come.
    has_begun: bool,
    /// When the connection was opened, the last request ended, or the client last took a part of a response.
    since: Instant,
}

/// A running request, until this is dropped.
struct RunningRequest {
    activity: Arc<Activity>,
    /// Whether its response is among the `untaken`.
    is_untaken: bool,
}

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

/// The body of a response. The HTTP library drops it when it is written. Over HTTP/2, the library asks for a part when the client takes one;
/// over HTTP/1.1 the kernel notices that it takes none.
struct ResponseBody {
    body: Body,
    /// What is left of the last frame.
    rest: Bytes,
    running: RunningRequest,
    is_http2: bool,
}

impl HttpBody for ResponseBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if !self.is_http2 {
            return Pin::new(&mut self.body).poll_frame(context);
        }
        if self.rest.is_empty() {
            let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) else {
                // The client waits for the service.
                self.running.set_untaken(false);
                return Poll::Pending;
            };
            match frame.map(|frame| frame.map(Frame::into_data)) {
                Some(Ok(Ok(data))) => self.rest = data,
                Some(Ok(Err(trailers))) => return Poll::Ready(Some(Ok(trailers))),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
        self.running.set_untaken(true);
        let part = self.rest.len().min(PART);
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(part)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (rest, body) = (self.rest.len() as u64, self.body.size_hint());
        let mut hint = SizeHint::new();
        hint.set_lower(body.lower() + rest);
        if let Some(upper) = body.upper() {
            hint.set_upper(upper + rest);
        }
        hint
    }
}

impl Activity {
    fn new() -> Arc<Self> {
        let state = Mutex::new(State {
            running: 0,
            untaken: 0,
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
        RunningRequest {
            activity: Arc::clone(self),
            is_untaken: false,
        }
    }

    /// Waits until the connection has been without a request for too long, or its client has taken nothing of a response.
    async fn expired(&self, limits: Limits) {
        loop {
            let deadline = {
                let state = self.state.lock();
                let limit = match *state {
                    State { untaken: 1.., .. } => Some(UNTAKEN),
                    State { running: 1.., .. } => None,
                    State {
                        has_begun: true, ..
                    } => Some(limits.http_idle),
                    State { .. } => Some(limits.http_head),
                };
                limit.map(|limit| state.since + limit)
            };
            if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                return;
            }
            let expiring = async {
                match deadline {
                    Some(deadline) => sleep_until(deadline).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = self.changed.notified() => {}
                // The client may have taken something since.
                () = expiring => {}
            }
        }
    }
}

impl RunningRequest {
    /// The response has a part for the client, or none yet. The client has taken the part before it, if there was one.
    fn set_untaken(&mut self, is_untaken: bool) {
        let mut state = self.activity.state.lock();
        // A further response does not give the client more time for those before it.
        if self.is_untaken || state.untaken == 0 {
            state.since = Instant::now();
        }
        state.untaken -= u32::from(self.is_untaken);
        state.untaken += u32::from(is_untaken);
        drop(state);
        if self.is_untaken != is_untaken {
            self.activity.changed.notify_one();
        }
        self.is_untaken = is_untaken;
    }
}

impl Drop for RunningRequest {
    fn drop(&mut self) {
        let mut state = self.activity.state.lock();
        (state.running, state.since) = (state.running - 1, Instant::now());
        state.untaken -= u32::from(self.is_untaken);
        drop(state);
        self.activity.changed.notify_one();
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
    limits: Limits,
    router: Router,
    draining: CancellationToken,
) {
    // An error means that the connection is closed.
    drop(prepare(&stream, UNTAKEN));
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

/// Answers a request. It runs until its response is written. Over HTTP/1.1 the connection ends with a request that has no valid host, because
/// readers may disagree about its end, and with one whose body was not read whole: the next request would begin after the body. The response
/// says so, because the client would lose its next request otherwise.
async fn respond(
    router: Router,
    mut running: RunningRequest,
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
        response
            .headers_mut()
            .insert(CONNECTION, HeaderValue::from_static("close"));
    }
    if is_http2 {
        running.set_untaken(true);
    }
    Ok(response.map(|body| {
        Body::new(ResponseBody {
            body,
            rest: Bytes::new(),
            running,
            is_http2,
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
    use futures::stream::{self, StreamExt as _};
    use http_body_util::BodyExt as _;

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

    /// A body of these frames, after which the service has nothing to send yet.
    fn response(activity: &Arc<Activity>, frames: Vec<Bytes>) -> ResponseBody {
        let frames = stream::iter(frames).map(Ok::<_, Infallible>);
        let mut running = activity.begin();
        running.set_untaken(true);
        ResponseBody {
            body: Body::from_stream(frames.chain(stream::pending())),
            rest: Bytes::new(),
            running,
            is_http2: true,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_whose_client_takes_nothing_of_a_response_expires() {
        let activity = Activity::new();
        let mut taken = response(&activity, vec![Bytes::from(vec![b'x'; 3 * PART])]);
        let _untaken = response(&activity, vec![Bytes::from_static(b"x")]);
        // The client takes a part of one response now and then.
        let takes = async {
            for _ in 0..3 {
                tokio::time::sleep(UNTAKEN / 2).await;
                let part = taken.frame().await.unwrap().unwrap();
                assert_eq!(part.into_data().unwrap().len(), PART);
            }
        };
        let (seconds, ()) = tokio::join!(seconds_until_expired(&activity), takes);
        assert_eq!(seconds, 3 * 15 + 30);

        let activity = Activity::new();
        let _first = response(&activity, vec![Bytes::from_static(b"x")]);
        let requests = async {
            tokio::time::sleep(UNTAKEN / 2).await;
            response(&activity, vec![Bytes::from_static(b"x")])
        };
        let (seconds, _second) = tokio::join!(seconds_until_expired(&activity), requests);
        assert_eq!(seconds, 30);
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_whose_client_waits_for_the_service_does_not_expire() {
        let activity = Activity::new();
        let mut slow = response(&activity, vec![Bytes::from_static(b"x")]);
        let waits = async {
            assert!(slow.frame().await.is_some());
            assert!(timeout(UNTAKEN * 9, slow.frame()).await.is_err());
            drop(slow);
        };
        let (seconds, ()) = tokio::join!(seconds_until_expired(&activity), waits);
        assert_eq!(seconds, 9 * 30 + 75);
    }
}
