//! The review of live keys (§5.2): asked for, approved, revealed once.

use contracts::gateway::v1 as proto;
use e2e::{Client, Fleet, KeyRequest, Staff};
use kit::{Code, Fault};

async fn ask(staff: &mut Staff, account: &str) -> Result<String, Fault> {
    let request = proto::RequestKeyRequest {
        account_id: account.to_owned(),
        name: "of a test".to_owned(),
        ..proto::RequestKeyRequest::default()
    };
    let asked = staff.gateway.request_key(request).await?;
    Ok(asked.into_inner().request.unwrap().id)
}

async fn approve(staff: &mut Staff, id: &str) {
    let request = proto::ApproveKeyRequest { id: id.to_owned() };
    let approved = staff.gateway.approve_key(request).await.unwrap();
    assert_eq!(approved.into_inner().request.unwrap().state, "approved");
}

async fn reveal(staff: &Staff, id: &str) -> Result<String, Fault> {
    let request = proto::RevealKeyRequest { id: id.to_owned() };
    let revealed = staff.gateway.clone().reveal_key(request).await?;
    Ok(revealed.into_inner().secret)
}

#[tokio::test]
async fn a_live_key_is_asked_for_looked_at_and_shown_once() {
    let fleet = Fleet::shared();
    let mut staff = Staff::of(&fleet).await;
    let account = staff.account("unlimited").await.account.id;
    let id = ask(&mut staff, &account).await.unwrap();
    let early = reveal(&staff, &id).await.unwrap_err();
    assert!(early.fields["id"].contains("not approved"), "{early:?}");

    approve(&mut staff, &id).await;
    let at_once = futures::future::join_all((0..8).map(|_| reveal(&staff, &id))).await;
    let (shown, refused): (Vec<_>, Vec<_>) = at_once.into_iter().partition(Result::is_ok);
    assert_eq!((shown.len(), refused.len()), (1, 7));
    for fault in refused.into_iter().filter_map(Result::err) {
        assert!(fault.fields["id"].contains("revealed before"), "{fault:?}");
    }
    let secret = shown.into_iter().find_map(Result::ok).unwrap();
    let me = Client::new(&fleet, &secret).get("/me").await;
    assert_eq!(me.data()["key"]["id"], id);
    assert_eq!(me.data()["key"]["mode"], "live");
}

#[tokio::test]
async fn what_is_asked_for_counts_and_what_is_rejected_does_not() {
    let fleet = Fleet::shared();
    let mut staff = Staff::of(&fleet).await;
    let account = staff.account("free").await;
    staff.key(&account, KeyRequest::live()).await;
    let account = account.account.id;
    let mut asked = Vec::new();
    for _ in 0..4 {
        asked.push(ask(&mut staff, &account).await.unwrap());
    }
    let full = ask(&mut staff, &account).await.unwrap_err();
    assert_eq!(full.code, Code::PlanRequired);
    assert!(full.message.contains("5 live keys"), "{full:?}");

    let rejection = proto::RejectKeyRequest {
        id: asked[0].clone(),
        reason: "No such studio".to_owned(),
    };
    staff.gateway.reject_key(rejection).await.unwrap();
    let gone = reveal(&staff, &asked[0]).await.unwrap_err();
    assert!(gone.fields["id"].contains("was rejected"), "{gone:?}");
    ask(&mut staff, &account).await.unwrap();
}
