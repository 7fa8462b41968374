//! The outermost layer: the id, the metrics and the log line of a request.

use std::sync::{Arc, OnceLock};
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

/// The pattern of the path, once the router has found it. An extension of the request, since a
/// handler that takes too long or panics makes no response.
///
/// The log has no paths themselves, because some contain tokens of links.
#[derive(Debug, Clone, Default)]
pub struct RoutePattern(Arc<OnceLock<MatchedPath>>);

impl RoutePattern {
    pub fn get(&self) -> Option<&str> {
        self.0.get().map(MatchedPath::as_str)
    }
}

/// Tells the outer layers the pattern of the path. Use this layer inside the router, where the
/// pattern is known.
pub async fn name_route(request: Request, next: Next) -> Response {
    let extensions = request.extensions();
    if let Some(pattern) = extensions.get::<RoutePattern>()
        && let Some(path) = extensions.get::<MatchedPath>()
    {
        pattern.0.get_or_init(|| path.clone());
    }
    next.run(request).await
}

pub async fn record(mut request: Request, next: Next) -> Response {
    let (began, id) = (Instant::now(), ids::request_id());
    let method = method_label(request.method());
    let span = telemetry::public_request_span(request.headers(), || {
        tracing::info_span!("page", request.id = id, method)
    });
    request.extensions_mut().insert(RequestId(id.clone()));
    let pattern = RoutePattern::default();
    request.extensions_mut().insert(pattern.clone());
    let mut response = next.run(request).instrument(span.clone()).await;
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert("x-request-id", value);
    }
    let route = pattern.get().unwrap_or("none").to_owned();
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

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::Body;
    use axum::middleware::from_fn;
    use axum::routing::get;
    use metrics_exporter_prometheus::PrometheusBuilder;
    use tower::ServiceExt as _;
    use tower_http::catch_panic::CatchPanicLayer;

    use super::*;
    use crate::layers::error_page::panicked;

    #[tokio::test]
    async fn a_handler_that_panics_is_recorded_with_its_route() {
        let recorder = PrometheusBuilder::new().build_recorder();
        let _recording = metrics::set_default_local_recorder(&recorder);
        let router = Router::new()
            .route("/games/{slug}", get(async || -> Response { unreachable!("a test") }))
            .layer(from_fn(name_route))
            .layer(CatchPanicLayer::custom(panicked))
            .layer(from_fn(record));
        let request = Request::get("/games/okoto").body(Body::empty()).unwrap();
        router.oneshot(request).await.unwrap();
        let counted =
            "http_requests_total{method=\"GET\",route=\"/games/{slug}\",status=\"500\"} 1";
        let metrics = recorder.handle().render();
        assert!(metrics.lines().any(|line| line == counted), "{metrics}");
    }
}
