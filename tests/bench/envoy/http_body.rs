//! The plainest gRPC server whose answer Envoy hands over as it is: `google.api.HttpBody`, always with the same bytes.

use std::convert::Infallible;
use std::task::{Context, Poll};

use bytes::Bytes;
use prost::Message;
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{
    DescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet,
    MethodDescriptorProto, ServiceDescriptorProto,
};
use tokio::net::TcpListener;
use tonic::body::Body;
use tonic::codegen::{BoxFuture, Service};
use tonic::server::{Grpc, NamedService, UnaryService};
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status};
use tonic_prost::ProstCodec;

/// The service.
pub(crate) const SERVICE: &str = "bench.v1.BodyService";
/// Its one call.
pub(crate) const PATH: &str = "/bench.v1.BodyService/GetBody";

/// Serves the bytes in the file `body`.
pub(crate) async fn serve(listen: &str, body: &str) {
    let listener = TcpListener::bind(listen).await.unwrap();
    let service = BodyService {
        data: std::fs::read(body).unwrap().into(),
    };
    Server::builder()
        .add_service(service)
        .serve_with_incoming(TcpIncoming::from(listener).with_nodelay(Some(true)))
        .await
        .unwrap();
}

#[derive(Clone, PartialEq, Message)]
struct GetBodyRequest {}

/// `google.api.HttpBody`, without its extensions.
#[derive(Clone, PartialEq, Message)]
struct HttpBody {
    #[prost(string, tag = "1")]
    content_type: String,
    #[prost(bytes = "bytes", tag = "2")]
    data: Bytes,
}

#[derive(Clone)]
struct BodyService {
    data: Bytes,
}

impl NamedService for BodyService {
    const NAME: &'static str = SERVICE;
}

impl Service<http::Request<Body>> for BodyService {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Infallible>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move {
            let codec = ProstCodec::<HttpBody, GetBodyRequest>::default();
            Ok(Grpc::new(codec).unary(service, request).await)
        })
    }
}

impl UnaryService<GetBodyRequest> for BodyService {
    type Response = HttpBody;
    type Future = BoxFuture<Response<HttpBody>, Status>;

    fn call(&mut self, _: Request<GetBodyRequest>) -> Self::Future {
        let body = HttpBody {
            content_type: "application/json".to_owned(),
            data: self.data.clone(),
        };
        Box::pin(async { Ok(Response::new(body)) })
    }
}

/// The descriptors of the service.
pub(crate) fn descriptors() -> Vec<u8> {
    let field = |name: &str, number, of: Type| FieldDescriptorProto {
        name: Some(name.to_owned()),
        number: Some(number),
        label: Some(Label::Optional.into()),
        r#type: Some(of.into()),
        ..FieldDescriptorProto::default()
    };
    let message = |name: &str, fields| DescriptorProto {
        name: Some(name.to_owned()),
        field: fields,
        ..DescriptorProto::default()
    };
    let http_body = FileDescriptorProto {
        name: Some("google/api/httpbody.proto".to_owned()),
        package: Some("google.api".to_owned()),
        message_type: vec![message(
            "HttpBody",
            vec![
                field("content_type", 1, Type::String),
                field("data", 2, Type::Bytes),
            ],
        )],
        syntax: Some("proto3".to_owned()),
        ..FileDescriptorProto::default()
    };
    let method = MethodDescriptorProto {
        name: Some("GetBody".to_owned()),
        input_type: Some(".bench.v1.GetBodyRequest".to_owned()),
        output_type: Some(".google.api.HttpBody".to_owned()),
        ..MethodDescriptorProto::default()
    };
    let service = FileDescriptorProto {
        name: Some("bench/v1/body.proto".to_owned()),
        package: Some("bench.v1".to_owned()),
        dependency: vec!["google/api/httpbody.proto".to_owned()],
        message_type: vec![message("GetBodyRequest", Vec::new())],
        service: vec![ServiceDescriptorProto {
            name: Some("BodyService".to_owned()),
            method: vec![method],
            ..ServiceDescriptorProto::default()
        }],
        syntax: Some("proto3".to_owned()),
        ..FileDescriptorProto::default()
    };
    FileDescriptorSet {
        file: vec![http_body, service],
    }
    .encode_to_vec()
}
