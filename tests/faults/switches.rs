//! Switches (§7.3). A switch affects the whole fleet, so this test has a fleet of its own, with two gateways.

use e2e::{Client, Fleet, SmallFleet, eventually};
use reqwest::Method;

use crate::keys::a_revoked_key_is_refused_at_every_gateway_from_the_next_call;

const REPLICAS: [&str; 2] = ["--replicas", "gateway=2"];
/// The outcomes of the economy's calls while the economy is off.
const OFF: [&str; 3] = ["module_off"; 3];

/// The outcomes of all calls, given those of submissions and edits, and those of the economy.
fn expected<'a>(
    [submits, edits]: [&'a str; 2],
    [rates, report, tip]: [&'a str; 3],
) -> [&'a str; 7] {
    ["ok", "ok", submits, edits, rates, report, tip]
}

/// Makes each kind of call, with live keys or with test keys, and returns the outcomes: `ok` or the error code.
async fn met(fleet: &Fleet, live: bool) -> [String; 7] {
    let keys = &fleet.account("partner").keys;
    let (plain, write, secret, public) = if live {
        (
            &keys.live,
            &keys.live_write,
            &keys.live_secret,
            &keys.live_public,
        )
    } else {
        // The fleet has no public test key. A secret one may tip too.
        (
            &keys.test,
            &keys.test_write,
            &keys.test_secret,
            &keys.test_secret,
        )
    };
    let call = async |key: &str, method: Method, path: &str| {
        let client = Client::new(fleet, key);
        let answer = client.send(client.request(method, path)).await;
        if answer.status.is_success() {
            return "ok".to_owned();
        }
        if answer.status == 400 {
            // A write without a body fails a check that comes after the switches.
            return answer.code().to_owned();
        }
        assert_eq!(answer.status, 503, "{path}: {}", answer.text);
        let waits = answer.header("retry-after").is_some();
        assert_eq!(waits, answer.code() != "module_off", "{path}");
        answer.code().to_owned()
    };
    [
        call(plain, Method::GET, "/games?limit=1").await,
        call(plain, Method::GET, "/me").await,
        call(write, Method::POST, "/games").await,
        call(write, Method::PATCH, "/events/some-jam").await,
        call(secret, Method::GET, "/economy/rates").await,
        call(secret, Method::POST, "/economy/report").await,
        call(public, Method::POST, "/play/tips").await,
    ]
}

/// Waits until each gateway applies the switch `api`. By then it has applied all earlier changes of switches.
async fn until_all_act(gateways: &[Fleet], api_is_on: bool) {
    for gateway in gateways {
        let client = Client::new(gateway, &gateway.account("partner").keys.live);
        eventually("the gateway acts on the switch", async || {
            let answer = client.get("/games?limit=1").await;
            (answer.status.is_success() == api_is_on).then_some(())
        })
        .await;
    }
}

/// Most of a minute: a fleet starts twice. Its deadlines are long: on a busy machine, Redis may miss the usual one of a gateway, whose
/// tombstone of the revoked key is then late.
#[tokio::test]
async fn every_gateway_acts_on_a_revocation_and_on_a_switch_which_it_keeps_over_a_restart() {
    let mut small = SmallFleet::patient();
    let fleet = small.up_with(&REPLICAS).await;
    a_revoked_key_is_refused_at_every_gateway_from_the_next_call(&fleet).await;
    let gateways = fleet.by_gateway();
    assert_eq!(gateways.len(), 2);
    let off = ["api_unavailable"; 7];
    let read_only = ["ok", "closed", "closed"];
    for (name, stand, writes, economy) in [
        ("economy", "off", ["bad_json"; 2], OFF),
        ("submissions", "off", ["closed", "bad_json"], OFF),
        ("api_writes", "off", ["module_off"; 2], OFF),
        ("read_only", "on", ["module_off"; 2], OFF),
        ("economy", "on", ["module_off"; 2], read_only),
        ("api_writes", "on", ["closed"; 2], read_only),
    ] {
        small.staff(&["switch", "set", name, stand]).await;
        small.staff(&["switch", "set", "api", "off"]).await;
        until_all_act(&gateways, false).await;
        for gateway in &gateways {
            assert_eq!(met(gateway, true).await, off, "{name} {stand}");
            assert_eq!(met(gateway, false).await, off, "{name} {stand}");
        }
        small.staff(&["switch", "set", "api", "on"]).await;
        until_all_act(&gateways, true).await;
        for gateway in &gateways {
            assert_eq!(
                met(gateway, true).await,
                expected(writes, economy),
                "{name} {stand}"
            );
            assert_eq!(
                met(gateway, false).await,
                expected(writes, economy),
                "{name} {stand}"
            );
        }
    }

    let maintenance = ["switch", "set", "api", "off", "--reason", "Maintenance"];
    small.staff(&maintenance).await;
    until_all_act(&gateways, false).await;
    small.down().await;
    let gateways = small.up_with(&REPLICAS).await.by_gateway();
    for gateway in &gateways {
        assert_eq!(met(gateway, true).await, off);
    }
    let listed = small.staff(&["--json", "switch", "list"]).await;
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    let standing = |place: usize| {
        (
            &listed["switches"][place]["name"],
            &listed["switches"][place]["on"],
        )
    };
    assert_eq!(standing(0), (&"api".into(), &false.into()));
    assert_eq!(listed["switches"][0]["reason"], "Maintenance");
    assert_eq!(standing(3), (&"submissions".into(), &false.into()));
    assert_eq!(standing(4), (&"read_only".into(), &true.into()));
}
