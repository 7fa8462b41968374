//! Trace sampling, and propagation of traces between services (W3C Trace Context).
//!
//! The first service that receives a request decides whether it is traced; the services that it calls follow. A client outside the fleet
//! decides nothing: its trace is linked. Only traced requests have a
//! span: spans that are discarded took an eighth of the time of a request. Work outside a request is traced where it begins a trace
//! ([`root_span`]).

use std::sync::OnceLock;
use std::time::Duration;

use anyhow::Context as _;
use http::{HeaderMap, HeaderValue};
use opentelemetry::propagation::{Extractor, Injector};
use opentelemetry::trace::TraceContextExt as _;
use opentelemetry::{Context, KeyValue, global};
use opentelemetry_otlp::WithExportConfig as _;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider};
use tracing::span::Id;
use tracing::{Span, dispatcher};
use tracing_opentelemetry::{OpenTelemetrySpanExt as _, get_otel_context};

const HEADER: &str = "traceparent";
/// The header of calls within a request that is not traced. Its ids are not used.
const UNTRACED: HeaderValue =
    HeaderValue::from_static("00-ffffffffffffffffffffffffffffffff-ffffffffffffffff-00");

/// How long the collector has for the last spans. The steps of a shutdown take up to 25 seconds, and our supervisors kill after 30.
const LAST_SPANS_TIMEOUT: Duration = Duration::from_secs(2);

/// The share of requests that are traced, 0 to 1. Not set without a collector; then no trace header is read or written.
static SHARE: OnceLock<f64> = OnceLock::new();

/// Starts sending spans to the collector at `endpoint`.
pub(super) fn start(
    service: &'static str,
    endpoint: &str,
    share: f64,
) -> anyhow::Result<SdkTracerProvider> {
    let exporter = opentelemetry_otlp::SpanExporter::builder()
        .with_tonic()
        .with_endpoint(endpoint)
        .build()
        .with_context(|| format!("`{endpoint}` is not the URL of an OTLP collector"))?;
    let resource = Resource::builder()
        .with_attribute(KeyValue::new("service.name", service))
        .with_attribute(KeyValue::new("service.namespace", "mchezo"))
        .build();
    let provider = SdkTracerProvider::builder()
        .with_batch_exporter(exporter)
        // Requests that are not traced have no span.
        .with_sampler(Sampler::ParentBased(Box::new(Sampler::AlwaysOn)))
        .with_resource(resource)
        .build();
    global::set_text_map_propagator(TraceContextPropagator::new());
    SHARE.get_or_init(|| share);
    Ok(provider)
}

/// Sends the remaining spans. Blocks until the collector has them or its time is over.
pub(super) fn shut_down(provider: &SdkTracerProvider) -> OTelSdkResult {
    provider.shutdown_with_timeout(LAST_SPANS_TIMEOUT)
}

/// The span of a request with these `headers`: `make` creates it, and it belongs to the trace in the headers. [`Span::none`] when the request
/// is not traced.
pub fn request_span(headers: &HeaderMap, make: impl FnOnce() -> Span) -> Span {
    let Some(share) = SHARE.get() else {
        return Span::none();
    };
    let is_traced = sampled(headers).unwrap_or_else(|| rand::random::<f64>() < *share);
    if !is_traced {
        return Span::none();
    }
    let span = make();
    let context = global::get_text_map_propagator(|p| p.extract(&Headers(headers)));
    // This fails only without a collector.
    drop(span.set_parent(context));
    span
}

/// The span of a request from outside the fleet, which begins a trace of its own. [`Span::none`] when the request is not traced.
///
/// Whether it is traced depends on our share alone. A trace in the headers becomes a link.
pub fn public_request_span(headers: &HeaderMap, make: impl FnOnce() -> Span) -> Span {
    let span = root_span(make);
    if span.is_none() {
        return span;
    }
    let context = global::get_text_map_propagator(|p| p.extract(&Headers(headers)));
    let client = context.span().span_context().clone();
    if client.is_valid() {
        span.add_link(client);
    }
    span
}

