//! Staff RPCs, on the database and the feed.

use std::collections::BTreeSet;

use contracts::gateway::v1 as proto;
use contracts::gateway::v1::KeyKind;
use contracts::gateway::v1::staff_service_server::StaffService as _;
use kit::{Code, Fault};
use prost::Message as _;
use sqlx::PgPool;
use tonic::Status;

use crate::support::{START, Test, account_key, by_operator};

fn fault<T: std::fmt::Debug>(outcome: Result<T, Status>) -> Fault {
    outcome.unwrap_err().into()
}

fn fields(fault: &Fault) -> Vec<&str> {
    assert_eq!(fault.code, Code::Invalid, "{fault}");
    fault.fields.keys().map(String::as_str).collect()
}

/// The changes of accounts and keys on the feed: entity, event, revision.
async fn feed(pool: &PgPool) -> Vec<(String, String, i64)> {
    let rows = sqlx::query!("select entity, event, revision from gateway.feed order by seq")
        .fetch_all(pool)
        .await
        .unwrap();
    rows.into_iter().map(|r| (r.entity, r.event, r.revision)).collect()
}

async fn create(test: &Test, name: &str, plan: &str) -> Result<proto::Account, Status> {
    let request = proto::CreateAccountRequest {
        name: name.to_owned(),
        plan: plan.to_owned(),
        id: String::new(),
    };
    let made = test.staff.create_account(by_operator(request)).await?;
    Ok(made.into_inner().account.unwrap())
}

async fn get(test: &Test, account: &str) -> Result<proto::Account, Status> {
    let request = proto::GetAccountRequest { account_id: account.to_owned() };
    let found = test.staff.get_account(by_operator(request)).await?;
    Ok(found.into_inner().account.unwrap())
}

async fn list_keys(test: &Test, account: &str) -> Vec<proto::Key> {
    let request = proto::ListKeysRequest { account_id: account.to_owned() };
    test.staff.list_keys(by_operator(request)).await.unwrap().into_inner().keys
}

async fn rotate(test: &Test, id: &str) -> Result<proto::RotateKeyResponse, Status> {
    let request = proto::RotateKeyRequest { id: id.to_owned() };
    Ok(test.staff.rotate_key(by_operator(request)).await?.into_inner())
}

