//! Quotas are exact for concurrent calls through two gateways and with several keys (§8). The gateway's own tests cover the rest.

use e2e::{Client, Fleet, KeyRequest, NewAccount, Response, Service, SmallFleet, Staff, may_open};
use futures::StreamExt as _;

const AT_ONCE: usize = 1_000;

/// Clients with keys of one account.
struct Callers {
    live: Vec<Client>,
    test: Client,
}

async fn callers(fleet: &Fleet, plan: &str, live: usize) -> (NewAccount, Callers) {
    let mut staff = Staff::of(fleet).await;
    let account = staff.account(plan).await;
    let mut keys = Vec::new();
    for _ in 0..live {
        keys.push(Client::new(
            fleet,
            &staff.key(&account, KeyRequest::live()).await.1,
        ));
    }
    let (_, test) = staff.key(&account, KeyRequest::default()).await;
    let test = Client::new(fleet, &test);
    (account, Callers { live: keys, test })
}

/// The remaining calls in the header `RateLimit`, for the limit `item`.
fn left(answer: &Response, item: &str) -> Option<u64> {
    let header = answer.header("ratelimit")?;
    let entry = header
        .split(", ")
        .find_map(|entry| entry.strip_prefix(&format!("\"{item}\";r=")))?;
    entry.split(';').next()?.parse().ok()
}

/// The remaining calls of the month in each response, in ascending order.
fn months_left(answers: &[Response]) -> impl Iterator<Item = u64> {
    let left = answers.iter().map(|answer| {
        let left = left(answer, "month");
        assert!(left.is_some(), "{} {}", answer.status, answer.text);
        left.unwrap()
    });
    let mut left: Vec<u64> = left.collect();
    left.sort_unstable();
    left.into_iter()
}

/// Makes concurrent calls. The clients and the gateways take turns.
async fn call(fleet: &Fleet, clients: &[Client], calls: usize) -> Vec<Response> {
    let gateways: Vec<&Service> = fleet.replicas("gateway").collect();
    assert_eq!(gateways.len(), 2);
    let clients: Vec<Client> = clients
        .iter()
        .flat_map(|client| gateways.iter().map(|gateway| client.at(gateway)))
        .collect();
    let calls = (0..calls).map(|n| {
        let client = clients[n % clients.len()].clone();
        async move { client.get("/games?limit=1").await }
    });
    futures::stream::iter(calls)
        .buffer_unordered(AT_ONCE)
        .collect()
        .await
}

async fn month_used(client: &Client) -> u64 {
    let me = client.get("/me").await;
    me.data()["month"]["used"].as_u64().unwrap()
}

/// Takes most of a minute: a fleet starts, and thousands of calls use up quotas.
#[tokio::test]
async fn quotas_are_exact_through_two_gateways() {
    may_open(2 * AT_ONCE as u64 + 1_000);
    let mut small = SmallFleet::patient();
    let fleet = small.up_with(&["--replicas", "gateway=2"]).await;
    a_minute_of_sixty_lets_sixty_through(&fleet).await;
    a_month_is_counted_over_all_keys(&fleet).await;
    a_month_lets_as_many_through_as_it_has(&fleet).await;
}

async fn a_minute_of_sixty_lets_sixty_through(fleet: &Fleet) {
    let (_, callers) = callers(fleet, "free", 1).await;
    let answers = call(fleet, &callers.live, 1_000).await;
    let (passed, refused): (Vec<_>, Vec<_>) =
        answers.into_iter().partition(|answer| answer.status == 200);
    let mut numbers: Vec<(u64, u64)> = passed
        .iter()
        .map(|answer| {
            (
                left(answer, "minute").unwrap(),
                left(answer, "month").unwrap(),
            )
        })
        .collect();
    numbers.sort_unstable();
    let in_order = (0..60).map(|left| (left, 49_940 + left));
    assert!(numbers.into_iter().eq(in_order), "each pair once");
    assert_eq!(refused.len(), 940);
    for answer in refused {
        answer.assert_error(429, "rate_limited");
        assert_eq!(left(&answer, "minute"), Some(0));
        assert_eq!(left(&answer, "month"), Some(49_940));
        let wait: u64 = answer.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=60).contains(&wait), "{wait}");
    }
}

async fn a_month_is_counted_over_all_keys(fleet: &Fleet) {
    let (_, callers) = callers(fleet, "free", 5).await;
    let answers = call(fleet, &callers.live, 250).await;
    assert!(months_left(&answers).eq(49_750..50_000), "each number once");
    // A test key shows the use of the month, but its calls do not count.
    for _ in 0..2 {
        assert_eq!(month_used(&callers.test).await, 250);
    }
}

async fn a_month_lets_as_many_through_as_it_has(fleet: &Fleet) {
    let (account, callers) = callers(fleet, "free", 5).await;
    callers.live[0].get("/games?limit=1").await;
    use_month(fleet, &account, 49_950);
    let answers = call(fleet, &callers.live, 200).await;
    let (passed, refused): (Vec<_>, Vec<_>) =
        answers.into_iter().partition(|answer| answer.status == 200);
    assert!(months_left(&passed).eq(0..50), "each number once");
    assert_eq!(refused.len(), 150);
    for answer in refused {
        answer.assert_error(429, "quota_exceeded");
        assert_eq!(left(&answer, "month"), Some(0));
    }
    assert_eq!(month_used(&callers.test).await, 50_000);
}

/// Sets the use of the month in Redis, because that many calls would take too long.
fn use_month(fleet: &Fleet, account: &NewAccount, used: u64) {
    let client = redis::Client::open(fleet.redis_url.as_str()).unwrap();
    let mut connection = client.get_connection().unwrap();
    let hash = format!("gateway:{{{}}}:usage", account.account.id);
    let fields: Vec<String> = redis::cmd("HKEYS")
        .arg(&hash)
        .query(&mut connection)
        .unwrap();
    let is_month = |field: &&String| {
        field
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'-')
    };
    let month = fields.iter().find(is_month).unwrap();
    redis::cmd("HSET")
        .arg(&hash)
        .arg(month)
        .arg(used)
        .query::<()>(&mut connection)
        .unwrap();
}