/// A span that begins a trace, for work outside a request. [`Span::none`] when it is not traced, which our share decides. Call it outside
/// other spans.
pub fn root_span(make: impl FnOnce() -> Span) -> Span {
    match SHARE.get() {
        Some(share) if rand::random::<f64>() < *share => make(),
        _ => Span::none(),
    }
}

/// A span within the current one. [`Span::none`] when the request is not traced.
pub(crate) fn child_span(make: impl FnOnce() -> Span) -> Span {
    if SHARE.get().is_none() || Span::current().is_none() {
        return Span::none();
    }
    make()
}

/// The header `traceparent` of the current trace, for a receiver outside the fleet; `None` when the work is not traced.
pub fn traceparent() -> Option<String> {
    SHARE.get()?;
    let span = Span::current();
    if span.is_none() {
        return None;
    }
    let mut headers = HeaderMap::new();
    let context = span.context();
    global::get_text_map_propagator(|p| {
        p.inject_context(&context, &mut OutgoingHeaders(&mut headers));
    });
    headers.get(HEADER)?.to_str().ok().map(ToOwned::to_owned)
}

/// The trace context of a span of this process; `None` when no traces are collected. For layers, which have only the span's id.
pub(super) fn context_of(span: &Id) -> Option<Context> {
    let context = dispatcher::get_default(|dispatch| get_otel_context(span, dispatch))?;
    let is_valid = context.span().span_context().is_valid();
    is_valid.then_some(context)
}

/// Writes the current trace to the headers of an outgoing call, or marks the call as not traced.
pub(crate) fn inject(headers: &mut HeaderMap) {
    if SHARE.get().is_none() {
        return;
    }
    let span = Span::current();
    if span.is_none() {
        headers.insert(HEADER, UNTRACED);
        return;
    }
    let context = span.context();
    global::get_text_map_propagator(|p| p.inject_context(&context, &mut OutgoingHeaders(headers)));
}

/// The decision of the caller; `None` without a trace header.
fn sampled(headers: &HeaderMap) -> Option<bool> {
    // Version, trace id, parent id and flags, in hexadecimal.
    let value = headers.get(HEADER)?.to_str().ok()?;
    let flags = u8::from_str_radix(value.get(53..55)?, 16).ok()?;
    Some(flags & 1 == 1)
}

struct Headers<'a>(&'a HeaderMap);

impl Extractor for Headers<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.to_str().ok()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(http::HeaderName::as_str).collect()
    }
}

struct OutgoingHeaders<'a>(&'a mut HeaderMap);

impl Injector for OutgoingHeaders<'_> {
    fn set(&mut self, key: &str, value: String) {
        if let (Ok(key), Ok(value)) =
            (http::HeaderName::try_from(key), http::HeaderValue::try_from(value))
        {
            self.0.insert(key, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use opentelemetry::trace::{Tracer as _, TracerProvider as _};
    use opentelemetry_sdk::trace::{SpanData, SpanExporter};

    use super::*;

    /// An exporter whose collector never answers.
    #[derive(Debug)]
    struct HangingExporter;

    impl SpanExporter for HangingExporter {
        async fn export(&self, _spans: Vec<SpanData>) -> OTelSdkResult {
            std::future::pending().await
        }
    }

    #[test]
    fn a_collector_that_hangs_has_two_seconds_for_the_last_spans() {
        let provider = SdkTracerProvider::builder().with_batch_exporter(HangingExporter).build();
        drop(provider.tracer("test").start("a span"));
        let error = shut_down(&provider).unwrap_err().to_string();
        assert!(error.contains("Timeout(2s)"), "{error}");
    }

    fn sampled_by(value: &str) -> Option<bool> {
        let mut headers = HeaderMap::new();
        headers.insert(HEADER, value.parse().unwrap());
        sampled(&headers)
    }

    #[test]
    fn the_decision_of_the_caller_is_used() {
        let traced = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        assert_eq!(sampled_by(traced), Some(true));
        let untraced = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";
        assert_eq!(sampled_by(untraced), Some(false));
        assert_eq!(sampled_by(UNTRACED.to_str().unwrap()), Some(false));
        for nothing in ["", "x", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-"] {
            assert_eq!(sampled_by(nothing), None, "{nothing}");
        }
        assert_eq!(sampled(&HeaderMap::new()), None);
    }
}
