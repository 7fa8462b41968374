//! The outermost layer: gives a request its id, span and log line, and writes its answer, whatever becomes of it.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, Method};
use kit::{Fault, telemetry};
use tracing::Instrument as _;

use super::access_log::AccessLog;
use super::panic;
use crate::app::{App, Gateway};
use crate::bounds;
use crate::context::Context;
use crate::envelope::{self, Asked};
use crate::errors::Refusal;

/// The answer to a call that is shed. It is no line in the log, which would make it dearer: its `ConcurrencyLimit` writes one a second.
pub fn shed(app: &Gateway, method: &Method, headers: &HeaderMap, fault: Fault) -> Response {
    let context = Context::new(headers, &app.format);
    envelope::refuse(fault.into(), &context, method, app)
}

/// Around every request.
pub async fn outermost(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let context = Arc::new(Context::new(request.headers(), &app.format));
    let method = request.method().clone();
    let asked = Asked::by(&method, request.headers());
    let log = AccessLog::start(Arc::clone(&context), method.clone());
    let span = telemetry::request_span(
        request.headers(),
        || tracing::info_span!("request", request.id = context.id, method = %method),
    );
    request.extensions_mut().insert(Arc::clone(&context));

    let answer = panic::caught(async {
        let objection = request.extensions().get::<bounds::Objection>();
        let objection = objection.map(|objection| objection.0.clone());
        match objection.map_or_else(|| bounds::head(&request), Err) {
            Ok(()) => next.run(request).await,
            Err(fault) => Refusal::from(fault).into_response(),
        }
    });
    let response = kit::request_id::scope(context.id.clone(), answer)
        .instrument(span)
        .await;
    let response = envelope::write_answer(response, &context, &asked, &app).await;
    log.finish(response.status());
    response
}
