//! The internal ports: health, reflection, and their tokens.

use contracts::catalogue::v1::ListGamesRequest;
use contracts::catalogue::v1::games_service_client::GamesServiceClient;
use contracts::common::v1::Mode;
use contracts::gateway::v1::ListPlansRequest;
use contracts::gateway::v1::staff_service_client::StaffServiceClient;
use contracts::public::GameRow;
use e2e::{Fleet, binaries, dial};
use kit::rpc::permissions::SERVICES;
use tonic::Code;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tonic_reflection::pb::v1::ServerReflectionRequest;
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;

#[tokio::test]
async fn every_service_says_that_it_is_well() {
    let fleet = Fleet::shared();
    let nobody = "nobody".to_owned().into();
    for name in SERVICES {
        let service = fleet.service(name);
        let mut health = HealthClient::new(dial(&service.grpc, &nobody).await);
        let status = health
            .check(HealthCheckRequest::default())
            .await
            .unwrap()
            .into_inner()
            .status();
        assert_eq!(status, ServingStatus::Serving, "{name}");
        assert_eq!(
            reqwest::get(&service.health).await.unwrap().status(),
            200,
            "{name}"
        );
        let metrics = reqwest::get(&service.metrics)
            .await
            .unwrap()
            .text()
            .await
            .unwrap();
        assert!(
            metrics.contains("rpc_server_duration_seconds"),
            "{name}: {metrics}"
        );
    }
}

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
        let answer = answers
            .message()
            .await
            .unwrap()
            .unwrap()
            .message_response
            .unwrap();
        let MessageResponse::ListServicesResponse(list) = answer else {
            unreachable!("another answer than was asked for: {answer:?}");
        };
        let described: Vec<&str> = list
            .service
            .iter()
            .map(|service| service.name.as_str())
            .collect();
        assert!(
            described.contains(&"catalogue.v1.GamesService"),
            "{name}: {described:?}"
        );
        assert!(
            described.contains(&"gateway.v1.StaffService"),
            "{name}: {described:?}"
        );
    }
}

#[tokio::test]
async fn an_internal_call_needs_the_right_token() {
    let fleet = Fleet::shared();
    let (staff, service) = (fleet.staff_token.clone(), fleet.service_token.clone());
    let games = async |token: &str| {
        let channel = dial(
            &fleet.service("catalogue-svc").grpc,
            &token.to_owned().into(),
        )
        .await;
        let request = ListGamesRequest {
            mode: Mode::Live.into(),
            ..ListGamesRequest::default()
        };
        GamesServiceClient::new(channel).list_games(request).await
    };
    let listed = games(&service).await.unwrap().into_inner();
    let rows: Vec<GameRow> = serde_json::from_slice(&listed.json).unwrap();
    assert_eq!(rows.len(), 20, "by default twenty rows");
    for (token, code) in [
        ("nobody", Code::Unauthenticated),
        (&*staff, Code::PermissionDenied),
    ] {
        assert_eq!(games(token).await.unwrap_err().code(), code);
    }
    let plans = async |token: &str| {
        let channel = dial(&fleet.service("gateway").grpc, &token.to_owned().into()).await;
        StaffServiceClient::new(channel)
            .list_plans(ListPlansRequest {})
            .await
    };
    assert!(plans(&staff).await.is_ok());
    for (token, code) in [
        ("nobody", Code::Unauthenticated),
        (&*service, Code::PermissionDenied),
    ] {
        assert_eq!(plans(token).await.unwrap_err().code(), code);
    }
}

#[tokio::test]
async fn the_staff_tool_tells_the_public_address_from_an_internal_one() {
    let fleet = Fleet::shared();
    let public = fleet.base_url.trim_end_matches("/v1");
    for (variable, command) in [
        ("STAFF_GATEWAY", &["plan", "list"][..]),
        ("STAFF_LISTINGS", &["review", "list"]),
    ] {
        let mut staff = tokio::process::Command::new(binaries().join("staff"));
        staff.envs([(variable, public), ("STAFF_TOKEN", &fleet.staff_token)]);
        staff.args(command);
        let output = staff.output().await.unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("not the public address"), "{said}");
        assert_eq!(output.status.code(), Some(2), "{said}");
    }
}
