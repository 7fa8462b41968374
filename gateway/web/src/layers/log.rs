//! The outermost layer: id, deadline, panics, error pages, metrics and one log line of a request.

use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use futures::FutureExt as _;
use http::{HeaderValue, Method};
use kit::http_server::method_label;
use kit::{ids, request_id, telemetry};
use tokio::sync::oneshot;
use tokio::time::timeout;
use tracing::Instrument as _;

use super::typed_form::{self, CapturedForm};
use crate::app::App;
use crate::form_body;
use crate::page_error::PageError;
use crate::uploads;
use crate::visit::Visit;

/// The pattern of the path that the router found, for the log: paths themselves may have tokens of links.
#[derive(Debug, Clone)]
struct RoutePattern(String);

/// Adds the pattern of the path to the response. Use this layer inside the router, where the pattern is known.
pub async fn name_route(request: Request, next: Next) -> Response {
    let pattern = request.extensions().get::<MatchedPath>();
    let pattern = pattern.map(|path| RoutePattern(path.as_str().to_owned()));
    let mut response = next.run(request).await;
    if let Some(pattern) = pattern {
        response.extensions_mut().insert(pattern);
    }
    response
}

/// Answers a request in time, also when its handler panics.
async fn run(limit: Duration, request: Request, next: Next) -> Response {
    let answering = AssertUnwindSafe(next.run(request)).catch_unwind();
    match timeout(limit, answering).await {
        Ok(Ok(response)) => response,
        // The panic hook has logged the panic.
        Ok(Err(_panic)) => PageError::internal().into_response(),
        Err(_elapsed) => PageError::timed_out().into_response(),
    }
}

/// How long the answer to a request may take. That to an upload waits for the file, which has limits of its own (`uploads.rs`), and for the
/// service that stores it.
fn time_limit(timeout: Duration, request: &Request) -> Duration {
    if request.method() == Method::POST && form_body::is_upload(request.headers()) {
        uploads::WHOLE + uploads::STORING + timeout
    } else {
        timeout
    }
}

/// Answers a form in a task of its own, which continues if the browser closes the connection. On a double click, browsers close the
/// connection of the first click; without the task, a key could be made whose secret nobody sees.
async fn run_to_end(
    app: &App,
    running: impl Future<Output = Response> + Send + 'static,
) -> Response {
    let (sender, answer) = oneshot::channel();
    app.lifecycle.spawn(async move {
        // The receiver was dropped if the browser has closed the connection.
        drop(sender.send(running.await));
    });
    let ended = answer.await;
    ended.unwrap_or_else(|_stopped| PageError::timed_out().into_response())
}

/// The state of [`record`].
#[derive(Clone)]
pub struct Recorder {
    pub app: App,
    /// Whether a path without a language belongs to the public site.
    pub is_public: fn(&str) -> bool,
}

pub async fn record(
    State(recorder): State<Recorder>,
    mut request: Request,
    next: Next,
) -> Response {
    let Recorder { app, is_public } = recorder;
    let began = Instant::now();
    let (id, method) = (ids::request_id(), request.method().clone());
    // An error of these layers on a public path, such as a time-out, is shown as a page of the public site.
    let visit = Visit::of(request.uri(), request.headers());
    let visit = (!visit.prefix.is_empty() || is_public(&visit.path)).then_some(visit);
    let span = telemetry::public_request_span(request.headers(), || {
        tracing::info_span!("page", request.id = id, method = method_label(&method))
    });
    let captured = CapturedForm::default();
    request.extensions_mut().insert(captured.clone());
    let limit = time_limit(app.timeout, &request);
    let running = request_id::scope(id.clone(), run(limit, request, next)).instrument(span.clone());
    let mut answered = if method == Method::POST {
        run_to_end(&app, running).await
    } else {
        running.await
    };
    let route = answered.extensions().get::<RoutePattern>();
    let route = route.map_or("none", |route| route.0.as_str()).to_owned();
    typed_form::attach(&mut answered, &captured, &route);
    let mut response = match answered.extensions().get::<PageError>().cloned() {
        Some(error) => {
            let rendered = match visit {
                Some(visit) if !error.is_on_site() => error.on_site(visit),
                _ => error,
            };
            let rendered = rendered.response(&id);
            let (mut parts, _) = answered.into_parts();
            let (page, body) = rendered.into_parts();
            parts.headers.remove("content-length");
            parts.headers.extend(page.headers);
            Response::from_parts(parts, body)
        }
        None => answered,
    };
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert("x-request-id", value);
    }
    let (status, took) = (response.status().as_u16(), began.elapsed());
    let method = method_label(&method);
    let labels = [
        ("method", method.to_owned()),
        ("route", route.clone()),
        ("status", status.to_string()),
    ];
    metrics::counter!("http_requests_total", &labels).increment(1);
    metrics::histogram!("http_request_duration_seconds", "route" => route.clone()).record(took);
    let duration_ms = took.as_millis();
    span.in_scope(|| {
        tracing::info!(
            request.id = id,
            method,
            route,
            status,
            duration_ms,
            "request"
        );
    });
    response
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    #[test]
    fn an_upload_has_the_time_that_its_file_may_take() {
        let timeout = Duration::from_secs(30);
        for (media_type, is_upload) in [
            ("multipart/form-data; boundary=edge", true),
            ("application/x-www-form-urlencoded", false),
        ] {
            let request = Request::post("/").header("content-type", media_type);
            let limit = time_limit(timeout, &request.body(Body::empty()).unwrap());
            assert_eq!(limit > uploads::WHOLE, is_upload, "{media_type}");
            assert_eq!(limit == timeout, !is_upload, "{media_type}");
        }
    }
}
