//! One log line, two metrics and a record for the account per request, also if the client disconnected.

use std::sync::Arc;
use std::time::{Duration, Instant};

use http::{Method, StatusCode, Uri};
use kit::handles::Handles;
use metrics::{Counter, Histogram};
use time::OffsetDateTime;

use crate::app::App;
use crate::call_log::FinishedCall;
use crate::context::Context;

/// The logged status if the client disconnected before the response.
const HUNG_UP: u16 = 499;

/// Writes the log line on drop. Query, headers and bodies are not logged: they may contain secrets. The record for the account has the
/// query, without keys.
pub struct AccessLog {
    app: App,
    context: Arc<Context>,
    method: Method,
    uri: Uri,
    at: OffsetDateTime,
    started: Instant,
    status: u16,
}

impl AccessLog {
    pub fn start(app: App, context: Arc<Context>, method: Method, uri: Uri) -> Self {
        Self {
            context,
            method,
            uri,
            at: app.clock.now(),
            app,
            started: Instant::now(),
            status: HUNG_UP,
        }
    }

    /// Sets the status of the response.
    pub fn finish(mut self, status: StatusCode) {
        self.status = status.as_u16();
    }
}

impl Drop for AccessLog {
    fn drop(&mut self) {
        let elapsed = self.started.elapsed();
        let route = self.context.route();
        let caller = self.context.caller();
        tracing::info!(
            request.id = self.context.id,
            method = self.method.as_str(),
            route,
            status = self.status,
            duration_ms = elapsed.as_secs_f64() * 1_000.0,
            account.id = caller.map(|c| tracing::field::display(c.key.account)),
            key.id = caller.map(|c| tracing::field::display(c.key.id)),
            mode = self.context.mode().map(crate::domain::key::Mode::as_str),
            "request"
        );
        let method = label(&self.method);
        count(route, method, self.status, elapsed);
        if let Some(owner) = self.context.key_owner() {
            let target = self.uri.path_and_query();
            self.app.call_recorder.record(&FinishedCall {
                key: &owner.key,
                at: self.at,
                request_id: &self.context.id,
                method,
                route,
                target: target.map_or("", |target| target.as_str()),
                status: self.status,
                code: self.context.error(),
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

/// The method as a metric label. Unknown methods share one label, so that clients cannot create new ones.
fn label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_of_a_route_has_a_label_of_its_own() {
        for method in [
            Method::GET,
            Method::HEAD,
            Method::POST,
            Method::PATCH,
            Method::DELETE,
        ] {
            assert_eq!(label(&method), method.as_str());
        }
        assert_eq!(label(&Method::PUT), "other");
    }
}
