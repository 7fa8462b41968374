//! The calls of an account as its owner sees them: counts by day, and the log of calls.

use contracts::gateway::v1 as proto;
use contracts::gateway::v1::accounts_service_server::AccountsService as _;
use futures::FutureExt as _;
use gateway::call_log::SAMPLE;
use gateway::domain::call_record::LogPart;
use kit::{Code, Fault};
use sqlx::PgPool;
use time::Duration;
use tonic::{Request, Status};

use crate::support::{CALL_LOG, NO_REDIS, START, Script, Test, TestConfig, TestKey};

async fn list_use(test: &Test, account: &str) -> Result<Vec<proto::DayUse>, Status> {
    let request = proto::AccountsServiceListUseRequest { account_id: account.to_owned() };
    let found = test.accounts.list_use(Request::new(request)).await?;
    Ok(found.into_inner().days)
}

/// The days that have calls, and the number of calls of each.
async fn days(test: &Test, account: &str) -> Vec<(String, u64)> {
    let days = list_use(test, account).await.unwrap();
    assert_eq!(days.len(), 31);
    let days = days.into_iter().filter(|day| day.calls > 0);
    days.map(|day| (day.day, day.calls)).collect()
}

fn all(account: &str) -> proto::AccountsServiceListCallsRequest {
    proto::AccountsServiceListCallsRequest { account_id: account.to_owned(), ..Default::default() }
}

async fn list(
    test: &Test,
    request: proto::AccountsServiceListCallsRequest,
) -> Result<proto::AccountsServiceListCallsResponse, Status> {
    let found = test.accounts.list_calls(Request::new(request)).await?;
    Ok(found.into_inner())
}

async fn targets(test: &Test, request: proto::AccountsServiceListCallsRequest) -> Vec<String> {
    let found = list(test, request).await.unwrap().calls.into_iter();
    found.map(|call| call.target).collect()
}

/// Makes calls a second apart, so that their order is defined, and writes the log.
async fn call(test: &Test, key: &TestKey, paths: &[&str]) {
    for path in paths {
        test.get(key, path).await;
        test.clock.advance(Duration::SECOND);
    }
    test.call_records.write_log().await;
}

