//! Lists of keys that stay short, however many keys an account has had.

use contracts::gateway::v1 as proto;
use contracts::gateway::v1::accounts_service_server::AccountsService as _;
use kit::{Code, Fault};
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};
use tonic::{Request, Status};
use uuid::Uuid;

use crate::support::{START, Test};

/// Inserts a key of an account as it stands after its life: when it expires, and since when it is revoked.
async fn insert(
    test: &Test,
    account: &str,
    (expires, revoked): (Option<OffsetDateTime>, Option<OffsetDateTime>),
) -> Uuid {
    let (id, account) = (kit::ids::row_id(), account.parse::<Uuid>().unwrap());
    let hash = [id.as_bytes().as_slice(), id.as_bytes()].concat();
    sqlx::query!(
        "insert into gateway.key (id, account_id, chain, hash, name, mode, kind, may_write, last4, created_at, expires_at, revoked_at, revision)
         values ($1, $2, $1, $3, 'server', 'test', 'account', false, 'abcd', $4, $5, $6, 1)",
        id,
        account,
        hash,
        START,
        expires,
        revoked,
    )
    .execute(&test.pool)
    .await
    .unwrap();
    id
}

async fn list(test: &Test, account: &str) -> (Vec<String>, bool) {
    let request = proto::AccountsServiceListKeysRequest {
        account_id: account.to_owned(),
    };
    let listed = test.accounts.list_keys(Request::new(request)).await;
    let listed = listed.unwrap().into_inner();
    let ids = listed.keys.into_iter().map(|key| key.id);
    (ids.collect(), listed.left_out)
}

async fn expiring(
    test: &Test,
    until: Option<OffsetDateTime>,
    (limit, cursor): (u32, &str),
) -> Result<proto::AccountsServiceListExpiringKeysResponse, Status> {
    let request = proto::AccountsServiceListExpiringKeysRequest {
        until: until.map(kit::timestamp::encode),
        limit,
        cursor: cursor.to_owned(),
    };
    let listed = test.accounts.list_expiring_keys(Request::new(request));
    Ok(listed.await?.into_inner())
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_list_has_the_keys_that_work_and_the_newest_that_have_ended(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let works = insert(&test, &account, (None, None)).await.to_string();
    let mut ended = Vec::new();
    for number in 0..100 {
        // Every other one has expired.
        let end = if number % 2 == 0 {
            (Some(START - Duration::SECOND), None)
        } else {
            (None, Some(START))
        };
        ended.push(insert(&test, &account, end).await.to_string());
    }
    let (ids, left_out) = list(&test, &account).await;
    assert!(!left_out);
    assert_eq!(ids.first(), Some(&works));
    assert_eq!(ids[1..], ended);
    let newest = insert(&test, &account, (None, Some(START))).await;
    let (ids, left_out) = list(&test, &account).await;
    assert!(left_out);
    assert_eq!(ids.len(), 101);
    assert_eq!(ids.first(), Some(&works));
    assert_eq!(ids[1..100], ended[1..]);
    assert_eq!(ids[100], newest.to_string());
}

#[testing::database_test(gateway::MIGRATOR)]
async fn keys_that_expire_soon_are_listed_by_pages(pool: PgPool) {
    let test = Test::new(pool).await;
    let (one, other) = (test.account("free").await, test.account("free").await);
    let week = START + Duration::WEEK;
    let mut expected = Vec::new();
    for account in [&one, &other, &one] {
        let id = insert(&test, account, (Some(week), None)).await;
        expected.push(id.to_string());
    }
    // These have expired, end later, never end, or were revoked.
    insert(&test, &one, (Some(START), None)).await;
    let later = week + Duration::SECOND;
    insert(&test, &one, (Some(later), None)).await;
    insert(&test, &one, (None, None)).await;
    insert(&test, &one, (Some(week), Some(START))).await;
    let (mut found, mut cursor) = (Vec::new(), Some(String::new()));
    while let Some(after) = cursor {
        let page = expiring(&test, Some(week), (2, &after)).await.unwrap();
        assert!(page.keys.len() <= 2);
        found.extend(page.keys.into_iter().map(|key| (key.account_id, key.id)));
        cursor = page.next_cursor;
    }
    let accounts = [one.clone(), other, one];
    let expected: Vec<(String, String)> = accounts.into_iter().zip(expected).collect();
    assert_eq!(found, expected);
    let refused = Fault::from(expiring(&test, None, (0, "odd")).await.unwrap_err());
    assert_eq!(refused.code, Code::Invalid);
    assert_eq!(
        refused.fields.into_keys().collect::<Vec<_>>(),
        ["cursor", "until"]
    );
}
