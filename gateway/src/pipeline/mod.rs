//! Runs a request: admission, the checks of its route, its handler, and the envelope.

mod access_log;
mod checks;
mod identity;
mod response_cache;
pub mod route;

use std::panic::AssertUnwindSafe;
use std::pin::pin;

use axum::extract::Request;
use axum::response::Response;
use bytes::Bytes;
use futures::FutureExt as _;
use http::request::Parts;
use kit::http_server::method_label;
use kit::{Fault, telemetry};
use tracing::Instrument as _;

use self::access_log::AccessLog;
use self::checks::{Allowed, Checks};
use self::response_cache::ResponseCache;
use self::route::Route;
use crate::app::App;
use crate::context::Context;
use crate::envelope::{self, ApiResponse};
use crate::errors::ApiError;
use crate::extract::call::Call;
use crate::overload::admission::{Admission, LoadLimits};
use crate::overload::request_limits;
use crate::routes::openapi;

pub struct Pipeline {
    app: App,
    admission: Admission,
    responses: ResponseCache,
}

/// Where a request goes.
pub enum Target {
    /// The description of the API, for everybody: it has no checks.
    Document,
    Route(Route),
}

impl Pipeline {
    pub fn new(app: &App, limits: LoadLimits) -> Self {
        Self {
            app: App::clone(app),
            admission: Admission::new(limits),
            responses: ResponseCache::default(),
        }
    }

    pub async fn respond(&self, target: &Target, request: Request) -> Response {
        let app = &self.app;
        let mut context = Context::new(&request, &app.format);
        let size = request_limits::head(&request);
        let (head, mut body) = request.into_parts();
        let span = telemetry::public_request_span(&head.headers, || {
            let (id, method) = (&context.id, method_label(&context.method));
            tracing::info_span!("request", request.id = id, method)
        });
        let (body, permit) = match self.admission.admit(&head, &mut body).await {
            Ok(admitted) => admitted,
            // To keep shedding cheap, it has no log line. `ConcurrencyLimit` logs once a minute.
            Err(fault) => return envelope::write(fault.into(), &mut context, &app.docs_url),
        };
        context.permit = Some(permit);
        let mut log = AccessLog::start(App::clone(app), context);
        let id = log.context.id.clone();
        let answered = {
            // Pinned here, so that the wrappers do not move it.
            let answer = pin!(self.answer(target, size.map(|()| (head, body)), &mut log.context));
            // The process's panic hook logs the panic.
            let answer = AssertUnwindSafe(answer).catch_unwind();
            let answer = kit::request_id::scope(id, answer);
            answer.instrument(span.clone()).await
        };
        let response = match answered {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => error.into(),
            Err(_panic) => envelope::internal().into(),
        };
        let response = envelope::write(response, &mut log.context, &app.docs_url);
        span.in_scope(|| log.finish(response.status()));
        response
    }

    /// Runs the checks, and the handler of a request that passes them. `request` is its head, unless that is too large, and its body.
    async fn answer(
        &self,
        target: &Target,
        request: Result<(Parts, Result<Bytes, Fault>), Fault>,
        context: &mut Context,
    ) -> Result<ApiResponse, ApiError> {
        let (head, body) = request?;
        let app = &self.app;
        let route = match target {
            Target::Document => {
                context.route = openapi::PATTERN;
                return openapi::get(app, &head);
            }
            Target::Route(route) => route,
        };
        context.route = route.pattern;
        let now = app.clock.now();
        // Checks 1 to 9 of §7.1.
        let checks = Checks { app, admission: &self.admission, route, head: &head, now };
        let Allowed { caller, rate_limit, at_least } = checks.run(context).await?;
        // 10: unknown path, wrong method.
        let method = route.method(&head.method).ok_or_else(|| route.no_handler())?;
        // 11: too_large. The later checks belong to the handler and the services.
        request_limits::body(&head.headers)?;
        let call = Call { app: App::clone(app), caller, rate_limit, at_least, head, body };
        if method.reads_catalogue {
            self.responses.respond(call, &method.handler, now).await
        } else {
            (method.handler)(call).await
        }
    }
}
