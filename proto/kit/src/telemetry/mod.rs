//! Logs, traces and metrics of a process.
//!
//! Field names are the same everywhere: `request.id`, `trace.id`, `account.id`, `key.id`, `game.slug`, `duration_ms`, `error`.

mod event;
mod lines;
mod process;
mod traces;

pub(crate) use traces::{child_span, inject};
pub use traces::{public_request_span, request_span, root_span, traceparent};

use std::time::Duration;

use anyhow::Context as _;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer, Registry, fmt};

use crate::config::{LogFormat, Telemetry};
use event::WithRequestId;
use lines::Flush;
use process::ResourceUsage;

/// Keeps telemetry running. [`Guard::shutdown`] sends the remaining spans; dropping the guard writes the last log lines.
#[derive(Debug)]
pub struct Guard {
    metrics: PrometheusHandle,
    traces: Option<SdkTracerProvider>,
    lines: Flush,
}

impl Guard {
    /// The metrics, for rendering in the Prometheus format.
    pub fn metrics(&self) -> PrometheusHandle {
        self.metrics.clone()
    }

    /// Runs the upkeep of the metrics recorder, for ever: without it, histogram samples accumulate when no one scrapes them. Also updates the
    /// metrics of the process.
    pub fn upkeep(&self) -> impl Future<Output = anyhow::Result<()>> + Send + 'static {
        let (metrics, dropped) = (self.metrics.clone(), self.lines.dropped());
        async move {
            let dropped_lines = metrics::counter!("log_lines_dropped_total");
            let process = ResourceUsage::start();
            loop {
                process.update();
                dropped_lines.absolute(dropped.dropped_lines() as u64);
                metrics.run_upkeep();
                tokio::time::sleep(UPKEEP_INTERVAL).await;
            }
        }
    }

    /// The number of log lines that were dropped because standard output was blocked.
    pub fn dropped_lines(&self) -> usize {
        self.lines.dropped().dropped_lines()
    }

    /// Sends the remaining spans. Blocks for up to two seconds: call it outside the runtime.
    pub fn shutdown(self) {
        if let Some(provider) = &self.traces
            && let Err(error) = traces::shut_down(provider)
        {
            tracing::warn!(%error, "cannot send the last traces");
        }
    }
}

/// The interval of the upkeep of metrics.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(5);

/// The buckets of durations in seconds, from a cached response to a timeout. The objective of the API is one of them, 300 ms
/// (`deploy/monitoring/rules.yml`).
const DURATION_BUCKETS: &[f64] = &[
    0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.3, 0.5, 1.0, 2.5, 5.0, 10.0,
];

/// Starts logs, traces and metrics for this process. Call it once, inside the runtime.
pub fn start(service: &'static str, settings: &Telemetry) -> anyhow::Result<Guard> {
    let filter = EnvFilter::try_new(&settings.log).with_context(|| {
        format!("`{}` is not a log filter, such as `info,sqlx=warn`", settings.log)
    })?;
    let (queue, lines) = lines::to_stdout();
    let log: Box<dyn Layer<Registry> + Send + Sync> = match settings.log_format {
        LogFormat::Json => {
            let json = fmt::format()
                .json()
                .flatten_event(true)
                .with_current_span(true)
                .with_span_list(false);
            fmt::layer()
                .event_format(WithRequestId(json))
                .fmt_fields(fmt::format::JsonFields::new())
                .with_writer(queue)
                .with_filter(filter)
                .boxed()
        }
        LogFormat::Text => fmt::layer()
            .with_ansi(false)
            .event_format(WithRequestId(fmt::format()))
            .with_writer(queue)
            .with_filter(filter)
            .boxed(),
    };
    let traces = settings
        .otlp_endpoint
        .as_deref()
        .map(|endpoint| traces::start(service, endpoint, settings.trace_sample))
        .transpose()?;
    let mut layers = vec![log];
    if let Some(provider) = &traces {
        let spans =
            tracing_opentelemetry::layer::<Registry>().with_tracer(provider.tracer(service));
        // The log filter does not apply to traces. Lower levels are spans of libraries.
        layers.push(spans.with_filter(LevelFilter::INFO).boxed());
    }
    tracing_subscriber::registry().with(layers).try_init().context("logging is already set up")?;

    let metrics = PrometheusBuilder::new()
        .set_buckets(DURATION_BUCKETS)?
        .install_recorder()
        .context("metrics are already set up")?;
    Ok(Guard { metrics, traces, lines })
}
