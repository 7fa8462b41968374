//! The economy by way of the public interface: reports, currencies, rates, tips (§2.6 to §2.8, §4.4).

use contracts::public::{Currency, Number, Rate};
use e2e::{Client, Fleet, KeyRequest, NewAccount, Response, Staff, WebClient, eventually};
use reqwest::Method;
use serde_json::{Value, json};

/// A game with a currency, and a server with its secret key.
pub(crate) struct Game {
    pub(crate) fleet: Fleet,
    staff: Staff,
    account: NewAccount,
    pub(crate) slug: String,
    pub(crate) live: Client,
}

impl Game {
    pub(crate) async fn new() -> Self {
        let game = Self::without_currency().await;
        let (staff, slug) = (game.staff.clone(), game.slug.clone());
        eventually("economy-svc knows the game", async || {
            staff.currency(&slug, "Cowrie").await.ok()
        })
        .await;
        game
    }

    async fn without_currency() -> Self {
        let fleet = Fleet::shared();
        let mut staff = Staff::of(&fleet).await;
        let account = staff.account("unlimited").await;
        let handle = format!("economy-{}", kit::ids::row_id().simple());
        let slug = format!("{handle}-game");
        staff.page(&account, &handle).await;
        let row = json!({"slug": slug, "title": "A Game", "release_year": 2024, "creator": handle});
        staff.import("game", &[row]).await;
        let live = Self::key(&fleet, &mut staff, &account, &slug, "live", "secret").await;
        Self {
            fleet,
            staff,
            account,
            slug,
            live,
        }
    }

    async fn key(
        fleet: &Fleet,
        staff: &mut Staff,
        account: &NewAccount,
        slug: &str,
        mode: &'static str,
        kind: &'static str,
    ) -> Client {
        let wanted = || KeyRequest {
            mode,
            kind,
            game: Some(slug.to_owned()),
            ..KeyRequest::default()
        };
        let made = eventually("the gateway knows the game", async || {
            staff.clone().try_key(account, wanted()).await.ok()
        })
        .await;
        Client::new(fleet, &made.1)
    }

    async fn another(&mut self, mode: &'static str, kind: &'static str) -> Client {
        Self::key(
            &self.fleet,
            &mut self.staff,
            &self.account,
            &self.slug,
            mode,
            kind,
        )
        .await
    }
}

pub(crate) fn report(meal: u64) -> Value {
    json!({
        "supply": 1_000_000, "minted": 5_000, "burned": 1_000,
        "basket": {"meal": meal, "ride": 5, "wage": 100, "rent": 900},
        "output": 42_000, "active_players": 120, "policy_rate": 12.5,
    })
}

pub(crate) async fn post(client: &Client, path: &str, body: &Value) -> Response {
    client
        .send(client.request(Method::POST, path).json(body))
        .await
}

#[tokio::test]
async fn a_report_is_counted_and_its_currency_is_listed_at_once() {
    let game = Game::new().await;
    let answer = post(&game.live, "/economy/report", &report(10)).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    let data = answer.data();
    assert_eq!(data["stored"], true);
    assert!(data["report"].is_i64() && data["at"].is_string());
    assert_eq!(
        (&data["counted"], &data["held"]),
        (&json!(true), &Value::Null)
    );

    let currencies: Vec<Currency> = rows(&game.live, "/economy/currencies").await;
    let own = currencies
        .iter()
        .find(|currency| currency.slug == game.slug);
    let own = own.unwrap();
    assert_eq!(own.currency, "Cowrie");
    assert_eq!(own.basket.cost, 600 + 200 + 2_000 + 900);
    assert_eq!(own.policy_rate_pct, Some(Number(12.5)));

    let soon = post(&game.live, "/economy/report", &report(10)).await;
    soon.assert_error(429, "too_soon");
    let wait: u32 = soon.header("retry-after").unwrap().parse().unwrap();
    assert!((3_500..=3_600).contains(&wait), "{wait}");

    // Against every other currency. Other tests add currencies and take games down meanwhile.
    let from = format!("/economy/rates?from={}", game.slug);
    let (listed, rates) = eventually("no currency comes or goes between two reads", async || {
        let before = slugs(&game.live).await;
        let rates: Vec<Rate<'_>> = rows(&game.live, &from).await;
        let after = slugs(&game.live).await;
        (before == after).then_some((before, rates.len()))
    })
    .await;
    assert_eq!(rates, listed.len() - 1);
}

/// The games whose currencies are listed.
pub(crate) async fn slugs(client: &Client) -> Vec<String> {
    let currencies: Vec<Currency> = rows(client, "/economy/currencies").await;
    currencies
        .into_iter()
        .map(|currency| currency.slug)
        .collect()
}

async fn rows<T: serde::de::DeserializeOwned>(client: &Client, path: &str) -> Vec<T> {
    let answer = client.get(path).await;
    let rows: Vec<T> = serde_json::from_value(answer.data().clone()).unwrap();
    assert_eq!(answer.body["meta"]["total"], rows.len());
    assert_eq!(answer.body["meta"]["next_cursor"], Value::Null);
    rows
}

