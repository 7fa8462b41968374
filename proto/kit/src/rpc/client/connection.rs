//! The HTTP/2 connection to a replica: it opens at the first call, all calls share it, and the next call opens another when it is lost.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared};
use http::uri::PathAndQuery;
use http::{Request, Response, Uri, Version};
use hyper::body::Incoming;
use hyper::client::conn::http2::{self, SendRequest};
use hyper::rt::Executor as _;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tonic::body::Body;
use tower::{BoxError, Service as _};

use super::transport::{ServiceTls, Transport};
use super::transport_error::TransportError;
use crate::coalescing_stream::CoalescingStream;
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
    address: Uri,
    http: HttpConnector,
    tls: Option<ServiceTls>,
    newest: Mutex<Option<Opening>>,
}

/// A connection, once it is open.
type Opening = Shared<BoxFuture<'static, Result<Connection, TransportError>>>;

#[derive(Debug, Clone)]
struct Connection {
    sender: SendRequest<Body>,
    /// Whether a response has come over it.
    has_response: Arc<AtomicBool>,
}

/// A call without a response.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) error: TransportError,
    /// The request, if it can be sent to another replica.
    pub(super) unsent: Option<Box<Request<Body>>>,
}

impl HttpClient {
    /// A client of the replica at `address`, which has passed [`Transport::address`].
    pub(super) fn new(address: Uri, transport: &Transport) -> Self {
        let mut http = HttpConnector::new();
        http.set_nodelay(true);
        http.set_connect_timeout(Some(CONNECT_TIMEOUT));
        http.set_tcp_user_timeout(Some(UNACKNOWLEDGED));
        http.enforce_http(false);
        // An address with TLS has passed, so there are authorities for it.
        let tls = transport.tls.clone().filter(|_| grpc_address::has_tls(&address));
        Self { address, http, tls, newest: Mutex::default() }
    }

    /// Sends a call to `path`; returns the head of the response.
    pub(super) async fn send(
        &self,
        path: &PathAndQuery,
        mut request: Request<Body>,
    ) -> Result<Response<Incoming>, Failure> {
        let mut uri = self.address.clone().into_parts();
        uri.path_and_query = Some(path.clone());
        // This does not fail: a scheme, an authority and a path form a URI.
        *request.uri_mut() = Uri::from_parts(uri).unwrap_or_default();
        *request.version_mut() = Version::HTTP_2;
        let mut request = Box::new(request);
        loop {
            let (opening, is_new) = self.opening();
            let mut connection = match opening.await {
                Ok(connection) => connection,
                Err(error) => return Err(Failure { error, unsent: Some(request) }),
            };
            let mut failed = match connection.sender.try_send_request(*request).await {
                Ok(response) => {
                    connection.has_response.store(true, Ordering::Relaxed);
                    return Ok(response);
                }
                Err(failed) => failed,
            };
            let unsent = failed.take_message().map(Box::new);
            match unsent {
                // The connection was lost before the call.
                Some(unsent) if !is_new && connection.sender.is_closed() => request = unsent,
                unsent => {
                    let error = self.error(&connection, failed.error(), unsent.is_some());
                    return Err(Failure { error, unsent });
                }
            }
        }
    }

    /// The connection, which may still be opening, and whether this call opens it. A connection that is lost, or could not be opened, is
    /// replaced.
    #[expect(clippy::disallowed_methods, reason = "the task ends by its timeouts")]
    fn opening(&self) -> (Opening, bool) {
        let mut newest = self.newest.lock();
        let usable = newest.as_ref().filter(|opening| match opening.peek() {
            None => true,
            Some(Ok(connection)) => !connection.sender.is_closed(),
            Some(Err(_)) => false,
        });
        if let Some(opening) = usable {
            return (opening.clone(), false);
        }
        let connecting = connect(self.http.clone(), self.tls.clone(), self.address.clone());
        // A task, since it goes on for the next calls when this one is cancelled.
        let opening = tokio::spawn(connecting).map(|opened| match opened {
            Ok(Ok(connection)) => Ok(connection),
            Ok(Err(error)) => Err(TransportError::NotSent(reason(&*error))),
            Err(error) => Err(TransportError::NotSent(reason(&error))),
        });
        (newest.insert(opening.boxed().shared()).clone(), true)
    }

    fn error(
        &self,
        connection: &Connection,
        error: &hyper::Error,
        is_unsent: bool,
    ) -> TransportError {
        let mut reason = reason(error);
        let is_explained = self.tls.is_some()
            || is_from_service(error)
            || connection.has_response.load(Ordering::Relaxed);
        if !is_explained {
            // So ends a connection to a port that speaks TLS.
            reason = format!("{reason} ({PLAIN_HINT})").into();
        }
        if is_unsent || is_refused(error) {
            TransportError::NotSent(reason)
        } else if is_reset(error) {
            TransportError::Reset(reason)
        } else {
            TransportError::Broken(reason)
        }
    }
}

/// Opens a connection, and speaks TLS with a service that does.
async fn connect(
    mut http: HttpConnector,
    tls: Option<ServiceTls>,
    address: Uri,
) -> Result<Connection, BoxError> {
    let socket = http.call(address).await?.into_inner();
    let stream = CoalescingStream::new(socket);
    let Some(ServiceTls { authorities, name }) = tls else {
        return Ok(begin(stream).await?);
    };
    let connector = TlsConnector::from(authorities.config());
    let stream = timeout(HANDSHAKE_TIMEOUT, connector.connect(name, stream)).await??;
    Ok(begin(stream).await?)
}

/// Begins to speak HTTP/2.
async fn begin<S>(stream: S) -> hyper::Result<Connection>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let executor = TokioExecutor::new();
    let (sender, connection) = http2::Builder::new(executor.clone())
        .timer(TokioTimer::new())
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_header_list_size(MAX_HEADER_LIST)
        .keep_alive_interval(PING_INTERVAL)
        .keep_alive_timeout(PONG_TIMEOUT)
        .keep_alive_while_idle(true)
        .handshake(TokioIo::new(stream))
        .await?;
    // It ends when it is lost, or its client is dropped; the calls tell its error.
    executor.execute(connection.map(drop));
    Ok(Connection { sender, has_response: Arc::default() })
}

/// What an operator may have to change when a connection without TLS is lost before its first response.
const PLAIN_HINT: &str = "if the port speaks TLS, its address begins with https://";

/// Whether the service itself has ended the call or the connection, by a frame of HTTP/2.
fn is_from_service(error: &hyper::Error) -> bool {
    errors_of_service(error).next().is_some()
}

/// Whether the server has not processed the call, because it is shutting down: it refuses the stream, or a GOAWAY excludes it (RFC 9113,
/// 6.8 and 8.7). Streams that the GOAWAY does not exclude go on, and end otherwise if the connection does.
fn is_refused(error: &hyper::Error) -> bool {
    errors_of_service(error).any(|error| match error.reason() {
        Some(h2::Reason::REFUSED_STREAM) => true,
        Some(h2::Reason::NO_ERROR) => error.is_go_away(),
        _ => false,
    })
}

/// The errors of HTTP/2 that the service has sent.
fn errors_of_service(error: &hyper::Error) -> impl Iterator<Item = &h2::Error> {
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
