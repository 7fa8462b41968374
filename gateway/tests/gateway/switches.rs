//! Switches (§7.3): set at one replica, effective at another one and after a restart.

use contracts::gateway::v1 as proto;
use contracts::gateway::v1::staff_service_server::StaffService as _;
use kit::{Code, Fault};
use prost::Message as _;
use sqlx::PgPool;
use tonic::Status;

use crate::support::{START, Test, TestKey, account_key, by_operator};

pub(crate) async fn set(
    test: &Test,
    name: &str,
    on: bool,
    reason: &str,
) -> Result<proto::Switch, Status> {
    let request = proto::SetSwitchRequest { name: name.to_owned(), on, reason: reason.to_owned() };
    let response = test.staff.set_switch(by_operator(request)).await?;
    Ok(response.into_inner().switch.unwrap())
}

async fn list(test: &Test) -> proto::ListSwitchesResponse {
    let request = by_operator(proto::ListSwitchesRequest {});
    test.staff.list_switches(request).await.unwrap().into_inner()
}

/// The codes of a read, `GET /me`, a POST and a PATCH.
async fn codes(test: &Test, key: &TestKey) -> [&'static str; 4] {
    let calls = [
        key.get("/games"),
        key.get("/me"),
        key.request("POST", "/games"),
        key.request("PATCH", "/events/jam"),
    ];
    let mut codes = [""; 4];
    for (code, call) in codes.iter_mut().zip(calls) {
        let response = test.call(call).await;
        *code = match response.error() {
            (200, _) => "ok",
            (503, "api_unavailable") => "api_unavailable",
            (503, "module_off") => "module_off",
            (503, "closed") => "closed",
            // These requests have no body, which is checked next.
            (400, "bad_json") => "bad_json",
            other => unreachable!("{other:?}: {}", response.text),
        };
        let waits = matches!(*code, "api_unavailable" | "closed");
        assert_eq!(response.header("retry-after"), if waits { "60" } else { "" });
    }
    codes
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_switch_takes_effect_at_every_replica_and_after_a_restart(pool: PgPool) {
    let (here, mut there) = (Test::new(pool.clone()).await, Test::new(pool.clone()).await);
    let account = here.account("free").await;
    let request = proto::CreateKeyRequest { may_write: true, ..account_key(&account, "live") };
    let live = here.key_like(request).await.unwrap();
    let request = proto::CreateKeyRequest { may_write: true, ..account_key(&account, "test") };
    let sample = here.key_like(request).await.unwrap();
    let usual = ["ok", "ok", "bad_json", "bad_json"];
    let closed = ["ok", "ok", "closed", "closed"];
    let off = ["ok", "ok", "module_off", "module_off"];
    for (name, on, expected) in [
        ("api", false, ["api_unavailable"; 4]),
        ("api", true, usual),
        ("read_only", true, closed),
        ("submissions", false, closed),
        ("api_writes", false, off),
        ("api_writes", true, closed),
        ("read_only", false, ["ok", "ok", "closed", "bad_json"]),
    ] {
        set(&here, name, on, "").await.unwrap();
        there.catch_up().await;
        for key in [&live, &sample] {
            assert_eq!(codes(&there, key).await, expected, "{name} {on}");
        }
    }
    set(&here, "api", false, "Maintenance").await.unwrap();
    let restarted = Test::new(pool).await;
    assert_eq!(codes(&restarted, &live).await, ["api_unavailable"; 4]);
    let listed = list(&restarted).await.switches;
    let api = listed.iter().find(|switch| switch.name == "api").unwrap();
    assert_eq!((api.on, api.reason.as_str()), (false, "Maintenance"));
}

#[testing::database_test(gateway::MIGRATOR)]
async fn switches_are_listed_with_time_and_reason(pool: PgPool) {
    let test = Test::new(pool).await;
    let before = list(&test).await;
    let states: Vec<(&str, bool)> =
        before.switches.iter().map(|switch| (switch.name.as_str(), switch.on)).collect();
    assert_eq!(
        states,
        [
            ("api", true),
            ("economy", true),
            ("api_writes", true),
            ("submissions", true),
            ("read_only", false)
        ]
    );

    let updated = set(&test, "submissions", false, " Reviewers are away ").await.unwrap();
    assert_eq!(updated.reason, "Reviewers are away");
    assert_eq!(updated.changed_at, Some(kit::api::timestamp::encode(START)));
    // Setting a switch to its current state changes nothing and publishes nothing.
    let again = set(&test, "submissions", false, "Other").await.unwrap();
    assert_eq!(again, updated);
    assert_eq!(list(&test).await.switches[3], updated);
    let published =
        sqlx::query!("select id, event, revision, state from gateway.feed where entity = 'switch'");
    let published = published.fetch_one(&test.pool).await.unwrap();
    assert_eq!(
        (published.id.as_str(), published.event.as_str(), published.revision),
        ("submissions", "updated", 2)
    );
    assert_eq!(proto::Switch::decode(published.state.as_slice()).unwrap(), updated);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn an_unknown_switch_and_a_long_reason_are_refused(pool: PgPool) {
    let test = Test::new(pool).await;
    let before = list(&test).await;
    let refused = set(&test, "light", true, &"x".repeat(201)).await;
    let fault = Fault::from(refused.unwrap_err());
    assert_eq!(fault.code, Code::Invalid);
    let fields: Vec<&str> = fault.fields.keys().map(String::as_str).collect();
    assert_eq!(fields, ["name", "reason"]);
    assert!(fault.fields["name"].contains("read_only"), "{fault}");
    assert_eq!(list(&test).await, before);
}