#[tokio::test]
async fn tips_are_booked_with_a_secret_or_a_public_key() {
    let mut game = Game::new().await;
    let public = game.another("live", "public").await;
    let body = json!({"player": "ada", "amount": 25, "note": "gg"});
    for client in [&game.live, &public] {
        let answer = post(client, "/play/tips", &body).await;
        assert_eq!(answer.status, 201, "{}", answer.text);
        assert_eq!(answer.data()["game"], game.slug.as_str());
        assert_eq!(answer.data()["amount"], 25);
        assert!(answer.data()["tip"].is_string() && answer.data()["at"].is_string());
    }
    let bad = post(&public, "/play/tips", &json!({"player": "", "amount": 0})).await;
    bad.assert_error(400, "invalid");
    let fields: Vec<&String> = bad.body["fields"].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["amount", "player"]);
    let other = json!({"player": "ada", "amount": 1, "game": "another"});
    post(&public, "/play/tips", &other)
        .await
        .assert_error(404, "not_found");
    public
        .get("/economy/rates")
        .await
        .assert_error(403, "secret_key_required");
}

#[tokio::test]
async fn a_game_that_is_taken_down_is_in_no_rate_until_it_is_back() {
    let (game, other) = (Game::new().await, Game::new().await);
    for game in [&game, &other] {
        let answer = post(&game.live, "/economy/report", &report(10)).await;
        assert_eq!(answer.status, 201, "{}", answer.text);
    }
    let path = format!("/economy/rates?from={}&to={}", other.slug, game.slug);
    let until = async |status: u16| {
        eventually("the rates follow the game", async || {
            (other.live.get(&path).await.status == status).then_some(())
        })
        .await;
    };
    until(200).await;
    game.staff.take_down("game", &game.slug).await;
    until(400).await;
    game.staff.restore("game", &game.slug).await;
    until(200).await;
    // A page that is taken down hides its games: other accounts find neither their slugs nor their names.
    let page = game.slug.strip_suffix("-game").unwrap();
    game.staff.take_down("page", page).await;
    until(400).await;
    assert!(!slugs(&other.live).await.contains(&game.slug));
    let rates = other.live.get("/economy/rates").await;
    assert!(!rates.text.contains(&game.slug), "{}", game.slug);
    let history = format!("/economy/history?game={}", game.slug);
    let refused = other.live.get(&history).await;
    refused.assert_error(400, "invalid");
    game.staff.restore("page", page).await;
    until(200).await;
    assert_eq!(other.live.get(&history).await.status, 200);
}

#[tokio::test]
async fn samples_are_for_test_keys_which_write_nothing() {
    let mut game = Game::new().await;
    let test = game.another("test", "secret").await;
    let currencies: Vec<Currency> = rows(&test, "/economy/currencies").await;
    assert!(currencies.len() >= 12);
    assert!(
        currencies
            .iter()
            .all(|currency| currency.slug.starts_with("sample-"))
    );
    let rates: Vec<Rate<'_>> = rows(&test, "/economy/rates").await;
    assert_eq!(rates.len(), currencies.len() * (currencies.len() - 1));
    let checked = post(&test, "/economy/report", &report(10)).await;
    assert_eq!(checked.status, 200);
    assert_eq!(*checked.data(), json!({"stored": false, "test": true}));
    let tip = post(&test, "/play/tips", &json!({"player": "ada", "amount": 5})).await;
    assert_eq!(
        (tip.status.as_u16(), tip.data()),
        (200, &json!({"dry_run": true}))
    );
    let listed: Vec<Currency> = rows(&game.live, "/economy/currencies").await;
    assert!(listed.iter().all(|currency| currency.slug != game.slug));
}

#[tokio::test]
async fn currencies_and_their_rates_have_pages() {
    let (one, other) = (Game::new().await, Game::new().await);
    for (game, meal) in [(&one, 10), (&other, 25)] {
        let answer = post(&game.live, "/economy/report", &report(meal)).await;
        assert_eq!(answer.status, 201, "{}", answer.text);
    }
    let path = format!("/economy/rates?from={}&to={}", one.slug, other.slug);
    let rates = one.live.get(&path).await;
    let rate = rates.data()[0]["rate"].to_string();
    let mut browser = WebClient::new(&one.fleet);
    // Pages may have the list of currencies of ten seconds ago.
    // The list on the page may be ten seconds old, and have no row for the other currency yet.
    let path = format!("/economy/{}", one.slug);
    eventually("the rate is on the page of the currency", async || {
        browser.get(&path).await.text.contains(&rate).then_some(())
    })
    .await;
    let french = browser.get(&format!("/fr{path}")).await;
    let rate = rate.replace('.', ",");
    assert!(
        french.text.contains(&rate),
        "{rate} is not in {}",
        french.text
    );
    for slug in [&one.slug, &other.slug] {
        let currency = browser.get(&format!("/economy/{slug}")).await;
        assert!(currency.text.contains("Cowrie of A Game"), "{slug}");
        let game = browser.get(&format!("/games/{slug}")).await;
        let link = format!("href=\"/economy/{slug}\"");
        assert!(game.text.contains(&link), "{slug}");
    }
}
