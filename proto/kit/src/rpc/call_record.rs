//! The metrics of a call that a service receives.

use std::convert::Infallible;
use std::time::{Duration, Instant};

use http::Response;
use metrics::{Counter, Histogram};
use tonic::Code;
use tonic::body::Body;

use crate::handles::Handles;
use crate::overload::Permit;

/// Counts and measures a call when it is dropped. One that has no response by then has the code `Cancelled`: its deadline has passed, or its
/// caller has left.
pub(super) struct CallRecord {
    method: &'static str,
    code: Code,
    started: Instant,
    _permit: Permit,
}

impl CallRecord {
    /// The record of a call that begins now. The call holds `permit` until it is recorded.
    pub(super) fn new(method: &'static str, permit: Permit) -> Self {
        Self { method, code: Code::Cancelled, started: Instant::now(), _permit: permit }
    }

    /// Records a call with a response.
    pub(super) fn finish(mut self, response: &Result<Response<Body>, Infallible>) {
        self.code = response.as_ref().map_or(Code::Ok, code_of);
    }
}

impl Drop for CallRecord {
    fn drop(&mut self) {
        count(self.method, self.code);
        measure(self.method, self.started.elapsed());
    }
}

/// The status of a response. That of a stream, and of a response with a message, comes after its body: it counts as a success.
fn code_of(response: &Response<Body>) -> Code {
    let status = response.headers().get("grpc-status");
    status.map_or(Code::Ok, |status| Code::from_bytes(status.as_bytes()))
}

/// Counts a call by its status.
fn count(method: &'static str, code: Code) {
    thread_local! {
        static CALLS: Handles<(&'static str, Code), Counter> = Handles::default();
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
