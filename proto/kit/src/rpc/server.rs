//! The gRPC server of a port: authentication, authorization, traces, request ids, metrics, conversion of panics into faults, health and
//! reflection.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use futures::FutureExt as _;
use futures::future::Either;
use futures::stream::{StreamExt as _, TryStreamExt as _};
use http::{Request, Response};
use metrics::{Counter, Histogram};
use tokio_util::sync::CancellationToken;
use tonic::body::Body;
use tonic::service::{Routes, RoutesBuilder};
use tonic::transport::Server;
use tower::{Layer, Service};
use tracing::Instrument as _;

use super::connections::{Port, accept};
use super::identity::{self, Authenticator, Principal};
use super::tls::{self, Connection, Credentials, PeerNames};
use super::{failover, methods};
use crate::admin::Readiness;
use crate::code::Code;
use crate::fault::Fault;
use crate::handles::Handles;
use crate::overload::ConcurrencyLimit;
use crate::request_id::{REQUEST_ID_HEADER, scope};
use crate::{ids, telemetry};

/// The most reset streams that a connection may still hold. A gateway resets many streams when its callers disconnect at once; with the
/// default of h2, 20, the connection would close and end the other calls as well.
const PENDING_RESETS: usize = 4_096;
/// The most calls in flight in a process; a streaming call counts until the head of its response. Services of the fleet stay below this
/// limit; it stops a caller without one.
const MAX_CALLS: usize = 4_096;

/// Serves `services` and health until `draining`, then finishes the calls in flight. With `credentials`, the port speaks TLS only.
pub async fn serve(
    port: Port,
    mut services: RoutesBuilder,
    credentials: Option<Credentials>,
    authenticator: Authenticator,
    readiness: Readiness,
    draining: CancellationToken,
) -> anyhow::Result<()> {
    let (health, health_service) = tonic_health::server::health_reporter();
    services.add_service(health_service);
    let mut ready = readiness.watch();
    let report = async move {
        loop {
            let status = if *ready.borrow_and_update() {
                tonic_health::ServingStatus::Serving
            } else {
                tonic_health::ServingStatus::NotServing
            };
            health.set_service_status("", status).await;
            if ready.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    };

    let connections = accept(port);
    let connections = match credentials {
        Some(credentials) => tls::handshakes(connections, credentials).left_stream(),
        None => connections.map_ok(Connection::plain).right_stream(),
    };
    let limit = Arc::new(ConcurrencyLimit::new("rpc", MAX_CALLS));
    let server = Server::builder()
        .http2_max_pending_accept_reset_streams(Some(PENDING_RESETS))
        .http2_keepalive_interval(Some(Duration::from_secs(20)))
        .layer(CallLayer {
            authenticator,
            limit,
        })
        .add_routes(services.routes())
        .serve_with_incoming_shutdown(connections, draining.cancelled_owned());
    tokio::select! {
        served = server => Ok(served?),
        () = report => Ok(()),
    }
}

/// An empty set of services.
pub fn services() -> RoutesBuilder {
    Routes::builder()
}

/// Adds reflection, by which tools such as grpcurl learn the methods of all services.
pub(crate) fn add_reflection(services: &mut RoutesBuilder) -> anyhow::Result<()> {
    let reflection = tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(contracts::DESCRIPTORS)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
        .build_v1()?;
    services.add_service(reflection);
    Ok(())
}

#[derive(Clone)]
struct CallLayer {
    authenticator: Authenticator,
    limit: Arc<ConcurrencyLimit>,
}

impl<S> Layer<S> for CallLayer {
    type Service = Call<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Call {
            inner,
            authenticator: self.authenticator.clone(),
            limit: Arc::clone(&self.limit),
        }
    }
}

/// Wraps every call.
#[derive(Clone)]
struct Call<S> {
    inner: S,
    authenticator: Authenticator,
    limit: Arc<ConcurrencyLimit>,
}

