//! Quotas and their headers (§7, §8, §10). That they are exact is tested on a fleet of its own, in `faults/quota.rs`.

use std::time::{Duration, Instant};

use e2e::{Client, Fleet, KeyRequest, Staff, a_day_with_time_left, eventually};
use futures::future::join_all;

/// The value of parameter `name` in the item `"item"` of a `RateLimit` or `RateLimit-Policy` header.
fn parameter(header: &str, item: &str, name: &str) -> Option<u64> {
    let quoted = format!("\"{item}\"");
    let entry = header
        .split(',')
        .map(str::trim)
        .find(|entry| entry.starts_with(&quoted))?;
    let value = entry
        .split(';')
        .find_map(|part| part.trim().strip_prefix(&format!("{name}=")))?;
    value.parse().ok()
}

#[tokio::test]
async fn the_month_is_counted_by_account_and_only_for_live_keys() {
    a_day_with_time_left().await;
    let fleet = Fleet::shared();
    let mut staff = Staff::of(&fleet).await;
    let account = staff.account("free").await;
    let one = Client::new(&fleet, &staff.key(&account, KeyRequest::live()).await.1);
    let other = Client::new(&fleet, &staff.key(&account, KeyRequest::live()).await.1);
    let test = Client::new(&fleet, &staff.key(&account, KeyRequest::default()).await.1);

    let began = Instant::now();
    let first = one.get("/games?limit=1").await;
    let policy = first.header("ratelimit-policy").unwrap();
    assert_eq!(parameter(policy, "minute", "q"), Some(60), "{policy}");
    assert_eq!(parameter(policy, "minute", "w"), Some(60), "{policy}");
    assert_eq!(parameter(policy, "month", "q"), Some(50_000), "{policy}");
    assert_eq!(
        parameter(first.header("ratelimit").unwrap(), "month", "r"),
        Some(49_999)
    );
    // A call that finds nothing is a call; one by a test key is none of the month's.
    other
        .get("/games/no-such-game")
        .await
        .assert_error(404, "not_found");
    let by_test_key = test.get("/games?limit=1").await;
    assert_eq!(
        parameter(by_test_key.header("ratelimit").unwrap(), "month", "r"),
        None
    );
    let last = one.get("/games?limit=1").await;
    assert_eq!(
        parameter(last.header("ratelimit").unwrap(), "month", "r"),
        Some(49_997)
    );
    // The minute is the key's own. On a slow machine, it may have ended between the two calls.
    if began.elapsed() < Duration::from_mins(1) {
        let left = parameter(last.header("ratelimit").unwrap(), "minute", "r");
        assert_eq!(left, Some(58));
    }
}

#[tokio::test]
async fn a_refused_call_uses_nothing() {
    a_day_with_time_left().await;
    let fleet = Fleet::shared();
    let mut staff = Staff::of(&fleet).await;
    let account = staff.account("free").await;
    let client = Client::new(&fleet, &staff.key(&account, KeyRequest::live()).await.1);
    // On a slow machine, the 70 calls may lie in two minutes, and all be answered.
    let mut answered = 0;
    eventually("calls are refused", async || {
        let calls = (0..70).map(|_| client.get("/games?limit=1"));
        let answers = join_all(calls).await;
        let before = answered;
        for answer in &answers {
            if answer.status == 200 {
                answered += 1;
            } else {
                answer.assert_error(429, "rate_limited");
            }
        }
        (answered - before < 70).then_some(())
    })
    .await;
    let fresh = Client::new(&fleet, &staff.key(&account, KeyRequest::live()).await.1);
    let next = fresh.get("/games?limit=1").await;
    assert_eq!(
        parameter(next.header("ratelimit").unwrap(), "month", "r"),
        Some(50_000 - answered - 1)
    );
}

#[tokio::test]
async fn partners_have_no_monthly_limit() {
    let fleet = Fleet::shared();
    let client = Staff::of(&fleet).await.caller(&fleet, "partner").await;
    let answer = client.get("/games?limit=1").await;
    let policy = answer.header("ratelimit-policy").unwrap();
    assert_eq!(parameter(policy, "minute", "q"), Some(1_200));
    assert_eq!(parameter(policy, "month", "q"), None);
}
