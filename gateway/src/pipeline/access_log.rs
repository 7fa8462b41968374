//! One log line, two metrics and a record for the account per request, also if the client disconnected.

use std::time::{Duration, Instant};

use http::StatusCode;
use kit::handles::Handles;
use kit::http_server::method_label;
use metrics::{Counter, Histogram};
use time::OffsetDateTime;

use crate::app::App;
use crate::call_log::FinishedCall;
use crate::context::{Context, Identity};

/// The logged status if the client disconnected before the response.
const HUNG_UP: u16 = 499;

/// Writes the log line on drop. Query, headers and bodies are not logged: they may contain secrets. The record for the account has the
/// query, without keys.
pub(super) struct AccessLog {
    app: App,
    pub(super) context: Context,
    at: OffsetDateTime,
    started: Instant,
    status: u16,
}

impl AccessLog {
    pub(super) fn start(app: App, context: Context) -> Self {
        Self { context, at: app.clock.now(), app, started: Instant::now(), status: HUNG_UP }
    }

    /// Sets the status of the response.
    pub(super) fn finish(mut self, status: StatusCode) {
        self.status = status.as_u16();
    }
}

impl Drop for AccessLog {
    fn drop(&mut self) {
        let elapsed = self.started.elapsed();
        let method = method_label(&self.context.method);
        let route = self.context.route;
        let caller = self.context.caller();
        tracing::info!(
            request.id = self.context.id,
            method,
            route,
            status = self.status,
            duration_ms = elapsed.as_secs_f64() * 1_000.0,
            account.id = caller.map(|c| tracing::field::display(c.key.account)),
            key.id = caller.map(|c| tracing::field::display(c.key.id)),
            mode = self.context.mode().map(crate::domain::key::Mode::as_str),
            "request"
        );
        count(route, method, self.status, elapsed);
        if let Identity::Working(caller) | Identity::NotWorking(caller) = &self.context.identity
            && !self.context.exceeds_refused_calls
        {
            let target = self.context.uri.path_and_query();
            self.app.call_recorder.record(&FinishedCall {
                key: &caller.key,
                at: self.at,
                request_id: &self.context.id,
                method,
                route,
                target: target.map_or("", |target| target.as_str()),
                status: self.status,
                code: self.context.error,
                duration: elapsed,
            });
        }
    }
}

fn count(route: &'static str, method: &'static str, status: u16, elapsed: Duration) {
    thread_local! {
        static REQUESTS: Handles<(&'static str, &'static str, u16), Counter> = Handles::default();
        static DURATIONS: Handles<&'static str, Histogram> = Handles::default();
    }
    let requests = |_: &_| {
        let status = status.to_string();
        metrics::counter!(
            "http_requests_total", "method" => method, "route" => route, "status" => status
        )
    };
    REQUESTS.with(|handles| {
        handles.with((route, method, status), requests, |requests| {
            requests.increment(1);
        });
    });
    let durations = |_: &_| metrics::histogram!("http_request_duration_seconds", "route" => route);
    DURATIONS.with(|handles| {
        handles.with(route, durations, |durations| durations.record(elapsed));
    });
}