impl<S> Service<Request<Body>> for Call<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>
        + Clone
        + Send
        + 'static,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        // tonic adds the names of the connection to each of its requests.
        if let Some(Some(names)) = request.extensions_mut().remove::<Option<PeerNames>>() {
            request.extensions_mut().insert(names);
        }
        let path = request.uri().path();
        let method = methods::label(path);
        let principal = self
            .authenticator
            .check(path, request.headers(), request.extensions());
        let unresolved = match principal {
            Ok(Principal::Fleet | Principal::Exchange) => None,
            Ok(Principal::Staff(member)) => {
                request.extensions_mut().insert(member);
                None
            }
            Ok(Principal::Unresolved(members, token)) => Some((members, token)),
            Err(status) => return Box::pin(async move { Ok(status.into_http()) }),
        };
        let permit = match self.limit.try_acquire() {
            Ok(permit) => permit,
            Err(fault) => {
                return Box::pin(async move { Ok(tonic::Status::from(fault).into_http()) });
            }
        };
        let request_id = request
            .headers()
            .get(REQUEST_ID_HEADER)
            .and_then(|id| id.to_str().ok())
            .filter(|id| is_id(id))
            .map_or_else(ids::request_id, ToOwned::to_owned);
        let span = telemetry::request_span(
            request.headers(),
            || tracing::info_span!("rpc", rpc.method = method, request.id = %request_id),
        );

        let can_fail_over = failover::has_header(request.headers());
        let call = match unresolved {
            None => Either::Left(self.inner.call(request)),
            Some((members, token)) => {
                // The inner service that is ready makes this call. Its clone is polled for the next call.
                let next = self.inner.clone();
                let mut inner = std::mem::replace(&mut self.inner, next);
                Either::Right(async move {
                    match identity::look_up(&*members, &token).await {
                        Ok(member) => request.extensions_mut().insert(member),
                        Err(status) => return Ok(status.into_http()),
                    };
                    inner.call(request).await
                })
            }
        };
        let started = Instant::now();
        let guarded = async move {
            let answer = std::panic::AssertUnwindSafe(call).catch_unwind().await;
            let response = answer.unwrap_or_else(|_| {
                tracing::error!("the call panicked");
                Ok(tonic::Status::from(Fault::new(
                    Code::Internal,
                    "Something broke on our side. It has been logged under this request id.",
                ))
                .into_http())
            });
            count(method, response.as_ref().map_or(tonic::Code::Ok, code_of));
            measure(method, started.elapsed());
            drop(permit);
            response
        };
        let guarded = failover::scope(can_fail_over, guarded);
        Box::pin(scope(request_id, guarded).instrument(span))
    }
}

/// Whether a caller's request id can be logged as it is.
fn is_id(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=64).contains(&text.len()) && text.bytes().all(plain)
}

/// The status of a response. That of a stream, and of a response with a message, comes after its body: it counts as a success.
fn code_of(response: &Response<Body>) -> tonic::Code {
    let status = response.headers().get("grpc-status");
    status.map_or(tonic::Code::Ok, |status| {
        tonic::Code::from_bytes(status.as_bytes())
    })
}

/// Counts a call by its status.
fn count(method: &'static str, code: tonic::Code) {
    thread_local! {
        static CALLS: Handles<(&'static str, tonic::Code), Counter> = Handles::default();
    }
    let calls = |_: &_| {
        let code = format!("{code:?}");
        metrics::counter!("rpc_server_calls_total", "method" => method, "code" => code)
    };
    CALLS.with(|handles| handles.with((method, code), calls, |calls| calls.increment(1)));
}

/// Records the duration of a call.
fn measure(method: &'static str, elapsed: Duration) {
    thread_local! {
        static DURATIONS: Handles<&'static str, Histogram> = Handles::default();
    }
    let durations = |method: &&'static str| metrics::histogram!("rpc_server_duration_seconds", "method" => *method);
    DURATIONS.with(|handles| {
        handles.with(method, durations, |durations| durations.record(elapsed));
    });
}
