//! Switches (§7.3): thrown at one replica, met at another, kept over a restart.

use contracts::gateway::v1 as proto;
use contracts::gateway::v1::staff_service_server::StaffService as _;
use kit::{Code, Fault};
use prost::Message as _;
use sqlx::PgPool;
use tonic::Status;

use crate::support::{Held, START, Test, account_key, by_operator};

pub(crate) async fn set(
    test: &Test,
    name: &str,
    on: bool,
    reason: &str,
) -> Result<proto::Switch, Status> {
    let request = proto::SetSwitchRequest {
        name: name.to_owned(),
        on,
        reason: reason.to_owned(),
    };
    let answer = test.staff.set_switch(by_operator(request)).await?;
    Ok(answer.into_inner().switch.unwrap())
}

async fn list(test: &Test) -> proto::ListSwitchesResponse {
    let request = by_operator(proto::ListSwitchesRequest {});
    test.staff
        .list_switches(request)
        .await
        .unwrap()
        .into_inner()
}

/// What a read, `GET /me`, a new game and an edit are answered.
async fn met(test: &Test, key: &Held) -> [&'static str; 4] {
    let calls = [
        key.get("/games"),
        key.get("/me"),
        key.request("POST", "/games"),
        key.request("PATCH", "/events/jam"),
    ];
    let mut codes = [""; 4];
    for (code, call) in codes.iter_mut().zip(calls) {
        let answer = test.call(call).await;
        *code = match answer.refusal() {
            (200, _) => "ok",
            (503, "api_unavailable") => "api_unavailable",
            (503, "module_off") => "module_off",
            (503, "closed") => "closed",
            // There is no body: it is the next thing that is looked at.
            (400, "bad_json") => "bad_json",
            other => unreachable!("{other:?}: {}", answer.text),
        };
        let waits = matches!(*code, "api_unavailable" | "closed");
        assert_eq!(answer.header("retry-after"), if waits { "60" } else { "" });
    }
    codes
}

#[sqlx::test]
async fn a_switch_acts_at_every_replica_and_after_a_restart(pool: PgPool) {
    let (here, mut there) = (Test::new(pool.clone()).await, Test::new(pool.clone()).await);
    let account = here.account("free").await;
    let request = proto::CreateKeyRequest {
        may_write: true,
        ..account_key(&account, "live")
    };
    let live = here.key_like(request.clone()).await.unwrap();
    let mode = "test".to_owned();
    let sample = here
        .key_like(proto::CreateKeyRequest { mode, ..request })
        .await
        .unwrap();
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
            assert_eq!(met(&there, key).await, expected, "{name} {on}");
        }
    }
    set(&here, "api", false, "").await.unwrap();
    let restarted = Test::new(pool).await;
    assert_eq!(met(&restarted, &live).await, ["api_unavailable"; 4]);
}

#[sqlx::test]
async fn paths_that_are_not_there_meet_the_api_s_switch_and_wrong_keys_do_not(pool: PgPool) {
    let mut test = Test::new(pool).await;
    let key = test.live_key().await;
    set(&test, "api", false, "").await.unwrap();
    test.catch_up().await;
    let answer = test.get(&key, "/nowhere").await;
    assert_eq!(answer.refusal(), (503, "api_unavailable"));
    let page = key.get("/games").header("origin", "https://example.org");
    assert_eq!(test.call(page).await.refusal(), (403, "server_only"));
    test.revoke(&key).await;
    let answer = test.get(&key, "/games").await;
    assert_eq!(answer.refusal(), (401, "invalid_key"));
}

#[sqlx::test]
async fn switches_are_listed_with_when_why_and_what_is_not_served(pool: PgPool) {
    let test = Test::new(pool).await;
    let before = list(&test).await;
    let standing: Vec<(&str, bool)> = before
        .switches
        .iter()
        .map(|switch| (switch.name.as_str(), switch.on))
        .collect();
    assert_eq!(
        standing,
        [
            ("api", true),
            ("economy", true),
            ("api_writes", true),
            ("submissions", true),
            ("read_only", false)
        ]
    );

    let thrown = set(&test, "submissions", false, " Reviewers are away ")
        .await
        .unwrap();
    assert_eq!(thrown.reason, "Reviewers are away");
    assert_eq!(thrown.changed_at, Some(kit::timestamp::encode(START)));
    // What stands so already is left as it is, and no news.
    let again = set(&test, "submissions", false, "Other").await.unwrap();
    assert_eq!(again, thrown);
    assert_eq!(list(&test).await.switches[3], thrown);
    let told =
        sqlx::query!("select id, event, revision, state from gateway.feed where entity = 'switch'");
    let told = told.fetch_one(&test.pool).await.unwrap();
    assert_eq!(
        (told.id.as_str(), told.event.as_str(), told.revision),
        ("submissions", "updated", 2)
    );
    assert_eq!(
        proto::Switch::decode(told.state.as_slice()).unwrap(),
        thrown
    );
}

#[sqlx::test]
async fn a_switch_that_is_none_is_refused(pool: PgPool) {
    let test = Test::new(pool).await;
    let refused = set(&test, "light", true, &"x".repeat(201)).await;
    let fault = Fault::from(refused.unwrap_err());
    assert_eq!(fault.code, Code::Invalid);
    let fields: Vec<&str> = fault.fields.keys().map(String::as_str).collect();
    assert_eq!(fields, ["name", "reason"]);
    assert!(fault.fields["name"].contains("read_only"));
}
