//! The economy through the public API: reports, currencies, rates, tips (§2.6 to §2.8, §4.4). The tests of economy-svc cover the rules.

use contracts::public::{Currency, Number, Rate};
use e2e::{Client, Fleet, Studio, eventually};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

async fn studio() -> Studio {
    Studio::new(&Fleet::shared()).await.with_currency().await
}

fn report() -> Value {
    json!({
        "supply": 1_000_000, "minted": 5_000, "burned": 1_000,
        "basket": {"meal": 10, "ride": 5, "wage": 100, "rent": 900},
        "output": 42_000, "active_players": 120, "policy_rate": 12.5,
    })
}

/// All rows of a list without pages.
async fn rows<T: DeserializeOwned>(client: &Client, path: &str) -> Vec<T> {
    let answer = client.get(path).await;
    let rows: Vec<T> = serde_json::from_value(answer.data().clone()).unwrap();
    assert_eq!(answer.body["meta"]["total"], rows.len());
    assert_eq!(answer.body["meta"]["next_cursor"], Value::Null);
    rows
}

/// The slugs of the games whose currencies are listed.
async fn slugs(client: &Client) -> Vec<String> {
    let currencies: Vec<Currency> = rows(client, "/economy/currencies").await;
    currencies.into_iter().map(|it| it.slug).collect()
}

#[tokio::test]
async fn a_report_is_counted_and_its_currency_is_listed_while_its_game_is_public() {
    let studio = studio().await;
    let live = studio.key_of_game("live", "secret").await;
    let answer = live.post("/economy/report", &report()).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    let data = answer.data();
    assert!(data["report"].is_i64() && data["at"].is_string());
    let expected = (&json!(true), &json!(true), &Value::Null);
    assert_eq!((&data["stored"], &data["counted"], &data["held"]), expected);

    let currencies: Vec<Currency> = rows(&live, "/economy/currencies").await;
    let own = currencies.iter().find(|it| it.slug == studio.game).unwrap();
    assert_eq!(own.currency, "Cowrie");
    assert_eq!(own.basket.cost, 600 + 200 + 2_000 + 900);
    assert_eq!(own.policy_rate_pct, Some(Number(12.5)));

    let soon = live.post("/economy/report", &report()).await;
    soon.assert_error(429, "too_soon");
    let wait: u32 = soon.header("retry-after").unwrap().parse().unwrap();
    assert!((3_500..=3_600).contains(&wait), "{wait}");

    // Rates against every other currency. Other tests add currencies and take games down at the same time.
    let from = format!("/economy/rates?from={}", studio.game);
    let (listed, rates) = eventually("no currency comes or goes between two reads", async || {
        let before = slugs(&live).await;
        let rates: Vec<Rate<'_>> = rows(&live, &from).await;
        (before == slugs(&live).await).then_some((before, rates.len()))
    })
    .await;
    assert_eq!(rates, listed.len() - 1);

    // economy-svc follows the feed of listings-svc.
    let other = self::studio().await.key_of_game("live", "secret").await;
    let until_listed = async |is_listed: bool| {
        eventually("the currencies follow the game", async || {
            (slugs(&other).await.contains(&studio.game) == is_listed).then_some(())
        })
        .await;
    };
    // Taking a page down hides its games from others.
    studio.staff.take_down("page", &studio.handle).await;
    until_listed(false).await;
    studio.staff.restore("page", &studio.handle).await;
    until_listed(true).await;
}

#[tokio::test]
async fn tips_are_booked_with_a_secret_or_a_public_key() {
    let studio = studio().await;
    let public = studio.key_of_game("live", "public").await;
    let body = json!({"player": "ada", "amount": 25, "note": "gg"});
    for client in [&studio.key_of_game("live", "secret").await, &public] {
        let answer = client.post("/play/tips", &body).await;
        assert_eq!(answer.status, 201, "{}", answer.text);
        let data = answer.data();
        assert_eq!(data["game"], studio.game.as_str());
        assert_eq!(data["amount"], 25);
        assert!(data["tip"].is_string() && data["at"].is_string());
    }
    let bad = json!({"player": "", "amount": 0});
    let bad = public.post("/play/tips", &bad).await;
    bad.assert_error(400, "invalid");
    let fields: Vec<&String> = bad.body["fields"].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["amount", "player"]);
    let refused = public.get("/economy/rates").await;
    refused.assert_error(403, "secret_key_required");
}

#[tokio::test]
async fn samples_are_for_test_keys_which_write_nothing() {
    let studio = studio().await;
    let test = studio.key_of_game("test", "secret").await;
    let currencies = slugs(&test).await;
    assert!(currencies.len() >= 12);
    assert!(currencies.iter().all(|slug| slug.starts_with("sample-")));
    let rates: Vec<Rate<'_>> = rows(&test, "/economy/rates").await;
    assert_eq!(rates.len(), currencies.len() * (currencies.len() - 1));
    let checked = test.post("/economy/report", &report()).await;
    assert_eq!(checked.status, 200);
    assert_eq!(*checked.data(), json!({"stored": false, "test": true}));
    let tip = json!({"player": "ada", "amount": 5});
    let tip = test.post("/play/tips", &tip).await;
    assert_eq!(tip.status, 200);
    assert_eq!(*tip.data(), json!({"dry_run": true}));
    let live = studio.key_of_game("live", "secret").await;
    assert!(!slugs(&live).await.contains(&studio.game));
}