#[testing::database_test(gateway::MIGRATOR)]
async fn an_account_is_created_found_and_changes_its_plan(pool: PgPool) {
    let test = Test::new(pool).await;
    let made = create(&test, " Savanna ", "").await.unwrap();
    assert_eq!((made.name.as_str(), made.plan.as_str()), ("Savanna", "free"));
    assert_eq!(made.created_at, Some(kit::api::timestamp::encode(START)));
    assert_eq!(get(&test, &made.id).await.unwrap(), made);
    // A call with the same id is a repetition.
    let again = proto::CreateAccountRequest {
        name: "Other".to_owned(),
        plan: "build".to_owned(),
        id: made.id.clone(),
    };
    let again = test.staff.create_account(by_operator(again)).await;
    assert_eq!(again.unwrap().into_inner().account.as_ref(), Some(&made));
    let set = async |plan: &str| {
        let request =
            proto::SetAccountPlanRequest { account_id: made.id.clone(), plan: plan.to_owned() };
        test.staff.set_account_plan(by_operator(request)).await
    };
    let moved = set("build").await.unwrap().into_inner().account.unwrap();
    assert_eq!((&moved.id, moved.plan.as_str()), (&made.id, "build"));
    // A call that changes nothing publishes nothing.
    set("build").await.unwrap();
    let refused = fault(set("gold").await);
    assert_eq!(fields(&refused), ["plan"]);
    assert!(refused.fields["plan"].contains("free, build or partner"));
    let account = |event: &str, revision| ("account".to_owned(), event.to_owned(), revision);
    assert_eq!(feed(&test.pool).await, [account("created", 1), account("updated", 2)]);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn every_bad_field_is_reported_at_once(pool: PgPool) {
    let test = Test::new(pool).await;
    let refused = fault(create(&test, " ", "gold").await);
    assert_eq!(fields(&refused), ["name", "plan"]);

    let request = proto::CreateKeyRequest {
        account_id: "nobody".to_owned(),
        name: "x".repeat(121),
        mode: 7,
        kind: KeyKind::Public.into(),
        may_write: true,
        game: None,
    };
    let refused = test.key_like(request).await.err().unwrap();
    assert_eq!(fields(&refused), ["account_id", "game", "may_write", "mode", "name"]);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn unknown_accounts_and_keys_are_not_found(pool: PgPool) {
    let test = Test::new(pool).await;
    let id = kit::ids::row_id().to_string();
    assert_eq!(fault(get(&test, &id).await).code, Code::NotFound);
    let request = proto::ListKeysRequest { account_id: id.clone() };
    let listed = test.staff.list_keys(by_operator(request)).await;
    let made = test.key_like(account_key(&id, "test")).await;
    for refused in [fault(listed), made.err().unwrap()] {
        assert_eq!(refused.code, Code::NotFound);
        assert_eq!(refused.message, format!("There is no account {id}."));
    }
    assert_eq!(fault(rotate(&test, &id).await).code, Code::NotFound);
    assert_eq!(fields(&fault(rotate(&test, "7").await)), ["id"]);
    let revoke =
        test.staff.revoke_key(by_operator(proto::RevokeKeyRequest { id: id.clone() })).await;
    assert_eq!(fault(revoke).code, Code::NotFound);
    let approve = proto::ApproveKeyRequest { id: id.clone() };
    let approve = test.staff.approve_key(by_operator(approve)).await;
    assert_eq!(fault(approve).code, Code::NotFound);
    let reveal = proto::RevealKeyRequest { id };
    let reveal = test.staff.reveal_key(by_operator(reveal)).await;
    assert_eq!(fault(reveal).code, Code::NotFound);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn accounts_are_listed_in_pages(pool: PgPool) {
    let test = Test::new(pool).await;
    let mut made = BTreeSet::new();
    for _ in 0..5 {
        made.insert(test.account("free").await);
    }
    let (mut seen, mut sizes, mut cursor) = (BTreeSet::new(), Vec::new(), String::new());
    loop {
        let request = proto::ListAccountsRequest { limit: 2, cursor };
        let page = test.staff.list_accounts(by_operator(request)).await.unwrap().into_inner();
        sizes.push(page.accounts.len());
        seen.extend(page.accounts.into_iter().map(|account| account.id));
        match page.next_cursor {
            Some(next) => cursor = next,
            None => break,
        }
    }
    assert_eq!((seen, sizes), (made, vec![2, 2, 1]));
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_secret_is_shown_once_and_stored_nowhere(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let key = test.key(&account, "live").await;
    assert!(key.secret.starts_with("svc_live_"));
    let listed = list_keys(&test, &account).await;
    assert_eq!(listed.len(), 1);
    assert!(key.secret.ends_with(&listed[0].last4));
    let published = sqlx::query!("select state from gateway.feed where entity = 'key'")
        .fetch_one(&test.pool)
        .await
        .unwrap()
        .state;
    // The feed does not follow the game of a key.
    let on_feed =
        proto::Key { game_state: proto::GameState::Unspecified.into(), ..listed[0].clone() };
    assert_eq!(proto::Key::decode(published.as_slice()).unwrap(), on_feed);
    let body = &key.secret["svc_live_".len()..];
    assert!(!format!("{listed:?}").contains(body));
    let row = sqlx::query_scalar!(r#"select to_jsonb(key)::text as "row!" from gateway.key"#);
    assert!(!row.fetch_one(&test.pool).await.unwrap().contains(body));
}

#[testing::database_test(gateway::MIGRATOR)]
async fn keys_of_games_need_a_published_game(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    crate::keys::publish(&test, "kora", true).await;
    crate::keys::publish(&test, "gone", false).await;
    let request = |kind: KeyKind, game: Option<&str>| proto::CreateKeyRequest {
        kind: kind.into(),
        game: game.map(ToOwned::to_owned),
        ..account_key(&account, "live")
    };
    let public = test.key_like(request(KeyKind::Public, Some("kora"))).await.unwrap();
    assert!(public.secret.starts_with("svc_live_pub_"));
    let secret = test.key_like(request(KeyKind::Secret, Some("kora"))).await.unwrap();
    assert!(!secret.secret.contains("pub_"));
    for (kind, game) in [
        (KeyKind::Secret, Some("gone")),
        (KeyKind::Secret, Some("never")),
        (KeyKind::Secret, None),
        (KeyKind::Account, Some("kora")),
    ] {
        let refused = test.key_like(request(kind, game)).await.err().unwrap();
        assert_eq!(fields(&refused), ["game"], "{kind:?} {game:?}");
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn each_change_of_a_key_is_published_once(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let rotated = rotate(&test, &key.id).await.unwrap();
    assert!(rotated.secret.ends_with(&rotated.key.unwrap().last4));
    test.revoke(&key).await;
    test.revoke(&key).await;
    assert_eq!(fields(&fault(rotate(&test, &key.id).await)), ["id"]);
    let change = |event: &str, revision| ("key".to_owned(), event.to_owned(), revision);
    let expected =
        [change("created", 1), change("created", 1), change("rotated", 2), change("revoked", 3)];
    assert_eq!(feed(&test.pool).await[1..], expected);
}
