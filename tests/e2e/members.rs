//! Members of staff at the gateway, which reads them from a file and records what they do.

use contracts::common::v1 as common;
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::staff_service_client::StaffServiceClient;
use e2e::{Fleet, KeyRequest, Staff, dial, eventually};
use kit::rpc::client::Client;
use kit::rpc::staff::Role;
use tonic::Code;

async fn gateway(fleet: &Fleet, token: &str) -> StaffServiceClient<Client> {
    let token = token.to_owned().into();
    let client = dial(&fleet.service("gateway").grpc, &token).await;
    StaffServiceClient::new(client)
}

/// Adds a member; returns its name and a client with its token, once the gateway has read the file.
async fn member(fleet: &Fleet, role: Role) -> (String, StaffServiceClient<Client>) {
    let name = format!("member-{}", kit::ids::row_id());
    let token = fleet.add_member(&name, role);
    let gateway = gateway(fleet, &token).await;
    eventually("the gateway has read the file of members", async || {
        let called = gateway.clone().list_plans(proto::ListPlansRequest {}).await;
        called.ok()
    })
    .await;
    (name, gateway)
}

#[tokio::test]
async fn what_a_member_does_is_recorded_under_its_name() {
    let fleet = Fleet::shared();
    let mut staff = Staff::of(&fleet).await;
    let account = staff.account("free").await;
    let (key, _) = staff.key(&account, KeyRequest::default()).await;
    let rotate = proto::RotateKeyRequest { id: key.id.clone() };

    let stranger = format!("staff_{}", "x".repeat(40));
    for token in ["nobody", &stranger] {
        let refused = gateway(&fleet, token)
            .await
            .rotate_key(rotate.clone())
            .await;
        assert_eq!(
            refused.unwrap_err().code(),
            Code::Unauthenticated,
            "{token}"
        );
    }
    let (_, mut reviewer) = member(&fleet, Role::Reviewer).await;
    let refused = reviewer.rotate_key(rotate.clone()).await;
    assert_eq!(refused.unwrap_err().code(), Code::PermissionDenied);

    let (name, mut admin) = member(&fleet, Role::Admin).await;
    admin.rotate_key(rotate.clone()).await.unwrap();
    let filter = common::ListAuditRequest {
        name: key.id.clone(),
        ..common::ListAuditRequest::default()
    };
    let audit = admin.list_audit(filter).await.unwrap().into_inner();
    let said: Vec<_> = audit
        .entries
        .iter()
        .map(|it| (it.action.as_str(), it.refused, it.member == name))
        .collect();
    let expected = [
        ("rotate_key", false, true),
        ("rotate_key", true, false),
        ("create_key", false, false),
    ];
    assert_eq!(said, expected);
}

/// The permissions of a reviewer: read keys and switches, and decide on requests for keys.
#[tokio::test]
async fn a_reviewer_reads_keys_and_switches_and_decides_on_requests() {
    let fleet = Fleet::shared();
    let mut staff = Staff::of(&fleet).await;
    let account = staff.account("unlimited").await;
    let (key, _) = staff.key(&account, KeyRequest::default()).await;
    let account = account.account.id;
    let (_, mut reviewer) = member(&fleet, Role::Reviewer).await;

    let list = proto::ListKeysRequest {
        account_id: account.clone(),
    };
    let keys = reviewer.list_keys(list).await.unwrap().into_inner().keys;
    assert!(keys.iter().any(|it| it.id == key.id));
    let switches = reviewer.list_switches(proto::ListSwitchesRequest {}).await;
    assert_eq!(switches.unwrap().into_inner().switches.len(), 5);

    let request = proto::RequestKeyRequest {
        account_id: account.clone(),
        name: "server".to_owned(),
        ..proto::RequestKeyRequest::default()
    };
    let mut requested = async || {
        let requested = staff.gateway.request_key(request.clone()).await.unwrap();
        requested.into_inner().request.unwrap().id
    };
    let id = requested().await;
    let approved = reviewer.approve_key(proto::ApproveKeyRequest { id }).await;
    let approved = approved.unwrap().into_inner().request.unwrap();
    assert_eq!(approved.state, "approved");
    let (id, reason) = (requested().await, "Not needed".to_owned());
    let reject = proto::RejectKeyRequest { id, reason };
    let rejected = reviewer.reject_key(reject).await.unwrap().into_inner();
    assert_eq!(rejected.request.unwrap().state, "rejected");
}
