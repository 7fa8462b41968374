//! The outermost layer: the id, the metrics and the log line of a request.

use std::time::Instant;

use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::Response;
use http::HeaderValue;
use kit::http_server::method_label;
use kit::{ids, telemetry};
use tracing::Instrument as _;

/// The id of a request. An extension of the request.
#[derive(Debug, Clone, Default)]
pub struct RequestId(pub String);

/// The pattern of the path that the router found, for the log: paths themselves may have tokens of links. An extension of the response.
#[derive(Debug, Clone)]
pub struct RoutePattern(pub String);

/// Adds the pattern of the path to the response. Use this layer inside the router, where the pattern is known.
pub async fn name_route(request: Request, next: Next) -> Response {
    let pattern = request
        .extensions()
        .get::<MatchedPath>()
        .map(|path| RoutePattern(path.as_str().to_owned()));
    let mut response = next.run(request).await;
    if let Some(pattern) = pattern {
        response.extensions_mut().insert(pattern);
    }
    response
}

pub async fn record(mut request: Request, next: Next) -> Response {
    let (began, id) = (Instant::now(), ids::request_id());
    let method = method_label(request.method());
    let span = telemetry::public_request_span(request.headers(), || {
        tracing::info_span!("page", request.id = id, method)
    });
    request.extensions_mut().insert(RequestId(id.clone()));
    let mut response = next.run(request).instrument(span.clone()).await;
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert("x-request-id", value);
    }
    let route = response.extensions().get::<RoutePattern>();
    let route = route.map_or("none", |route| route.0.as_str()).to_owned();
    let (status, took) = (response.status().as_u16(), began.elapsed());
    let labels =
        [("method", method.to_owned()), ("route", route.clone()), ("status", status.to_string())];
    metrics::counter!("http_requests_total", &labels).increment(1);
    metrics::histogram!("http_request_duration_seconds", "route" => route.clone()).record(took);
    let duration_ms = took.as_millis();
    span.in_scope(|| {
        tracing::info!(request.id = id, method, route, status, duration_ms, "request");
    });
    response
}
