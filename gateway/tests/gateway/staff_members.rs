//! Authorization of staff RPCs, and their audit log (§5).

use contracts::common::v1 as common;
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::staff_service_server::StaffService as _;
use kit::rpc::staff::{Member, Role};
use serde_json::{Value, json};
use sqlx::PgPool;
use tonic::Status;

use crate::support::{Test, account_key, by, by_operator};

fn member(name: &str, role: Role) -> Member {
    Member { name: name.to_owned(), role, last_day: None }
}

async fn audit(
    test: &Test,
    who: Member,
    filter: common::ListAuditRequest,
) -> Result<Vec<common::AuditEntry>, Status> {
    let response = test.staff.list_audit(by(who, filter)).await?;
    Ok(response.into_inner().entries)
}

async fn all(test: &Test) -> Vec<common::AuditEntry> {
    let everything = common::ListAuditRequest::default();
    audit(test, Member::operator(), everything).await.unwrap()
}

fn details(action: &common::AuditEntry) -> Value {
    serde_json::from_str(&action.details).unwrap()
}

#[testing::database_test(gateway::MIGRATOR)]
async fn an_unauthorized_call_is_rejected_and_audited(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let key = test.key(&account, "live").await;
    let ada = || member("ada", Role::Reviewer);
    let create = by(ada(), account_key(&account, "live"));
    let revoke = proto::RevokeKeyRequest { id: key.id.clone() };
    let refused = [
        test.staff.create_key(create).await.map(drop),
        test.staff.revoke_key(by(ada(), revoke)).await.map(drop),
    ];
    for refused in refused {
        let status = refused.unwrap_err();
        assert_eq!(status.code(), tonic::Code::PermissionDenied);
    }
    assert!(test.get(&key, "/games").await.is_ok());
    let own = audit(&test, ada(), common::ListAuditRequest::default()).await.unwrap();
    let said = own.iter().map(|it| (it.action.as_str(), it.refused));
    assert!(said.eq([("revoke_key", true), ("create_key", true)]));
    // A reviewer reads and decides, but does not read the audit entries of others.
    let keys = proto::ListKeysRequest { account_id: account.clone() };
    assert!(test.staff.list_keys(by(ada(), keys)).await.is_ok());
    let request = proto::RequestKeyRequest {
        account_id: account.clone(),
        name: "server".to_owned(),
        ..proto::RequestKeyRequest::default()
    };
    let request = test.staff.request_key(by_operator(request)).await.unwrap();
    let id = request.into_inner().request.unwrap().id;
    let approve = by(ada(), proto::ApproveKeyRequest { id: id.clone() });
    assert!(test.staff.approve_key(approve).await.is_ok());
    let reject = proto::RejectKeyRequest { id, reason: "a test".to_owned() };
    assert!(test.staff.reject_key(by(ada(), reject)).await.is_ok());
    let switches = by(ada(), proto::ListSwitchesRequest {});
    assert!(test.staff.list_switches(switches).await.is_ok());
    let others = common::ListAuditRequest {
        member: "operator".to_owned(),
        ..common::ListAuditRequest::default()
    };
    let status = audit(&test, ada(), others).await.unwrap_err();
    assert_eq!(status.code(), tonic::Code::PermissionDenied);
    // A call that was not authenticated has no member.
    let nobody = tonic::Request::new(proto::ListPlansRequest {});
    assert!(test.staff.list_plans(nobody).await.is_err());
}

#[testing::database_test(gateway::MIGRATOR)]
async fn every_change_is_audited(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let key = test.key(&account, "live").await;
    let plan =
        proto::SetAccountPlanRequest { account_id: account.clone(), plan: "build".to_owned() };
    for _ in 0..2 {
        // The second call changes nothing, and is not audited.
        test.staff.set_account_plan(by_operator(plan.clone())).await.unwrap();
    }
    crate::switches::set(&test, "api_writes", false, "a test").await.unwrap();
    let asked = proto::RequestKeyRequest {
        account_id: account,
        name: "server".to_owned(),
        ..proto::RequestKeyRequest::default()
    };
    let asked = test.staff.request_key(by_operator(asked)).await.unwrap();
    let id = asked.into_inner().request.unwrap().id;
    let approve = proto::ApproveKeyRequest { id: id.clone() };
    test.staff.approve_key(by_operator(approve)).await.unwrap();
    let reveal = proto::RevealKeyRequest { id };
    test.staff.reveal_key(by_operator(reveal)).await.unwrap();
    let rotate = proto::RotateKeyRequest { id: key.id.clone() };
    let rotated = test.staff.rotate_key(by_operator(rotate.clone())).await;
    let new = rotated.unwrap().into_inner().key.unwrap();
    // An invalid call is not audited.
    assert!(test.staff.rotate_key(by_operator(rotate)).await.is_err());
    let revoke = proto::RevokeKeyRequest { id: key.id.clone() };
    let eve = by(member("eve", Role::Admin), revoke);
    test.staff.revoke_key(eve).await.unwrap();

    let mut recorded = all(&test).await;
    recorded.reverse();
    let actions: Vec<&str> = recorded.iter().map(|it| it.action.as_str()).collect();
    let expected = [
        "create_account",
        "create_key",
        "set_plan",
        "set_switch",
        "request_key",
        "approve_key",
        "reveal_key",
        "rotate_key",
        "revoke_key",
    ];
    assert_eq!(actions, expected);
    let members: Vec<&str> = recorded.iter().map(|it| it.member.as_str()).collect();
    assert_eq!(members, [["operator"; 8].as_slice(), &["eve"]].concat());
    let switched = json!({ "on": false, "reason": "a test" });
    assert_eq!(details(&recorded[3]), switched);
    assert_eq!(details(&recorded[7])["new_key"], json!(new.id));
    assert!(!recorded[7].details.contains(&new.last4));
}
