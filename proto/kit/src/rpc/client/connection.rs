//! The HTTP/2 client of a replica: hyper-util's, which opens a connection at the first call, shares it between all calls, and opens another
//! when it is lost.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response};
use hyper::body::Incoming;
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tonic::body::Body;

use super::transport_error::TransportError;

/// The timeout of connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// How long sent data may stay without the acknowledgement of the other host's kernel. Then the network has failed, and the connection
/// closes: TCP itself would try again later and later, and after a network that was away for ten seconds the calls would fail for ten more.
const UNACKNOWLEDGED: Duration = Duration::from_secs(5);
/// The interval of pings, and the timeout of a pong. A missing pong fails every call on the connection, even if the service is only slow, so
/// the timeout is long. When a replica vanishes, calls fail by their own deadlines and the circuit breaker ejects it; only a stream without
/// a deadline, such as the feed of a follower that does not acknowledge, waits for the pong.
const PING_INTERVAL: Duration = Duration::from_secs(10);
const PONG_TIMEOUT: Duration = Duration::from_secs(20);
/// The flow-control window of a call: what a caller that stops reading costs. A page has some ten kilobytes.
const STREAM_WINDOW: u32 = 256 << 10;
/// The flow-control window of a connection: the largest that there is, so that callers that stop reading do not stop the others.
const CONNECTION_WINDOW: u32 = (1 << 31) - 1;

/// Sends calls to one replica.
pub(super) type HttpClient = legacy::Client<HttpConnector, Body>;

pub(super) fn client() -> HttpClient {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    connector.set_connect_timeout(Some(CONNECT_TIMEOUT));
    connector.set_tcp_user_timeout(Some(UNACKNOWLEDGED));
    legacy::Client::builder(TokioExecutor::new())
        .timer(TokioTimer::new())
        .pool_idle_timeout(None)
        .http2_only(true)
        .http2_initial_stream_window_size(STREAM_WINDOW)
        .http2_initial_connection_window_size(CONNECTION_WINDOW)
        .http2_keep_alive_interval(PING_INTERVAL)
        .http2_keep_alive_timeout(PONG_TIMEOUT)
        .http2_keep_alive_while_idle(true)
        .build(connector)
}

/// Sends a call; returns the head of the response.
pub(super) async fn send(
    client: &HttpClient,
    request: Request<Body>,
) -> Result<Response<Incoming>, TransportError> {
    client.request(request).await.map_err(|error| {
        let reason = reason(&error);
        if error.is_connect() || is_refused(&error) {
            TransportError::NotSent(reason)
        } else {
            TransportError::Broken(reason)
        }
    })
}

/// Whether the server has not processed the call, because it is shutting down.
fn is_refused(error: &legacy::Error) -> bool {
    chain(error)
        .filter_map(|error| error.downcast_ref::<h2::Error>())
        .any(|error| error.is_remote() && error.reason() == Some(h2::Reason::REFUSED_STREAM))
}

/// The text of an error with its causes.
pub(super) fn reason(error: &(dyn Error + 'static)) -> Arc<str> {
    let causes: Vec<String> = chain(error).map(ToString::to_string).collect();
    causes.join(": ").into()
}

fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}
