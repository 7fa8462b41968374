//! The gRPC server of a port: authentication, authorization, traces, request ids, metrics, conversion of panics into faults, health and
//! reflection.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::FutureExt as _;
use http::{Extensions, Request, Response};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tonic::body::Body;
use tonic::service::{Routes, RoutesBuilder};
use tonic::transport::server::{TcpConnectInfo, TlsConnectInfo};
use tonic::transport::{CertificateDer, Server};
use tower::{Layer, Service};
use tracing::Instrument as _;

use super::call_record::CallRecord;
use super::connections::accept;
use super::identity::{Authenticator, Principal};
use super::tls::Credentials;
use super::{methods, retry};
use crate::Code;
use crate::admin::Readiness;
use crate::api::fault::Fault;
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
    listener: TcpListener,
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

    let limit = Arc::new(ConcurrencyLimit::new("rpc", MAX_CALLS));
    let mut server = Server::builder();
    if let Some(credentials) = credentials {
        server = server.tls_config(credentials.server())?;
    }
    let server = server
        .http2_max_pending_accept_reset_streams(Some(PENDING_RESETS))
        .http2_keepalive_interval(Some(Duration::from_secs(20)))
        .layer(CallLayer { authenticator, limit })
        .add_routes(services.routes())
        .serve_with_incoming_shutdown(accept(listener), draining.cancelled_owned());
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
        Call { inner, authenticator: self.authenticator.clone(), limit: Arc::clone(&self.limit) }
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
        let path = request.uri().path();
        let method = methods::label(path);
        let certificates = certificates(request.extensions());
        let certificate = certificates.as_ref().and_then(|chain| chain.first());
        let principal = self.authenticator.check(path, request.headers(), certificate);
        match principal {
            Ok(Principal::Fleet) => {}
            Ok(Principal::Staff(member)) => {
                request.extensions_mut().insert(member);
            }
            Err(status) => return Box::pin(async move { Ok(status.into_http()) }),
        }
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

        let is_retry = retry::has_header(request.headers());
        let call = self.inner.call(request);
        let record = CallRecord::new(method, permit);
        let recorded = async move {
            let answer = std::panic::AssertUnwindSafe(call).catch_unwind().await;
            let response = answer.unwrap_or_else(|_| {
                tracing::error!("the call panicked");
                Ok(tonic::Status::from(Fault::new(
                    Code::Internal,
                    "Something broke on our side. It has been logged under this request id.",
                ))
                .into_http())
            });
            record.finish(&response);
            response
        };
        let recorded = retry::scope(is_retry, recorded);
        Box::pin(scope(request_id, recorded).instrument(span))
    }
}

/// The verified certificate of the caller, with its chain.
fn certificates(extensions: &Extensions) -> Option<Arc<Vec<CertificateDer<'static>>>> {
    extensions.get::<TlsConnectInfo<TcpConnectInfo>>()?.peer_certs()
}

/// Whether a caller's request id can be logged as it is.
fn is_id(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=64).contains(&text.len()) && text.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use metrics_exporter_prometheus::PrometheusBuilder;
    use tower::service_fn;

    use super::*;
    use crate::config::{Identity, Tokens};

    /// Dropped calls are the slowest ones; without them, the durations would look too short.
    #[test]
    fn a_call_that_is_dropped_is_counted_and_measured() {
        let recorder = PrometheusBuilder::new().build_recorder();
        let _recording = metrics::set_default_local_recorder(&recorder);
        let tokens = || Tokens { first: "token".to_owned().into(), others: Vec::new() };
        let identity =
            Identity { fleet_token: tokens(), staff_token: tokens(), staff_members: None };
        let layer = CallLayer {
            authenticator: Authenticator::new(identity),
            limit: Arc::new(ConcurrencyLimit::new("a test", 1)),
        };
        let hangs = |_: Request<Body>| pending::<Result<Response<Body>, Infallible>>();
        let mut service = layer.layer(service_fn(hangs));
        // The second call needs the permit of the first, which was dropped.
        for _ in 0..2 {
            let request = Request::builder().uri("/grpc.health.v1.Health/Check");
            let mut call = service.call(request.body(Body::empty()).unwrap());
            assert!(call.as_mut().now_or_never().is_none());
        }
        let metrics = recorder.handle().render();
        for (name, label) in [
            ("rpc_server_calls_total{", r#"code="Cancelled""#),
            ("rpc_server_duration_seconds_count{", "Health/Check"),
        ] {
            let mut lines = metrics.lines().filter(|line| line.starts_with(name));
            let is_recorded = lines.any(|line| line.contains(label) && line.ends_with(" 2"));
            assert!(is_recorded, "{name}: {metrics}");
        }
    }
}
