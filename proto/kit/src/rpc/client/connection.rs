//! One HTTP/2 connection to a replica, on the `h2` crate: a caller's own task sends its call and takes its answer, with no channel
//! or task in between, which is what most of a hop costs.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared, poll_fn};
use h2::client::{Connection as Driver, SendRequest};
use h2::{Ping, PingPong, RecvStream, SendStream};
use http::{HeaderMap, Request, Response, Uri};
use http_body::{Body as _, Frame};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use super::lost::Lost;

/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(2);
/// How often a connection is asked whether it is alive, and how long it may take to say so.
const PING: Duration = Duration::from_secs(10);
const PONG: Duration = Duration::from_secs(5);
/// Bytes of answers that may be on their way, of one call and of all: a page has some ten kilobytes, and many come at once.
const WINDOW: u32 = 2 << 20;
const WINDOWS: u32 = 16 << 20;

/// A way to a replica; it can be shared by any number of calls.
pub(super) type Way = SendRequest<Bytes>;

/// A way that is being made, for all who wait for it.
pub(super) type Coming = Shared<BoxFuture<'static, Result<Way, Lost>>>;

/// Connects; `ended` is run when the connection is over.
pub(super) fn connect(uri: Uri, ended: impl FnOnce() + Send + 'static) -> Coming {
    let connecting = async move {
        let opened = timeout(CONNECT, open(&uri)).await;
        let (way, driver) = opened
            .unwrap_or_else(|_| Err("no connection in time".to_owned()))
            .map_err(|reason| Lost::Unsent(format!("{uri}: {reason}").into()))?;
        // It ends with the connection, which ends with its last way.
        drop(spawn(async move {
            drive(driver).await;
            ended();
        }));
        Ok(way)
    };
    connecting.boxed().shared()
}

#[expect(
    clippy::disallowed_methods,
    reason = "a connection belongs to its runtime, and ends with its last caller"
)]
fn spawn(task: impl Future<Output = ()> + Send + 'static) -> tokio::task::JoinHandle<()> {
    tokio::spawn(task)
}

async fn open(uri: &Uri) -> Result<(Way, Driver<TcpStream, Bytes>), String> {
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
        .initial_window_size(WINDOW)
        .initial_connection_window_size(WINDOWS)
        .enable_push(false)
        .handshake(stream)
        .await
        .map_err(|error| error.to_string())
}

/// Moves bytes until the connection ends, or does not answer any more.
async fn drive(mut driver: Driver<TcpStream, Bytes>) {
    let pings = driver.ping_pong();
    let ended = async {
        if let Err(error) = driver.await {
            tracing::debug!(%error, "a connection to a service broke off");
        }
    };
    tokio::select! {
        () = ended => {}
        () = watch(pings) => tracing::warn!("a service does not answer; its connection is given up"),
    }
}

async fn watch(pings: Option<PingPong>) {
    let Some(mut pings) = pings else {
        return std::future::pending().await;
    };
    loop {
        sleep(PING).await;
        if !matches!(timeout(PONG, pings.ping(Ping::opaque())).await, Ok(Ok(_))) {
            return;
        }
    }
}

/// Sends a whole call; returns its answer, of which the head has come.
pub(super) async fn send(
    way: Way,
    request: Request<()>,
    message: Bytes,
) -> Result<Response<RecvStream>, Lost> {
    let mut way = way.ready().await.map_err(|error| unsent(&error))?;
    let (answer, mut stream) = way
        .send_request(request, false)
        .map_err(|error| unsent(&error))?;
    stream
        .send_data(message, true)
        .map_err(|error| broken(&error))?;
    answer.await.map_err(|error| {
        // The other side says that it has not looked at the call: it is shutting down.
        if error.is_remote() && error.reason() == Some(h2::Reason::REFUSED_STREAM) {
            return unsent(&error);
        }
        broken(&error)
    })
}

/// Sends a call whose messages come one after the other.
pub(super) async fn send_stream(
    way: Way,
    request: Request<()>,
    here: Vec<Bytes>,
    rest: tonic::body::Body,
) -> Result<Response<RecvStream>, Lost> {
    let mut way = way.ready().await.map_err(|error| unsent(&error))?;
    let (answer, stream) = way
        .send_request(request, false)
        .map_err(|error| unsent(&error))?;
    // The answer may come before the last message has gone.
    drop(spawn(pump(here, rest, stream)));
    answer.await.map_err(|error| broken(&error))
}

async fn pump(here: Vec<Bytes>, mut body: tonic::body::Body, mut stream: SendStream<Bytes>) {
    for data in here {
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
    // Whoever does not listen any more has its reasons, and its answer tells them.
    drop(stream.send_data(Bytes::new(), true));
}

/// Sends as much at once as the other side takes.
async fn send_data(stream: &mut SendStream<Bytes>, mut data: Bytes) -> Option<()> {
    while !data.is_empty() {
        stream.reserve_capacity(data.len());
        let room = poll_fn(|cx| stream.poll_capacity(cx)).await?.ok()?;
        let part = data.split_to(room.min(data.len()));
        stream.send_data(part, false).ok()?;
    }
    Some(())
}

/// The next part of an answer's body, with what it took given back to the window.
pub(super) fn poll_frame(
    stream: &mut RecvStream,
    cx: &mut Context<'_>,
) -> Poll<Option<Result<Frame<Bytes>, h2::Error>>> {
    if let Some(data) = ready!(stream.poll_data(cx)).transpose()? {
        // It fails when the stream is over, and then nothing is left to be given back.
        drop(stream.flow_control().release_capacity(data.len()));
        return Poll::Ready(Some(Ok(Frame::data(data))));
    }
    let trailers: Option<HeaderMap> = ready!(stream.poll_trailers(cx))?;
    Poll::Ready(trailers.map(|trailers| Ok(Frame::trailers(trailers))))
}

fn unsent(error: &h2::Error) -> Lost {
    Lost::Unsent(Arc::from(error.to_string()))
}

fn broken(error: &h2::Error) -> Lost {
    Lost::Broken(Arc::from(error.to_string()))
}
