//! A collector of traces that stores all spans.

use std::sync::{Arc, Mutex};

use e2e::eventually;
use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{
    TraceService, TraceServiceServer,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status};

/// A span, with the service that sent it.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) service: String,
    pub(crate) span: Span,
}

impl Sent {
    /// The text of an attribute; empty if the span has none.
    pub(crate) fn attribute(&self, key: &str) -> &str {
        text(&self.span.attributes, key)
    }

    pub(crate) fn is_child_of(&self, parent: &Self) -> bool {
        self.span.trace_id == parent.span.trace_id
            && self.span.parent_span_id == parent.span.span_id
    }
}

fn text<'a>(attributes: &'a [KeyValue], key: &str) -> &'a str {
    let found = attributes.iter().find(|one| one.key == key);
    match found.and_then(|one| one.value.as_ref()?.value.as_ref()) {
        Some(Value::StringValue(text)) => text,
        _ => "",
    }
}

#[derive(Clone, Default)]
pub(crate) struct Collector(Arc<Mutex<Vec<Sent>>>);

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        let mut spans = self.0.lock().unwrap();
        for resource in request.into_inner().resource_spans {
            let attributes = resource.resource.unwrap_or_default().attributes;
            let service = text(&attributes, "service.name").to_owned();
            let of_scopes = resource.scope_spans.into_iter();
            spans.extend(
                of_scopes
                    .flat_map(|scope| scope.spans)
                    .map(|span| Sent { service: service.clone(), span }),
            );
        }
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

impl Collector {
    /// Serves until `server` is dropped; returns the address.
    pub(crate) async fn serve(&self, server: &mut JoinSet<()>) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let serving = tonic::transport::Server::builder()
            .add_service(TraceServiceServer::new(self.clone()))
            .serve_with_incoming(TcpListenerStream::new(listener));
        server.spawn(async move { serving.await.unwrap() });
        address
    }

    /// All received spans as text.
    pub(crate) fn text(&self) -> String {
        format!("{:?}", self.0.lock().unwrap())
    }

    /// The first span that `matches`, once it has arrived.
    pub(crate) async fn span(&self, what: &str, matches: impl Fn(&Sent) -> bool) -> Sent {
        eventually(what, async || {
            let spans = self.0.lock().unwrap();
            spans.iter().find(|one| matches(one)).cloned()
        })
        .await
    }

    /// The root span of the request with this id.
    pub(crate) async fn request(&self, service: &str, id: &str) -> Sent {
        let what = format!("{service} sends the span of {id}");
        let root = self
            .span(&what, |one| one.service == service && one.attribute("request.id") == id)
            .await;
        assert!(root.span.parent_span_id.is_empty(), "{root:?}");
        root
    }

    /// A child span of `parent` from this service.
    pub(crate) async fn child(&self, parent: &Sent, service: &str, name: &str) -> Sent {
        let what = format!("{service} sends the span {name} below {parent:?}");
        self.span(&what, |one| {
            one.service == service && one.span.name == name && one.is_child_of(parent)
        })
        .await
    }
}
