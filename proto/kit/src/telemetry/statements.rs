//! Spans of SQL statements. sqlx reports a statement as an event after it has run; within a traced request this layer makes a span of it.
//!
//! The text of a statement has placeholders in place of values, so that no data of callers reach the collector.

use std::time::{Duration, SystemTime};

use opentelemetry::KeyValue;
use opentelemetry::trace::{Span as _, SpanBuilder, SpanKind, Tracer as _};
use opentelemetry_sdk::trace::SdkTracer;
use tracing::field::{Field, Visit};
use tracing::subscriber::Interest;
use tracing::{Event, Metadata};
use tracing_subscriber::filter::{LevelFilter, dynamic_filter_fn};
use tracing_subscriber::layer::Context;
use tracing_subscriber::{Layer, Registry};

use super::traces::context_of;
use crate::clock::Clock;

const TARGET: &str = "sqlx::query";

/// The layer. Outside a traced request it ignores statements.
pub(super) fn layer(tracer: SdkTracer) -> Box<dyn Layer<Registry> + Send + Sync> {
    // Its filter must let spans pass: the layer sees only those.
    let is_span =
        |metadata: &Metadata<'_>| metadata.is_span() && *metadata.level() <= LevelFilter::INFO;
    let filter = dynamic_filter_fn(
        move |metadata: &Metadata<'_>, context: &Context<'_, Registry>| {
            is_span(metadata) || (metadata.target() == TARGET && context.lookup_current().is_some())
        },
    );
    let filter = filter
        .with_callsite_filter(move |metadata: &'static Metadata<'static>| {
            if is_span(metadata) {
                Interest::always()
            } else if metadata.target() == TARGET {
                Interest::sometimes()
            } else {
                Interest::never()
            }
        })
        .with_max_level_hint(LevelFilter::DEBUG);
    StatementSpans(tracer).with_filter(filter).boxed()
}

struct StatementSpans(SdkTracer);

impl Layer<Registry> for StatementSpans {
    fn on_event(&self, event: &Event<'_>, context: Context<'_, Registry>) {
        let current = context.lookup_current();
        let Some(parent) = current.and_then(|span| context_of(&span.id())) else {
            return;
        };
        let mut statement = Statement::default();
        event.record(&mut statement);
        let end = SystemTime::from(Clock::system().now());
        let took = Duration::try_from_secs_f64(statement.seconds).unwrap_or_default();
        let text = if statement.text.is_empty() {
            statement.summary.clone()
        } else {
            statement.text
        };
        let span = SpanBuilder::from_name(statement.summary)
            .with_kind(SpanKind::Client)
            .with_start_time(end.checked_sub(took).unwrap_or(end))
            .with_attributes([
                KeyValue::new("db.system.name", "postgresql"),
                KeyValue::new("db.query.text", text),
            ]);
        let mut span = self.0.build_with_context(span, &parent);
        span.end_with_timestamp(end);
    }
}

/// The fields of sqlx's event.
#[derive(Default)]
struct Statement {
    /// The first words.
    summary: String,
    /// Empty when the summary is the whole statement.
    text: String,
    seconds: f64,
}

impl Visit for Statement {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "summary" => value.clone_into(&mut self.summary),
            "db.statement" => value.trim().clone_into(&mut self.text),
            _ => {}
        }
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        if field.name() == "elapsed_secs" {
            self.seconds = value;
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}
