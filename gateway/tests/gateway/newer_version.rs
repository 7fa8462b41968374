//! Rows that a newer version of the gateway wrote, as during a rollout or after a rollback.

use contracts::gateway::v1 as proto;
use contracts::gateway::v1::accounts_service_server::AccountsService as _;
use contracts::gateway::v1::staff_service_server::StaffService as _;
use kit::{Code, Fault};
use sqlx::PgPool;
use tonic::Request;

use crate::support::{Test, by_operator};

#[expect(clippy::disallowed_methods, reason = "several statements")]
async fn run(test: &Test, statements: String) {
    let statements = sqlx::raw_sql(sqlx::AssertSqlSafe(statements));
    sqlx::Executor::execute(&test.pool, statements).await.unwrap();
}

/// The ids of the account's keys that work.
async fn working_keys(test: &Test, account: &str) -> Vec<String> {
    let request = proto::AccountsServiceListKeysRequest { account_id: account.to_owned() };
    let listed = test.accounts.list_keys(Request::new(request)).await;
    let keys = listed.unwrap().into_inner().keys.into_iter();
    keys.filter(|key| key.revoked_at.is_none()).map(|key| key.id).collect()
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_key_with_an_unknown_value_is_unavailable_and_hides_no_other(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let good = test.key(&account, "live").await;
    for (column, value) in [("kind", "robot"), ("mode", "staging")] {
        let newer = test.key(&account, "live").await;
        run(
            &test,
            format!(
                "alter table gateway.key drop constraint key_{column}_check;
                 alter table gateway.key drop constraint if exists key_of_game;
                 update gateway.key set {column} = '{value}' where id = '{}'",
                newer.id
            ),
        )
        .await;
        let response = test.get(&newer, "/games").await;
        assert_eq!(response.error(), (503, "unavailable"));
        assert!(test.get(&good, "/games").await.is_ok());
        assert_eq!(working_keys(&test, &account).await, [good.id.as_str()]);

        let request = proto::RevokeKeyRequest { id: newer.id };
        let revoked = test.staff.revoke_key(by_operator(request)).await;
        assert_eq!(Fault::from(revoked.unwrap_err()).code, Code::Internal);
    }
    // The end of an account reaches the keys after such a key too.
    let last = test.key(&account, "live").await;
    assert_eq!(working_keys(&test, &account).await, [last.id, good.id]);
    let request = proto::CloseAccountRequest {
        account_id: account.clone(),
        actor: Some(proto::Actor {
            person_id: kit::ids::row_id().to_string(),
            address: "192.0.2.1".to_owned(),
        }),
    };
    let closed = test.accounts.close_account(Request::new(request)).await;
    assert_eq!(Fault::from(closed.unwrap_err()).code, Code::Internal);
    assert!(working_keys(&test, &account).await.is_empty());
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_request_of_an_unknown_kind_ends_no_list(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let ask = async |name: &str| {
        let request = proto::RequestKeyRequest {
            account_id: account.clone(),
            name: name.to_owned(),
            ..Default::default()
        };
        let asked = test.staff.request_key(by_operator(request)).await;
        asked.unwrap().into_inner().request.unwrap().id
    };
    let (newer, good) = (ask("newer").await, ask("good").await);
    run(
        &test,
        format!(
            "alter table gateway.key_request drop constraint key_request_kind_check;
             alter table gateway.key_request drop constraint key_request_of_game;
             update gateway.key_request set kind = 'robot' where id = '{newer}'"
        ),
    )
    .await;
    let (mut ids, mut cursor) = (Vec::new(), Some(String::new()));
    while let Some(after) = cursor {
        let request =
            proto::ListKeyRequestsRequest { limit: 1, cursor: after, ..Default::default() };
        let page = test
            .staff
            .list_key_requests(by_operator(request))
            .await
            .map_err(Fault::from)
            .unwrap()
            .into_inner();
        ids.extend(page.requests.into_iter().map(|request| request.id));
        cursor = page.next_cursor;
    }
    assert_eq!(ids, [good.as_str()]);

    let request = proto::AccountsServiceListKeyRequestsRequest { account_id: account.clone() };
    let own =
        test.accounts.list_key_requests(Request::new(request)).await.unwrap().into_inner().requests;
    assert_eq!(own.len(), 1);
    assert_eq!(own[0].id, good);
}
