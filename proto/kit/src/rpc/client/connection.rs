//! An HTTP/2 connection to a replica, on the `h2` crate. The caller's own task sends its request and reads its response: a channel or a task
//! in between would be most of the cost of a call.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared, poll_fn};
use h2::client::Connection as Driver;
use h2::{Ping, PingPong, RecvStream, SendStream};
use http::{HeaderMap, Request, Response, Uri};
use http_body::{Body as _, Frame};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use super::transport_error::TransportError;

/// The timeout of connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// The interval of pings, and the timeout of a pong. A missing pong fails every call on the connection, even if the service is only slow, so
/// the timeout is long. When a replica vanishes, calls fail by their own deadlines and the circuit breaker ejects it; only a stream without
/// a deadline, such as the feed of a follower that does not acknowledge, waits for the pong.
const PING_INTERVAL: Duration = Duration::from_secs(10);
const PONG_TIMEOUT: Duration = Duration::from_secs(20);
/// The flow-control window of a call: what a caller that stops reading costs. A page has some ten kilobytes.
const STREAM_WINDOW: u32 = 256 << 10;
/// The flow-control window of a connection: the largest that there is, so that callers that stop reading do not stop the others.
const CONNECTION_WINDOW: u32 = (1 << 31) - 1;

/// Sends requests on a connection; any number of calls share it.
pub(super) type SendRequest = h2::client::SendRequest<Bytes>;

/// A connection that is being opened, for all callers that wait for it.
pub(super) type ConnectFuture = Shared<BoxFuture<'static, Result<SendRequest, TransportError>>>;

/// Connects; `ended` is run when the connection is over.
pub(super) fn connect(uri: Uri, ended: impl FnOnce() + Send + 'static) -> ConnectFuture {
    let connecting = async move {
        let opened = timeout(CONNECT_TIMEOUT, open(&uri)).await;
        let (sender, driver) = opened
            .unwrap_or_else(|_| Err("connecting timed out".to_owned()))
            .map_err(|reason| TransportError::NotSent(format!("{uri}: {reason}").into()))?;
        // The task ends with the connection, and the connection ends with its last sender.
        drop(spawn(async move {
            drive(driver).await;
            ended();
        }));
        Ok(sender)
    };
    connecting.boxed().shared()
}

#[expect(
    clippy::disallowed_methods,
    reason = "a connection belongs to its runtime and ends with its last caller"
)]
fn spawn(task: impl Future<Output = ()> + Send + 'static) -> tokio::task::JoinHandle<()> {
    tokio::spawn(task)
}

async fn open(uri: &Uri) -> Result<(SendRequest, Driver<TcpStream, Bytes>), String> {
    let host = uri.host().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let port = uri.port_u16().unwrap_or_default();
    let stream = TcpStream::connect((host, port))
        .await
        .map_err(|error| error.to_string())?;
    stream
        .set_nodelay(true)
        .map_err(|error| error.to_string())?;
    h2::client::Builder::new()
        .initial_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .enable_push(false)
        .handshake(stream)
        .await
        .map_err(|error| error.to_string())
}

/// Drives the connection until it ends or a pong is missing.
async fn drive(mut driver: Driver<TcpStream, Bytes>) {
    let pings = driver.ping_pong();
    let ended = async {
        if let Err(error) = driver.await {
            tracing::debug!(%error, "a connection to a service has failed");
        }
    };
    tokio::select! {
        () = ended => {}
        () = watch(pings) => tracing::warn!("a service does not answer pings; closing its connection"),
    }
}

async fn watch(pings: Option<PingPong>) {
    let Some(mut pings) = pings else {
        return std::future::pending().await;
    };
    loop {
        sleep(PING_INTERVAL).await;
        if !matches!(
            timeout(PONG_TIMEOUT, pings.ping(Ping::opaque())).await,
            Ok(Ok(_))
        ) {
            return;
        }
    }
}

/// Sends a call with one message; returns the head of the response.
pub(super) async fn send(
    sender: SendRequest,
    request: Request<()>,
    message: Bytes,
) -> Result<Response<RecvStream>, TransportError> {
    let mut sender = sender.ready().await.map_err(|error| not_sent(&error))?;
    let (response, mut stream) = sender
        .send_request(request, false)
        .map_err(|error| not_sent(&error))?;
    stream
        .send_data(message, true)
        .map_err(|error| broken(&error))?;
    response.await.map_err(|error| {
        // The server has not processed the call, because it is shutting down.
        if error.is_remote() && error.reason() == Some(h2::Reason::REFUSED_STREAM) {
            return not_sent(&error);
        }
        broken(&error)
    })
}

/// Sends a call with a stream of messages.
pub(super) async fn send_stream(
    sender: SendRequest,
    request: Request<()>,
    ready: Vec<Bytes>,
    rest: tonic::body::Body,
) -> Result<Response<RecvStream>, TransportError> {
    let mut sender = sender.ready().await.map_err(|error| not_sent(&error))?;
    let (response, stream) = sender
        .send_request(request, false)
        .map_err(|error| not_sent(&error))?;
    // The response may arrive before the last message is sent.
    drop(spawn(pump(ready, rest, stream)));
    response.await.map_err(|error| broken(&error))
}

async fn pump(ready: Vec<Bytes>, mut body: tonic::body::Body, mut stream: SendStream<Bytes>) {
    for data in ready {
        if send_data(&mut stream, data).await.is_none() {
            return;
        }
    }
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        let Some(data) = frame.ok().and_then(|frame| frame.into_data().ok()) else {
            stream.send_reset(h2::Reason::CANCEL);
            return;
        };
        if send_data(&mut stream, data).await.is_none() {
            return;
        }
    }
    // An error means that the service no longer reads. Its response has the reason.
    drop(stream.send_data(Bytes::new(), true));
}

/// Sends as much as the flow-control window allows.
async fn send_data(stream: &mut SendStream<Bytes>, mut data: Bytes) -> Option<()> {
    while !data.is_empty() {
        stream.reserve_capacity(data.len());
        let capacity = poll_fn(|cx| stream.poll_capacity(cx)).await?.ok()?;
        let part = data.split_to(capacity.min(data.len()));
        stream.send_data(part, false).ok()?;
    }
    Some(())
}

/// The next frame of a response body. Releases the flow-control window that the frame used.
pub(super) fn poll_frame(
    stream: &mut RecvStream,
    cx: &mut Context<'_>,
) -> Poll<Option<Result<Frame<Bytes>, TransportError>>> {
    let data = ready!(stream.poll_data(cx)).transpose();
    if let Some(data) = data.map_err(|error| broken(&error))? {
        // This fails when the stream has ended, and then there is no window to release.
        drop(stream.flow_control().release_capacity(data.len()));
        return Poll::Ready(Some(Ok(Frame::data(data))));
    }
    let trailers: Option<HeaderMap> =
        ready!(stream.poll_trailers(cx)).map_err(|error| broken(&error))?;
    Poll::Ready(trailers.map(|trailers| Ok(Frame::trailers(trailers))))
}

fn not_sent(error: &h2::Error) -> TransportError {
    TransportError::NotSent(Arc::from(error.to_string()))
}

fn broken(error: &h2::Error) -> TransportError {
    TransportError::Broken(Arc::from(error.to_string()))
}
