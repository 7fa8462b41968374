//! The minute of a key is exact for concurrent calls through two gateways (§8), and both gateways refuse a revoked key and act on a switch. The
//! gateway's own tests cover the rest.

use e2e::{Client, Fleet, Response, Service, SmallFleet, Staff, eventually, may_open};
use futures::StreamExt as _;

use crate::keys::a_revoked_key_is_refused_at_every_gateway_from_the_next_call;

const AT_ONCE: usize = 1_000;

/// The remaining calls in the header `RateLimit`, for the limit `item`.
fn left(answer: &Response, item: &str) -> Option<u64> {
    let header = answer.header("ratelimit")?;
    let entry =
        header.split(", ").find_map(|entry| entry.strip_prefix(&format!("\"{item}\";r=")))?;
    entry.split(';').next()?.parse().ok()
}

/// Makes concurrent calls through both gateways in turn.
async fn call(fleet: &Fleet, client: &Client, calls: usize) -> Vec<Response> {
    let gateways: Vec<&Service> = fleet.replicas("gateway").collect();
    assert_eq!(gateways.len(), 2);
    let calls = (0..calls).map(|n| {
        let client = client.at(gateways[n % 2]);
        async move { client.get("/games?limit=1").await }
    });
    futures::stream::iter(calls).buffer_unordered(AT_ONCE).collect().await
}

/// Takes half a minute: a fleet starts, and a thousand calls use up a minute.
#[tokio::test]
async fn a_minute_is_exact_and_a_revocation_and_a_switch_act_through_two_gateways() {
    may_open(2 * AT_ONCE as u64 + 1_000);
    let mut small = SmallFleet::patient();
    let fleet = small.up_with(&["--replicas", "gateway=2"]).await;
    a_minute_of_sixty_lets_sixty_through(&fleet).await;
    a_revoked_key_is_refused_at_every_gateway_from_the_next_call(&fleet).await;
    for (state, code) in [("off", Some("module_off")), ("on", None)] {
        small.staff(&["switch", "set", "economy", state]).await;
        for gateway in fleet.by_gateway() {
            let client = Client::new(&gateway, &fleet.account("partner").keys.live_secret);
            eventually("the gateway acts on the switch", async || {
                let answer = client.get("/economy/rates").await;
                let found = answer.body["error"]["code"].as_str();
                (found == code).then_some(())
            })
            .await;
        }
    }
}

async fn a_minute_of_sixty_lets_sixty_through(fleet: &Fleet) {
    let caller = Staff::new(fleet).await.caller(fleet, "free").await;
    let answers = call(fleet, &caller, 1_000).await;
    let (passed, refused): (Vec<_>, Vec<_>) =
        answers.into_iter().partition(|answer| answer.status == 200);
    let mut numbers: Vec<(u64, u64)> = passed
        .iter()
        .map(|answer| (left(answer, "minute").unwrap(), left(answer, "month").unwrap()))
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
