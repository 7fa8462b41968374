//! Adds the request id to log events, without a span: when no traces are collected, a span per call would cost more than the log line of
//! the call. Events of a traced request have the id of the trace as well.

use std::fmt;

use opentelemetry::trace::TraceContextExt as _;
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::{FormatEvent, FormatFields, Writer};
use tracing_subscriber::fmt::{FmtContext, format};
use tracing_subscriber::registry::LookupSpan;

use super::traces::context_of;
use crate::request_id::REQUEST_ID;

/// Formats events with the inner format, and adds `request.id` and `trace.id` to the events of a request.
#[derive(Debug)]
pub(super) struct WithRequestId<F>(pub(super) F);

impl<S, N, F> FormatEvent<S, N> for WithRequestId<F>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: format::Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let request_id = REQUEST_ID.try_with(String::clone).ok();
        let trace = context.lookup_current().and_then(|span| context_of(&span.id()));
        let trace_id = trace.map(|trace| trace.span().span_context().trace_id().to_string());
        let ids = [("request.id", request_id), ("trace.id", trace_id)];
        if ids.iter().all(|(_, id)| id.is_none()) {
            return self.0.format_event(context, writer, event);
        }
        let ids = ids.iter().filter_map(|(name, id)| Some((name, id.as_ref()?)));
        let mut line = String::new();
        self.0.format_event(context, Writer::new(&mut line), event)?;
        if let Some(rest) = line.strip_prefix('{') {
            writer.write_char('{')?;
            for (name, id) in ids {
                write!(writer, "\"{name}\":\"{id}\",")?;
            }
            return writer.write_str(rest);
        }
        writer.write_str(line.trim_end_matches('\n'))?;
        for (name, id) in ids {
            write!(writer, " {name}={id}")?;
        }
        writeln!(writer)
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use tracing_subscriber::fmt::format::JsonFields;
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;
    use crate::request_id::scope;

    #[derive(Clone, Default)]
    struct Output(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Output {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn text(output: &Output) -> String {
        String::from_utf8(std::mem::take(&mut *output.0.lock().unwrap())).unwrap()
    }

    #[tokio::test]
    async fn json_lines_of_a_request_have_its_id() {
        let output = Output::default();
        let writer = output.clone();
        let layer = tracing_subscriber::fmt::layer()
            .event_format(WithRequestId(
                tracing_subscriber::fmt::format().json().flatten_event(true),
            ))
            .fmt_fields(JsonFields::new())
            .with_writer(move || writer.clone());
        let guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(layer));
        tracing::info!(games = 3, "outside");
        let outside: serde_json::Value = serde_json::from_str(&text(&output)).unwrap();
        assert!(outside.get("request.id").is_none(), "{outside}");
        scope("req_1".to_owned(), async {
            tracing::info!(games = 3, "inside");
        })
        .await;
        let inside: serde_json::Value = serde_json::from_str(&text(&output)).unwrap();
        assert_eq!((&inside["request.id"], &inside["games"]), (&"req_1".into(), &3.into()));
        drop(guard);
    }
}
