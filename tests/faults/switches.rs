//! Switches (§7.3). A switch affects a whole fleet, so this test starts its own, with two gateways. The tests of `gateway::domain::access` cover
//! which calls each switch stops.

use e2e::{Client, Fleet, SmallFleet, eventually};
use serde_json::Value;

use crate::keys::a_revoked_key_is_refused_at_every_gateway_from_the_next_call;

const REPLICAS: [&str; 2] = ["--replicas", "gateway=2"];

/// Waits until every gateway answers the path with this error code or, without one, successfully.
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

/// Takes most of a minute: the fleet starts twice. The deadlines are long, because on a busy machine Redis may miss the default deadline of a
/// gateway, whose tombstone of the revoked key would then be late.
#[tokio::test]
async fn every_gateway_acts_on_revocations_and_keeps_switches_over_a_restart() {
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
        // The switch applies from the first call of the new process.
        let client = Client::new(&gateway, &fleet.account("partner").keys.live);
        client.get(games).await.assert_error(503, "api_unavailable");
    }
    let listed = small.staff(&["--json", "switch", "list"]).await;
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let api = &listed["switches"][0];
    assert_eq!((&api["name"], &api["on"]), (&"api".into(), &false.into()));
    assert_eq!(api["reason"], "Maintenance");
}
