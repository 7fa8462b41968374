//! Studios write games and events through the API, and read them again (§3, §4.3). The tests of listings-svc cover the rules.

use std::collections::BTreeMap;

use contracts::public::{Game, OwnListing};
use e2e::{Client, Fleet, Response, Studio};
use reqwest::Method;
use serde_json::{Value, json};

fn event(title: &str) -> Value {
    json!({"title": title, "kind": "meetup", "starts_at": "2027-02-28", "country_code": "GH", "city": "Accra"})
}

/// The kind and the state of each listing of the account.
async fn own(client: &Client) -> BTreeMap<String, (String, String)> {
    let rows: Vec<OwnListing> = client.rows("/me/listings", 3).await;
    let rows = rows.into_iter();
    rows.map(|row| (row.slug, (row.kind, row.status))).collect()
}

#[tokio::test]
async fn a_new_listing_waits_unseen_and_a_change_of_a_public_one_shows_at_once() {
    let studio = Studio::new(&Fleet::shared()).await;
    let title = format!("Ìṣẹ̀lẹ̀ {}", studio.handle);
    let body = json!({"creator": studio.handle, "title": title});
    let made = studio.live.post("/games", &body).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let data = made.data().as_object().unwrap();
    let slug = data["slug"].as_str().unwrap();
    assert_eq!(slug, format!("isele-{}", studio.handle));
    // The ETag is the revision, which If-Match may name (§10.10).
    assert_eq!(made.header("etag"), Some("\"r1\""));
    let path = format!("/games/{slug}");
    let unseen = studio.live.get(&path).await;
    unseen.assert_error(404, "not_found");
    // The owner sees the pending game, and may still change it.
    let tagline = json!({"tagline": "Better"});
    let changed = studio.live.patch(&path, &tagline).await;
    assert_eq!(changed.data()["status"], "pending");
    let made = studio.live.post("/events", &event(&studio.handle)).await;
    assert_eq!(made.data()["slug"], studio.handle.as_str());
    let row = |kind: &str, status: &str| (kind.to_owned(), status.to_owned());
    let expected = [
        (slug.to_owned(), row("game", "pending")),
        (studio.handle.clone(), row("event", "pending")),
        (studio.game.clone(), row("game", "published")),
    ];
    assert_eq!(own(&studio.live).await, BTreeMap::from(expected));

    let path = format!("/games/{}", studio.game);
    let changed = studio.live.patch(&path, &tagline).await;
    let data = changed.data().as_object().unwrap();
    assert_eq!((&data["status"], data.len()), (&json!("published"), 3));
    let game: Game = studio.live.one(&path).await;
    let texts = (game.row.tagline.as_str(), game.description.as_str());
    assert_eq!(texts, ("Better", "Long"));
}

#[tokio::test]
async fn an_account_cannot_write_to_a_page_of_another() {
    let fleet = Fleet::shared();
    let (studio, other) = (Studio::new(&fleet).await, Studio::new(&fleet).await);
    let body = json!({"creator": other.handle, "title": "Not Mine"});
    let refused = studio.live.post("/games", &body).await;
    refused.assert_error(403, "not_yours");
    let path = format!("/games/{}", other.game);
    let refused = studio.live.patch(&path, &json!({})).await;
    refused.assert_error(404, "not_found");
}

#[tokio::test]
async fn a_test_key_and_a_dry_run_say_what_would_happen_and_write_nothing() {
    let mut studio = Studio::new(&Fleet::shared()).await;
    let test = studio.staff.writer(&studio.fleet, &studio.account, "test").await;
    let before = own(&studio.live).await;
    let would =
        |would: &str, status: &str| json!({"dry_run": true, "would": would, "status": status});
    let game = json!({"creator": studio.handle, "title": "Not There"});
    for (client, query) in [(&test, ""), (&studio.live, "?dry_run=true")] {
        for (path, body) in [("/games", &game), ("/events", &event("Not There"))] {
            let made = client.post(&format!("{path}{query}"), body).await;
            let answer = (made.status.as_u16(), made.data());
            assert_eq!(answer, (200, &would("create", "pending")));
        }
    }
    let path = format!("/games/{}?dry_run=true", studio.game);
    let made = studio.live.patch(&path, &json!({"title": "Other"})).await;
    assert_eq!(made.data(), &would("update", "published"));
    // With a bad parameter, the body is only checked.
    let bad = studio.live.post("/games?dry_run=maybe", &game).await;
    bad.assert_error(400, "invalid");
    let fields = bad.body["fields"].as_object().unwrap();
    assert!(fields.contains_key("dry_run") && fields.len() == 1);
    assert_eq!(own(&studio.live).await, before);
}

#[tokio::test]
async fn a_repeated_call_has_its_effect_once() {
    let studio = Studio::new(&Fleet::shared()).await;
    let send = async |path: &str, body: &Value| -> Response {
        let request =
            studio.live.request(Method::POST, path).json(body).header("idempotency-key", "one");
        studio.live.send(request).await
    };
    let replayed = |answer: &Response| {
        let header = answer.header("idempotency-replayed");
        (answer.status.as_u16(), header.map(ToOwned::to_owned))
    };
    let body = json!({"creator": studio.handle, "title": studio.handle});
    let first = send("/games", &body).await;
    assert_eq!(replayed(&first), (201, None));
    let again = send("/games", &body).await;
    assert_eq!(replayed(&again), (201, Some("true".to_owned())));
    assert_eq!(again.data(), first.data());
    let other = json!({"creator": studio.handle, "title": "Other"});
    let refused = send("/games", &other).await;
    refused.assert_error(422, "idempotency_mismatch");
    let other = send("/events", &event(&studio.handle)).await;
    assert_eq!(replayed(&other), (201, None));
}
