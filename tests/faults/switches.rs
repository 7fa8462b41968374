//! Switches (§7.3). A switch affects the whole fleet, so this test has a fleet of its own, with two gateways. `gateway::domain::access` holds
//! which calls each of them stops.

use e2e::{Client, Fleet, SmallFleet, eventually};
use serde_json::Value;

use crate::keys::a_revoked_key_is_refused_at_every_gateway_from_the_next_call;

const REPLICAS: [&str; 2] = ["--replicas", "gateway=2"];

/// Waits until every gateway answers the path with this error, or with a success.
async fn until_all_act(gateways: &[Fleet], key: &str, path: &str, code: Option<&str>) {
    for gateway in gateways {
        let client = Client::new(gateway, key);
        eventually("the gateway acts on the switch", async || {
            let answer = client.get(path).await;
            let found = answer.body["error"]["code"].as_str();
            (found == code).then_some(())
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
    let keys = &fleet.account("partner").keys;
    let (games, rates) = ("/games?limit=1", "/economy/rates");
    small.staff(&["switch", "set", "economy", "off"]).await;
    until_all_act(&gateways, &keys.live_secret, rates, Some("module_off")).await;
    until_all_act(&gateways, &keys.live, games, None).await;
    small.staff(&["switch", "set", "economy", "on"]).await;
    until_all_act(&gateways, &keys.live_secret, rates, None).await;

    let off = Some("api_unavailable");
    let maintenance = ["switch", "set", "api", "off", "--reason", "Maintenance"];
    small.staff(&maintenance).await;
    until_all_act(&gateways, &keys.live, games, off).await;
    small.down().await;
    let fleet = small.up_with(&REPLICAS).await;
    for gateway in fleet.by_gateway() {
        // From its first call.
        let client = Client::new(&gateway, &fleet.account("partner").keys.live);
        client.get(games).await.assert_error(503, "api_unavailable");
    }
    let listed = small.staff(&["--json", "switch", "list"]).await;
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let api = &listed["switches"][0];
    assert_eq!((&api["name"], &api["on"]), (&"api".into(), &false.into()));
    assert_eq!(api["reason"], "Maintenance");
}
