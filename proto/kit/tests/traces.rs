//! The trace of a caller continues in a service and reaches the collector over OTLP. The trace of a client outside the fleet is only linked.
#![expect(clippy::unwrap_used, reason = "a test")]

use std::time::Duration;

use kit::config::{LogFormat, Telemetry};
use kit::{Lifecycle, telemetry};
use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{
    TraceService, TraceServiceServer,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::trace::v1::Span;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;
use tracing::Instrument as _;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

/// A collector that forwards every span to the test.
struct Collector(mpsc::UnboundedSender<Span>);

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        for resource in request.into_inner().resource_spans {
            for span in resource.scope_spans.into_iter().flat_map(|scope| scope.spans) {
                self.0.send(span).unwrap();
            }
        }
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trace_continues_in_a_service_and_reaches_the_collector() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let (sender, mut spans) = mpsc::unbounded_channel();
    let (lifecycle, _supervisor) = Lifecycle::new();
    let collector = tonic::transport::Server::builder()
        .add_service(TraceServiceServer::new(Collector(sender)))
        .serve_with_incoming(TcpListenerStream::new(listener));
    lifecycle.spawn_background("collector", async { Ok(collector.await?) });

    let settings = Telemetry {
        log: "info".to_owned(),
        log_format: LogFormat::Text,
        otlp_endpoint: Some(endpoint),
        trace_sample: 1.0,
    };
    let guard = telemetry::start("traced-svc", &settings).unwrap();
    let address = testing::serve(kit::rpc::server::services(), &lifecycle).await.unwrap();
    let client = testing::client(&address, &lifecycle).unwrap();

    let headers = |flags: &str| {
        let value = format!("00-{TRACE}-00f067aa0ba902b7-{flags}");
        http::HeaderMap::from_iter([("traceparent".parse().unwrap(), value.parse().unwrap())])
    };
    // A client outside the fleet cannot turn the tracing of its request off: the share is 1.
    drop(telemetry::public_request_span(&headers("00"), || tracing::info_span!("public")));
    // The header of a request from the fleet decides whether it is traced.
    for flags in ["00", "01"] {
        let edge = telemetry::request_span(&headers(flags), || tracing::info_span!("edge"));
        assert_eq!(edge.is_none(), flags == "00");
        let mut client = HealthClient::new(client.clone());
        let call = async { client.check(HealthCheckRequest::default()).await };
        call.instrument(edge).await.unwrap();
    }
    tokio::task::spawn_blocking(|| guard.shutdown()).await.unwrap();

    let mut received = Vec::new();
    while received.len() < 3 {
        let next = tokio::time::timeout(Duration::from_mins(2), spans.recv()).await;
        let Ok(Some(span)) = next else {
            panic!("only these spans arrived: {received:?}");
        };
        received.push(span);
    }
    assert!(spans.try_recv().is_err(), "no other span arrives");
    let (of_fleet, of_others): (Vec<_>, Vec<_>) =
        received.iter().partition(|span| hex::encode(&span.trace_id) == TRACE);
    let named = |spans: &[&Span], name: &str| -> Span {
        let found = spans.iter().find(|span| span.name == name);
        Span::clone(found.unwrap())
    };
    let (edge, rpc) = (named(&of_fleet, "edge"), named(&of_fleet, "rpc"));
    assert_eq!(rpc.parent_span_id, edge.span_id, "the service's span is a child of the caller's");
    let public = named(&of_others, "public");
    assert_eq!(hex::encode(&public.parent_span_id), "");
    let links: Vec<String> =
        (public.links.iter()).map(|link| hex::encode(&link.trace_id)).collect();
    assert_eq!(links, [TRACE]);
}