#[testing::database_test(gateway::MIGRATOR)]
async fn calls_of_the_month_are_counted_by_day(pool: PgPool) {
    let here = Test::new(pool.clone()).await;
    let there = Test::new(pool).await;
    let (account, other) = (here.account("free").await, here.account("free").await);
    let live = here.key(&account, "live").await;
    let sample = here.key(&account, "test").await;
    for test in [&here, &there] {
        test.get(&live, "/games").await;
        test.get(&live, "/games?limit=no").await;
        // Neither a test call nor a refused write uses the month.
        test.get(&sample, "/games").await;
        test.call(live.request("POST", "/games")).await;
    }
    here.clock.advance(Duration::DAY);
    call(&here, &live, &["/games"]).await;
    let used = |day: &str, calls| (day.to_owned(), calls);
    let (first, second) = (used("2026-03-22", 4), used("2026-03-23", 1));
    assert_eq!(days(&here, &account).await, [first.clone(), second.clone()]);
    assert_eq!(days(&here, &other).await, []);
    here.clock.advance(Duration::DAY * 29);
    assert_eq!(days(&here, &account).await, [first, second.clone()]);
    here.clock.advance(Duration::DAY);
    assert_eq!(days(&here, &account).await, [second]);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_log_distinguishes_a_closed_connection_from_an_error(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let key = test.key(&account, "live").await;
    // Cache the key, so that the next call is attributed to its account although its response never comes.
    test.get(&key, "/games").await;
    test.clock.advance(Duration::SECOND);
    // The caller disconnects while the service hangs.
    test.catalogue.script(Script::Hang);
    assert!(test.get(&key, "/games").now_or_never().is_none());
    let broken = Fault::new(Code::Internal, "The service is broken.");
    test.catalogue.script(Script::Refuse(broken));
    test.clock.advance(Duration::SECOND);
    call(&test, &key, &["/games"]).await;
    let calls = list(&test, all(&account)).await.unwrap().calls;
    let codes: Vec<(u32, &str)> =
        calls.iter().map(|call| (call.status, call.code.as_str())).collect();
    assert_eq!(codes, [(500, "internal"), (499, ""), (200, "")]);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_log_lists_calls_newest_first(pool: PgPool) {
    let test = Test::new(pool).await;
    let (account, other) = (test.account("free").await, test.account("free").await);
    let (live, sample) = (test.key(&account, "live").await, test.key(&account, "test").await);
    let leaked = format!("/games?key={}", live.secret);
    call(&test, &live, &["/games?q=x", &leaked]).await;
    let answer = test.get(&sample, "/games?limit=0").await;
    test.call_records.write_log().await;

    let response = list(&test, all(&account)).await.unwrap();
    assert_eq!((response.most, response.left_out), (CALL_LOG, 0));
    assert_eq!(response.next_cursor, None);
    let [refused, leaked, first] = response.calls.try_into().unwrap();
    assert_eq!(refused.code, answer.error().1);
    assert_eq!(refused.request_id, answer.header("x-request-id"));
    assert_eq!((refused.status, refused.mode.as_str()), (400, "test"));
    assert_eq!((&refused.key_id, &first.key_id), (&sample.id, &live.id));
    assert_eq!(first.at, Some(kit::api::timestamp::encode(START)));
    assert_eq!(first.target, "/v1/games?q=x");
    assert_eq!((first.method.as_str(), first.route.as_str()), ("GET", "/v1/games"));
    assert_eq!((first.status, first.code.as_str()), (200, ""));
    assert_eq!(leaked.target, "/v1/games?key=svc_live_…");

    let of_key =
        proto::AccountsServiceListCallsRequest { key_id: live.id.clone(), ..all(&account) };
    assert_eq!(targets(&test, of_key).await.len(), 2);
    let errors = proto::AccountsServiceListCallsRequest { only_errors: true, ..all(&account) };
    assert_eq!(targets(&test, errors).await, ["/v1/games?limit=0"]);
    assert_eq!(targets(&test, all(&other)).await, [""; 0]);
    let key_of_other =
        proto::AccountsServiceListCallsRequest { key_id: live.id.clone(), ..all(&other) };
    assert_eq!(targets(&test, key_of_other).await, [""; 0]);
}

/// The unit tests of `domain/call_record.rs` cover the log.
#[testing::database_test(gateway::MIGRATOR)]
async fn no_error_message_contains_an_encoded_key(pool: PgPool) {
    let test = Test::new(pool).await;
    let live = test.live_key().await;
    let encoded = live.secret.bytes().map(|it| format!("%{it:02x}")).collect::<Vec<_>>().concat();
    let secret = &live.secret["svc_live_".len()..];
    for path in [
        format!("/games?limit={encoded}"),
        format!("/games?{encoded}=1&limit=0"),
        format!("/games/{encoded}"),
        format!("/nothing/{encoded}"),
    ] {
        let answer = test.get(&live, &path).await;
        assert!(!answer.is_ok() && !answer.text.contains(secret), "{path}");
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn calls_of_a_revoked_key_are_logged(pool: PgPool) {
    let mut test = Test::new(pool).await;
    let account = test.account("free").await;
    let key = test.key(&account, "live").await;
    call(&test, &key, &["/games"]).await;
    test.revoke(&key).await;
    // The first call is refused by the tombstone, the second, after the feed was read, by the key's own state.
    call(&test, &key, &["/games"]).await;
    test.catch_up().await;
    call(&test, &key, &["/games"]).await;
    let calls = list(&test, all(&account)).await.unwrap().calls;
    let codes: Vec<&str> = calls.iter().map(|call| call.code.as_str()).collect();
    assert_eq!(codes, ["invalid_key", "invalid_key", ""]);
    // An unknown key belongs to no account.
    let guess = test.guess();
    call(&test, &guess, &["/games"]).await;
    assert_eq!(targets(&test, all(&account)).await.len(), 3);
}

/// Somebody repeats a leaked key that is revoked.
#[testing::database_test(gateway::MIGRATOR)]
async fn a_revoked_key_pushes_no_other_call_out_of_the_log(pool: PgPool) {
    let mut test = Test::new(pool).await;
    let account = test.account("free").await;
    let (good, leaked) = (test.key(&account, "live").await, test.key(&account, "live").await);
    let of_key = |key: &TestKey| proto::AccountsServiceListCallsRequest {
        key_id: key.id.clone(),
        ..all(&account)
    };
    call(&test, &good, &["/games?q=1", "/games?q=2"]).await;
    call(&test, &leaked, &["/games?q=3"]).await;
    test.revoke(&leaked).await;
    for round in 0..2 * CALL_LOG {
        for _ in 0..SAMPLE {
            assert_eq!(test.get(&leaked, "/games?q=4").await.error(), (401, "invalid_key"));
        }
        call(&test, &leaked, &["/games?q=4"]).await;
        // At first the key's tombstone rejects it.
        if round == CALL_LOG {
            test.catch_up().await;
        }
    }
    call(&test, &good, &["/games?q=5"]).await;

    let games = |numbers: &[u32]| {
        let targets = numbers.iter().map(|number| format!("/v1/games?q={number}"));
        targets.collect::<Vec<_>>()
    };
    // Newest first, with what the leaked key was used for before.
    assert_eq!(targets(&test, all(&account)).await, games(&[5, 4, 4, 4, 4, 4, 3, 2, 1]));
    assert_eq!(targets(&test, of_key(&good)).await, games(&[5, 2, 1]));
    assert_eq!(targets(&test, of_key(&leaked)).await, games(&[4, 4, 4, 4, 4, 3]));
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_public_key_pushes_no_other_call_out_of_the_log(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let good = test.key(&account, "live").await;
    let public = crate::quota_headers::public_key(&test, &account, "live").await;
    call(&test, &good, &["/games?q=1"]).await;
    for _ in 0..CALL_LOG {
        call(&test, &public, &["/games?q=2"]).await;
    }
    let public_places = LogPart::Exposed.places(CALL_LOG) as usize;
    let mut expected = vec!["/v1/games?q=2"; public_places];
    expected.push("/v1/games?q=1");
    assert_eq!(targets(&test, all(&account)).await, expected);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn calls_that_the_limit_of_refused_calls_rejected_are_not_logged(pool: PgPool) {
    let config = TestConfig { refused_calls: 3, ..TestConfig::default() };
    let mut test = Test::with(pool, config).await;
    let account = test.account("free").await;
    let (good, revoked) = (test.key(&account, "live").await, test.key(&account, "live").await);
    call(&test, &good, &["/games"]).await;
    call(&test, &revoked, &["/games"]).await;
    test.revoke(&revoked).await;
    test.catch_up().await;
    for (number, expected) in [401, 401, 401, 429, 429].into_iter().enumerate() {
        let response = test.get(&revoked, &format!("/games?q={number}")).await;
        assert_eq!(response.status, expected);
        test.clock.advance(Duration::SECOND);
    }
    // The key works, but may not write.
    let refused = test.call(good.request("POST", "/games?q=write")).await;
    assert_eq!(refused.error(), (429, "rate_limited"));
    test.call_records.write_log().await;
    let log = list(&test, all(&account)).await.unwrap();
    let statuses: Vec<u32> = log.calls.iter().map(|call| call.status).collect();
    assert_eq!((statuses, log.left_out), (vec![401, 401, 401, 200, 200], 0));
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_log_says_how_many_calls_of_a_busy_second_it_lacks(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let key = test.key(&account, "live").await;
    for _ in 0..30 {
        assert!(test.get(&key, "/games").await.is_ok());
    }
    test.call_records.write_log().await;
    let log = list(&test, all(&account)).await.unwrap();
    assert_eq!(log.calls.len(), SAMPLE);
    assert_eq!(log.left_out, 30 - SAMPLE as u64);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_log_is_read_in_pages(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let keys = [test.key(&account, "live").await, test.key(&account, "live").await];
    test.revoke(&keys[1]).await;
    let paths: Vec<String> = (0..7).map(|n| format!("/games?q={n}")).collect();
    // The calls are in both parts of the log, in turns.
    for (path, key) in paths.iter().zip(keys.iter().cycle()) {
        call(&test, key, &[path]).await;
    }
    let (mut seen, mut cursor) = (Vec::new(), Some(String::new()));
    while let Some(after) = cursor {
        let request =
            proto::AccountsServiceListCallsRequest { limit: 3, cursor: after, ..all(&account) };
        let page = list(&test, request).await.unwrap();
        assert!(page.calls.len() <= 3);
        seen.extend(page.calls.into_iter().map(|call| call.target));
        cursor = page.next_cursor;
    }
    let expected: Vec<String> = paths.iter().rev().map(|path| format!("/v1{path}")).collect();
    assert_eq!(seen, expected);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_log_is_bounded_and_drops_calls_after_seven_days(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("build").await;
    let key = test.key(&account, "live").await;
    call(&test, &key, &["/me", "/me"]).await;
    test.clock.advance(Duration::DAY * 7 - Duration::SECOND);
    assert_eq!(targets(&test, all(&account)).await.len(), 1);
    call(&test, &key, &["/games"]).await;
    assert_eq!(targets(&test, all(&account)).await, ["/v1/games"]);

    let mut redis = redis::Client::open(crate::support::redis_url())
        .unwrap()
        .get_multiplexed_async_connection()
        .await
        .unwrap();
    let log = format!("gateway:{{{account}}}:calls");
    let length = async |redis: &mut redis::aio::MultiplexedConnection| {
        let mut command = redis::cmd("ZCARD");
        let length: u32 = command.arg(&log).query_async(redis).await.unwrap();
        length
    };
    assert_eq!(length(&mut redis).await, 1, "old calls are removed, not hidden");
    for _ in 0..4 {
        call(&test, &key, &["/games"; SAMPLE]).await;
    }
    let places = LogPart::Private.places(CALL_LOG);
    assert_eq!(length(&mut redis).await, places);
    let request = proto::AccountsServiceListCallsRequest { limit: 500, ..all(&account) };
    assert_eq!(targets(&test, request).await.len(), places as usize);
    let mut command = redis::cmd("TTL");
    let seconds: i64 = command.arg(&log).query_async(&mut redis).await.unwrap();
    assert!((1..=7 * 86_400).contains(&seconds));
}

#[testing::database_test(gateway::MIGRATOR)]
async fn without_redis_neither_the_days_nor_the_log_can_be_read(pool: PgPool) {
    let config = TestConfig { redis: NO_REDIS.to_owned(), ..TestConfig::default() };
    let test = Test::with(pool, config).await;
    let account = test.account("free").await;
    let key = test.key(&account, "live").await;
    assert!(test.get(&key, "/games").await.is_ok());
    test.call_records.write_log().await;
    for unavailable in [
        list(&test, all(&account)).await.unwrap_err(),
        list_use(&test, &account).await.unwrap_err(),
    ] {
        let unavailable = Fault::from(unavailable);
        assert_eq!(unavailable.code, Code::Unavailable);
        assert_eq!(unavailable.retry_after, Some(1));
    }
}
