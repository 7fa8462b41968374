//! The outermost layer of the router: adds the request id, the span and the log line, and writes the response.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::HeaderMap;
use kit::http_server::method_label;
use kit::{Fault, telemetry};
use tracing::Instrument as _;

use super::access_log::AccessLog;
use super::panic;
use crate::app::{App, Gateway};
use crate::context::Context;
use crate::envelope::{self, Negotiation};
use crate::errors::ApiError;
use crate::request_limits;

/// The response to a request that is shed. It has no log line, to keep shedding cheap; `ConcurrencyLimit` logs once per second.
pub fn shed_response(app: &Gateway, headers: &HeaderMap, fault: Fault) -> Response {
    let context = Context::new(headers, &app.format);
    envelope::error_response(fault.into(), &context, app)
}

pub async fn request_context(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let context = Arc::new(Context::new(request.headers(), &app.format));
    let method = request.method().clone();
    let negotiation = Negotiation::from_headers(&method, request.headers());
    let (shared, uri) = (Arc::clone(&app), request.uri().clone());
    let log = AccessLog::start(shared, Arc::clone(&context), method.clone(), uri);
    let span = telemetry::public_request_span(request.headers(), || {
        tracing::info_span!(
            "request",
            request.id = context.id,
            method = method_label(&method)
        )
    });
    request.extensions_mut().insert(Arc::clone(&context));

    let response_future = panic::caught(async {
        let rejection = request.extensions().get::<request_limits::Rejection>();
        let rejection = rejection.map(|rejection| rejection.0.clone());
        match rejection.map_or_else(|| request_limits::head(&request), Err) {
            Ok(()) => next.run(request).await,
            Err(fault) => ApiError::from(fault).into_response(),
        }
    });
    let response = kit::request_id::scope(context.id.clone(), response_future)
        .instrument(span.clone())
        .await;
    let response = envelope::write_response(response, &context, &negotiation, &app);
    span.in_scope(|| log.finish(response.status()));
    response
}
