//! The list of an account's keys stays short, however many keys the account has had.

use contracts::gateway::v1 as proto;
use contracts::gateway::v1::accounts_service_server::AccountsService as _;
use sqlx::PgPool;
use time::OffsetDateTime;
use tonic::Request;
use uuid::Uuid;

use crate::support::{START, Test};

/// Inserts a key of an account, revoked at the given time if any.
async fn insert(test: &Test, account: &str, revoked: Option<OffsetDateTime>) -> String {
    let (id, account) = (kit::ids::row_id(), account.parse::<Uuid>().unwrap());
    let hash = [id.as_bytes().as_slice(), id.as_bytes()].concat();
    sqlx::query!(
        "insert into gateway.key (id, account_id, chain, hash, name, mode, kind, may_write, last4, created_at, revoked_at, revision)
         values ($1, $2, $1, $3, 'server', 'test', 'account', false, 'abcd', $4, $5, 1)",
        id,
        account,
        hash,
        START,
        revoked,
    )
    .execute(&test.pool)
    .await
    .unwrap();
    id.to_string()
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_list_has_working_keys_and_the_newest_ended_ones(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let works = insert(&test, &account, None).await;
    let mut expected = Vec::new();
    for _ in 0..201 {
        expected.insert(0, insert(&test, &account, Some(START)).await);
    }
    expected.truncate(199);
    expected.insert(0, works);
    let request = proto::AccountsServiceListKeysRequest { account_id: account };
    let listed = test.accounts.list_keys(Request::new(request)).await;
    let keys = listed.unwrap().into_inner().keys.into_iter();
    let ids: Vec<String> = keys.map(|key| key.id).collect();
    assert_eq!(ids, expected);
}
