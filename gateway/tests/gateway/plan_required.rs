//! Endpoints that a plan lacks (§7, §8).

use contracts::gateway::v1 as proto;
use contracts::gateway::v1::staff_service_server::StaffService as _;
use gateway::domain::plan::ENDPOINTS;
use gateway::domain::plan_table;
use sqlx::PgPool;

use crate::support::{Test, TestConfig, TestKey, account_key, by_operator};

/// Plans `free`, `build` and `partner`, each with a list of endpoints that it lacks, such as `"games", "events"`.
fn table(free: &str, build: &str, partner: &str) -> TestConfig {
    let plan = |name: &str, title: &str, lacks: &str| {
        format!(
            "[[plan]]\nname = \"{name}\"\ntitle = \"{title}\"\nwebhook_events = false\nlacks = [{lacks}]\n"
        )
    };
    let table = [
        plan("free", "Free", free),
        plan("build", "Build", build),
        plan("partner", "Partner", partner),
    ];
    TestConfig {
        plans: plan_table::parse(&table.concat()).unwrap(),
        ..TestConfig::default()
    }
}

fn all() -> String {
    let quoted: Vec<String> = ENDPOINTS.iter().map(|name| format!("\"{name}\"")).collect();
    quoted.join(", ")
}

/// Paths of each endpoint, with the status for callers that have it.
const PATHS: [(&str, &str, u16); 16] = [
    ("games", "/games", 200),
    ("games", "/games/kora", 200),
    ("genres", "/genres", 200),
    ("creators", "/creators", 200),
    ("creators", "/creators/kora", 200),
    ("countries", "/countries", 200),
    ("countries", "/countries/kora", 200),
    ("cities", "/cities", 200),
    ("events", "/events", 200),
    ("events", "/events/kora", 200),
    ("search", "/search?q=kora", 200),
    ("rankings", "/rankings/games/week", 200),
    ("economy", "/economy/rates", 200),
    ("economy", "/economy/currencies", 200),
    ("economy", "/economy/report", 405),
    ("tips", "/play/tips", 405),
];

async fn keys(test: &Test) -> (TestKey, TestKey) {
    crate::keys::publish(test, "kora", true).await;
    let account = test.account("free").await;
    let secret = async |mode: &str| {
        let request = proto::CreateKeyRequest {
            kind: "secret".to_owned(),
            game: Some("kora".to_owned()),
            ..account_key(&account, mode)
        };
        test.key_like(request).await
    };
    let live = secret("live").await.unwrap();
    // Games of the directory are live; the test key is the account's.
    let sample = match secret("test").await {
        Ok(key) => key,
        Err(_) => test.key(&account, "test").await,
    };
    (live, sample)
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_plan_can_lack_each_endpoint_and_test_keys_have_all(pool: PgPool) {
    for endpoint in ENDPOINTS {
        assert!(
            PATHS.iter().any(|(name, ..)| name == endpoint),
            "{endpoint} has no path here"
        );
        let lacked = format!("\"{endpoint}\"");
        let test = Test::with(pool.clone(), table(&lacked, "", "")).await;
        let (live, sample) = keys(&test).await;
        for (name, path, usual) in PATHS {
            let response = test.get(&live, path).await;
            if name == *endpoint {
                assert_eq!(response.error(), (403, "plan_required"), "{path}");
                let message = response.json["error"]["message"].as_str().unwrap();
                let expected =
                    format!("Your plan Free does not include {endpoint}. The plan Build does.");
                assert_eq!(message, expected);
            } else {
                assert_eq!(response.status.as_u16(), usual, "{path}: {}", response.text);
            }
            // A test key of an account may not use the routes of games.
            if !["economy", "tips"].contains(&name) {
                let response = test.get(&sample, path).await;
                assert_eq!(response.status.as_u16(), usual, "{path}: {}", response.text);
            }
        }
        assert!(test.get(&live, "/me").await.is_ok(), "/me is on every plan");
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_message_names_the_cheapest_sufficient_plan(pool: PgPool) {
    for (build, partner, way_out) in [
        ("", "", "The plan Build does."),
        ("\"games\"", "", "The plan Partner does."),
        (
            "\"games\"",
            "\"games\"",
            "No plan includes it; a test key can call it.",
        ),
    ] {
        let test = Test::with(pool.clone(), table("\"games\", \"search\"", build, partner)).await;
        let account = test.account("free").await;
        let key = test.key(&account, "live").await;
        let response = test.get(&key, "/games").await;
        assert_eq!(response.error(), (403, "plan_required"));
        let message = response.json["error"]["message"].as_str().unwrap();
        assert_eq!(
            message,
            format!("Your plan Free does not include games. {way_out}")
        );
        assert_eq!(response.header("ratelimit"), "", "it is not counted");
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_larger_plan_takes_effect(pool: PgPool) {
    let mut test = Test::with(pool, table(&all(), "", "")).await;
    let account = test.account("free").await;
    let key = test.key(&account, "live").await;
    assert_eq!(
        test.get(&key, "/games").await.error(),
        (403, "plan_required")
    );
    let request = proto::SetAccountPlanRequest {
        account_id: account,
        plan: "build".to_owned(),
    };
    test.staff
        .set_account_plan(by_operator(request))
        .await
        .unwrap();
    test.catch_up().await;
    assert!(test.get(&key, "/games").await.is_ok());
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_plan_comes_before_the_permission_the_path_and_the_method(pool: PgPool) {
    let test = Test::with(pool, table(&all(), "", "")).await;
    let account = test.account("free").await;
    let key = test.key(&account, "live").await;
    for (method, path) in [
        ("DELETE", "/games"),
        ("POST", "/creators"),
        ("GET", "/rankings/none/none"),
        ("POST", "/rankings/games/week"),
        ("GET", "/games?limit=0"),
    ] {
        let response = test.call(key.request(method, path)).await;
        assert_eq!(response.error(), (403, "plan_required"), "{method} {path}");
    }
    let page = key.get("/games").header("origin", "https://example.org");
    assert_eq!(test.call(page).await.error(), (403, "server_only"));
    // Plans do not matter for unknown paths.
    assert_eq!(test.get(&key, "/nowhere").await.error(), (404, "not_found"));
}
