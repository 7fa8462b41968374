//! The HTTP/2 client of a replica: hyper-util's, which opens a connection at the first call, shares it between all calls, and opens another
//! when it is lost.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use http::{Request, Response, Uri};
use hyper::body::Incoming;
use hyper_rustls::MaybeHttpsStream;
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tonic::body::Body;
use tower::{BoxError, Service};

use super::transport::{ServiceTls, Transport};
use super::transport_error::TransportError;
use crate::grpc_address;
use crate::rpc::tls::HANDSHAKE_TIMEOUT;

/// The timeout of connecting: half of the deadline of a read, so that another replica still gets the call when a host has vanished.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// How long sent data may stay without the acknowledgement of the other host's kernel. Then the network has failed, and the connection
/// closes: TCP itself would try again later and later, and after a network failure of ten seconds the calls would fail for ten more.
const UNACKNOWLEDGED: Duration = Duration::from_secs(5);
/// The interval of pings, and the timeout of a pong. A missing pong fails every call on the connection, even if the service is only slow, so
/// the timeout is long. When a replica vanishes, calls fail by their own deadlines; only a stream without a deadline, such as the feed of a
/// follower, waits for the pong.
const PING_INTERVAL: Duration = Duration::from_secs(10);
const PONG_TIMEOUT: Duration = Duration::from_secs(20);
/// The flow-control window of a call: what a caller that stops reading costs. A page has some ten kilobytes.
const STREAM_WINDOW: u32 = 256 << 10;
/// The largest head or trailers of a response: a multiple of the status of a fault, which is the only part whose size callers decide. A
/// larger one ends its call without an answer.
const MAX_HEADER_LIST: u32 = 64 << 10;
/// The flow-control window of a connection: the largest that there is, so that callers that stop reading do not stop the others.
const CONNECTION_WINDOW: u32 = (1 << 31) - 1;

/// Sends calls to one replica.
#[derive(Debug)]
pub(super) struct HttpClient {
    client: legacy::Client<Connector, Body>,
    has_response: Arc<AtomicBool>,
}

/// Opens a connection, and speaks TLS if the address does.
#[derive(Clone)]
struct Connector {
    http: HttpConnector,
    tls: Option<ServiceTls>,
    /// Whether a response has come over the newest connection.
    has_response: Arc<AtomicBool>,
}

impl Service<Uri> for Connector {
    type Response = MaybeHttpsStream<TokioIo<TcpStream>>;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Self::Response, BoxError>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.http.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, address: Uri) -> Self::Future {
        self.has_response.store(false, Ordering::Relaxed);
        // An address with TLS has passed `Transport::address`, so there are authorities for it.
        let tls = self.tls.clone().filter(|_| grpc_address::has_tls(&address));
        let connecting = self.http.call(address);
        let connected = async move {
            let stream = connecting.await?;
            let Some(ServiceTls { authorities, name }) = tls else {
                return Ok(MaybeHttpsStream::Http(stream));
            };
            let connector = TlsConnector::from(authorities.config());
            let handshake = connector.connect(name, TokioIo::new(stream));
            let stream = timeout(HANDSHAKE_TIMEOUT, handshake).await??;
            Ok::<_, BoxError>(MaybeHttpsStream::Https(TokioIo::new(stream)))
        };
        connected.boxed()
    }
}

pub(super) fn client(transport: &Transport) -> HttpClient {
    let mut http = HttpConnector::new();
    http.set_nodelay(true);
    http.set_connect_timeout(Some(CONNECT_TIMEOUT));
    http.set_tcp_user_timeout(Some(UNACKNOWLEDGED));
    http.enforce_http(false);
    let has_response = Arc::<AtomicBool>::default();
    let connector =
        Connector { http, tls: transport.tls.clone(), has_response: Arc::clone(&has_response) };
    let client = legacy::Client::builder(TokioExecutor::new())
        .timer(TokioTimer::new())
        .pool_idle_timeout(None)
        .http2_only(true)
        .http2_initial_stream_window_size(STREAM_WINDOW)
        .http2_initial_connection_window_size(CONNECTION_WINDOW)
        .http2_max_header_list_size(MAX_HEADER_LIST)
        .http2_keep_alive_interval(PING_INTERVAL)
        .http2_keep_alive_timeout(PONG_TIMEOUT)
        .http2_keep_alive_while_idle(true)
        .build(connector);
    HttpClient { client, has_response }
}

/// Sends a call; returns the head of the response.
pub(super) async fn send(
    http: &HttpClient,
    request: Request<Body>,
) -> Result<Response<Incoming>, TransportError> {
    let has_tls = grpc_address::has_tls(request.uri());
    let sent = http.client.request(request).await;
    let response = sent.map_err(|error| {
        let reason = reason(&error);
        let has_response = || http.has_response.load(Ordering::Relaxed);
        if error.is_connect() || is_refused(&error) {
            TransportError::NotSent(reason)
        } else if is_reset(&error) {
            TransportError::Reset(reason)
        } else if has_tls || is_from_service(&error) || has_response() {
            TransportError::Broken(reason)
        } else {
            // So ends a connection to a port that speaks TLS.
            TransportError::Broken(format!("{reason} ({PLAIN_HINT})").into())
        }
    })?;
    http.has_response.store(true, Ordering::Relaxed);
    Ok(response)
}

/// What an operator may have to change when a connection without TLS is lost before its first response.
const PLAIN_HINT: &str = "if the port speaks TLS, its address begins with https://";

/// Whether the service itself has ended the call or the connection, by a frame of HTTP/2.
fn is_from_service(error: &legacy::Error) -> bool {
    errors_of_service(error).next().is_some()
}

/// Whether the server has not processed the call, because it is shutting down: it refuses the stream, or a GOAWAY excludes it (RFC 9113,
/// 6.8 and 8.7). Streams that the GOAWAY does not exclude go on, and end otherwise if the connection does.
fn is_refused(error: &legacy::Error) -> bool {
    errors_of_service(error).any(|error| match error.reason() {
        Some(h2::Reason::REFUSED_STREAM) => true,
        Some(h2::Reason::NO_ERROR) => error.is_go_away(),
        _ => false,
    })
}

/// The errors of HTTP/2 that the service has sent.
fn errors_of_service(error: &legacy::Error) -> impl Iterator<Item = &h2::Error> {
    http2_errors(error).filter(|error| error.is_remote())
}

fn http2_errors<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a h2::Error> {
    chain(error).filter_map(|error| error.downcast_ref())
}

/// Whether only the stream of the call has ended, and its connection goes on.
fn is_reset(error: &(dyn Error + 'static)) -> bool {
    http2_errors(error).any(h2::Error::is_reset)
}

/// The error of a response whose body broke off.
pub(super) fn body_error(error: &(dyn Error + 'static)) -> TransportError {
    if is_reset(error) {
        TransportError::Reset(reason(error))
    } else {
        TransportError::Broken(reason(error))
    }
}

/// The text of an error with its causes.
fn reason(error: &(dyn Error + 'static)) -> Arc<str> {
    let causes: Vec<String> = chain(error).map(ToString::to_string).collect();
    causes.join(": ").into()
}

fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}
