//! Logs, traces and metrics of a process.
//!
//! Field names are the same everywhere: `request.id`, `account.id`, `key.id`, `game.slug`, `duration_ms`, `error`.

mod event;
mod lines;

use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context as _;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use opentelemetry::propagation::{Extractor, Injector};
use opentelemetry::trace::TracerProvider as _;
use opentelemetry::{KeyValue, global};
use opentelemetry_otlp::WithExportConfig as _;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer, Registry, fmt};

use crate::config::{LogFormat, Telemetry};
use event::OfRequest;
use lines::{GATHER, Lines};

/// Keeps telemetry running; [`Guard::shutdown`] sends what is left.
#[derive(Debug)]
pub struct Guard {
    metrics: PrometheusHandle,
    traces: Option<SdkTracerProvider>,
    lines: Lines,
}

impl Guard {
    /// Renders the metrics for Prometheus.
    pub fn metrics(&self) -> PrometheusHandle {
        self.metrics.clone()
    }

    /// Writes log lines again and again, for ever; the last ones are written when the guard is dropped.
    pub fn write_lines(&self) -> impl Future<Output = anyhow::Result<()>> + Send + 'static {
        let lines = self.lines.clone();
        async move {
            loop {
                tokio::time::sleep(GATHER).await;
                lines.write();
            }
        }
    }

    /// Sends the spans that are still held. Blocks for a moment: call it off the runtime.
    pub fn shutdown(self) {
        if let Some(provider) = &self.traces
            && let Err(error) = provider.shutdown()
        {
            tracing::warn!(%error, "the last traces were not sent");
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.lines.write();
    }
}

/// Buckets for durations in seconds, from a cached answer to a hung one.
const DURATION_BUCKETS: &[f64] = &[
    0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0,
    10.0,
];

/// Whether traces are kept. Without a collector nothing of them is read or written.
static TRACES: AtomicBool = AtomicBool::new(false);

/// Whether traces are kept: whoever makes a span for each call asks first.
pub fn traces() -> bool {
    TRACES.load(Ordering::Relaxed)
}

/// Starts logs, traces and metrics for this process. Call it once, inside the runtime.
pub fn start(service: &'static str, settings: &Telemetry) -> anyhow::Result<Guard> {
    let filter = EnvFilter::try_new(&settings.log).with_context(|| {
        format!(
            "`{}` is not a log filter, such as `info,sqlx=warn`",
            settings.log
        )
    })?;
    let lines = Lines::default();
    let log: Box<dyn Layer<Registry> + Send + Sync> = match settings.log_format {
        LogFormat::Json => {
            let json = fmt::format()
                .json()
                .flatten_event(true)
                .with_current_span(true)
                .with_span_list(false);
            fmt::layer()
                .event_format(OfRequest(json))
                .fmt_fields(fmt::format::JsonFields::new())
                .with_writer(lines.clone())
                .with_filter(filter)
                .boxed()
        }
        LogFormat::Text => fmt::layer()
            .with_ansi(false)
            .event_format(OfRequest(fmt::format()))
            .with_writer(lines.clone())
            .with_filter(filter)
            .boxed(),
    };
    global::set_text_map_propagator(TraceContextPropagator::new());
    TRACES.store(settings.otlp_endpoint.is_some(), Ordering::Relaxed);
    let traces = settings
        .otlp_endpoint
        .as_deref()
        .map(|endpoint| tracer_provider(service, endpoint, settings.trace_sample))
        .transpose()?;
    let spans = traces
        .as_ref()
        .map(|provider| tracing_opentelemetry::layer().with_tracer(provider.tracer(service)))
        // What is logged does not decide what is traced; below this are the libraries' own spans.
        .map(|layer| layer.with_filter(LevelFilter::INFO));
    tracing_subscriber::registry()
        .with(log)
        .with(spans)
        .try_init()
        .context("logging is already set up")?;

    let metrics = PrometheusBuilder::new()
        .set_buckets(DURATION_BUCKETS)?
        .install_recorder()
        .context("metrics are already set up")?;
    Ok(Guard {
        metrics,
        traces,
        lines,
    })
}

fn tracer_provider(
    service: &'static str,
    endpoint: &str,
    sample: f64,
) -> anyhow::Result<SdkTracerProvider> {
    let exporter = opentelemetry_otlp::SpanExporter::builder()
        .with_tonic()
        .with_endpoint(endpoint)
        .build()
        .with_context(|| format!("`{endpoint}` is not the address of an OTLP collector"))?;
    Ok(SdkTracerProvider::builder()
        .with_batch_exporter(exporter)
        .with_sampler(Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(
            sample,
        ))))
        .with_resource(
            Resource::builder()
                .with_attribute(KeyValue::new("service.name", service))
                .with_attribute(KeyValue::new("service.namespace", "mchezo"))
                .build(),
        )
        .build())
}

/// Makes `span` a child of the trace that the caller's headers name (W3C Trace Context).
pub fn continue_trace(span: &Span, headers: &http::HeaderMap) {
    if !traces() {
        return;
    }
    let context = global::get_text_map_propagator(|p| p.extract(&Headers(headers)));
    // The only failure is that no collector is set, in which case there is no trace to continue.
    drop(span.set_parent(context));
}

/// Writes the current trace into the headers of an outgoing call.
pub(crate) fn inject_trace(headers: &mut http::HeaderMap) {
    if !traces() {
        return;
    }
    let context = Span::current().context();
    global::get_text_map_propagator(|p| p.inject_context(&context, &mut OutgoingHeaders(headers)));
}

struct Headers<'a>(&'a http::HeaderMap);

impl Extractor for Headers<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.to_str().ok()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(http::HeaderName::as_str).collect()
    }
}

struct OutgoingHeaders<'a>(&'a mut http::HeaderMap);

impl Injector for OutgoingHeaders<'_> {
    fn set(&mut self, key: &str, value: String) {
        if let (Ok(key), Ok(value)) = (
            http::HeaderName::try_from(key),
            http::HeaderValue::try_from(value),
        ) {
            self.0.insert(key, value);
        }
    }
}
