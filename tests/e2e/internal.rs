//! Reflection on the internal ports, and its tokens. `operate/tls` covers the other calls.

use e2e::{Fleet, dial};
use kit::rpc::permissions::SERVICES;
use tonic::Code;
use tonic_reflection::pb::v1::ServerReflectionRequest;
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;

#[tokio::test]
async fn every_service_describes_itself() {
    let fleet = Fleet::shared();
    for name in SERVICES {
        let describe = async |token: &str| {
            let channel = dial(&fleet.service(name).grpc, &token.to_owned().into()).await;
            let question = ServerReflectionRequest {
                host: String::new(),
                message_request: Some(MessageRequest::ListServices(String::new())),
            };
            let questions = futures::stream::iter([question]);
            let mut client = ServerReflectionClient::new(channel);
            client.server_reflection_info(questions).await
        };
        let refused = describe("nobody").await.unwrap_err();
        assert_eq!(refused.code(), Code::Unauthenticated, "{name}");
        assert!(describe(&fleet.service_token).await.is_ok(), "{name}");
        let mut answers = describe(&fleet.staff_token).await.unwrap().into_inner();
        let answer = answers.message().await.unwrap().unwrap();
        let Some(MessageResponse::ListServicesResponse(list)) = answer.message_response else {
            unreachable!("another answer than was asked for");
        };
        let described: Vec<&str> = list.service.iter().map(|it| it.name.as_str()).collect();
        for service in ["catalogue.v1.GamesService", "gateway.v1.StaffService"] {
            assert!(described.contains(&service), "{name}: {described:?}");
        }
    }
}
