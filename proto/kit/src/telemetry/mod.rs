//! Logs, traces and metrics of a process.
//!
//! Field names are the same everywhere: `request.id`, `account.id`, `key.id`, `game.slug`, `duration_ms`, `error`.

mod event;
mod lines;
mod traces;

pub(crate) use traces::inject;
pub use traces::request_span;

use anyhow::Context as _;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_sdk::trace::SdkTracerProvider;
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
    let traces = settings
        .otlp_endpoint
        .as_deref()
        .map(|endpoint| traces::start(service, endpoint, settings.trace_sample))
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
