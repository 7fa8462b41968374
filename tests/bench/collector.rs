//! A collector of traces, which accepts and drops them: services send their share of spans over OTLP, as in production.

use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{
    TraceService, TraceServiceServer,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status};

struct Collector;

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        _: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

/// Starts a collector, which ends with the benchmark; returns its address.
#[expect(clippy::disallowed_methods, reason = "it ends with the benchmark")]
pub(crate) async fn start() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let serving = tonic::transport::Server::builder()
        .add_service(TraceServiceServer::new(Collector))
        .serve_with_incoming(TcpListenerStream::new(listener));
    drop(tokio::spawn(serving));
    address
}
