//! Studios write: games and events by API, from the key to the read that follows (§3, §4.3).

use std::collections::BTreeMap;

use contracts::public::{Game, OwnListing};
use e2e::{Client, Fleet, Response, Staff};
use reqwest::Method;
use serde_json::{Value, json};

/// A studio: an account with a page, a public game under it, and keys that may write.
pub(crate) struct Studio {
    pub(crate) fleet: Fleet,
    handle: String,
    /// The slug of its public game.
    pub(crate) game: String,
    pub(crate) live: Client,
    test: Client,
}

impl Studio {
    pub(crate) async fn new() -> Self {
        let fleet = Fleet::shared();
        let mut staff = Staff::of(&fleet).await;
        let account = staff.account("unlimited").await;
        let handle = format!("studio-{}", kit::ids::row_id().simple());
        let game = format!("{handle}-game");
        staff.page(&account, &handle).await;
        let row = json!({
            "slug": game, "title": "A Game", "tagline": "Old", "genres": ["puzzle"], "platforms": ["web"], "release_year": 2024,
            "creator": handle, "description": "Long", "links": {"website": "https://studio.example"},
        });
        staff.import("game", &[row]).await;
        let live = staff.writer(&fleet, &account, "live").await;
        let test = staff.writer(&fleet, &account, "test").await;
        Self {
            fleet,
            handle,
            game,
            live,
            test,
        }
    }

    fn body(&self, title: &str) -> Value {
        json!({"creator": self.handle, "title": title})
    }
}

async fn write(client: &Client, method: Method, path: &str, body: &Value) -> Response {
    client.send(client.request(method, path).json(body)).await
}

async fn post(client: &Client, path: &str, body: &Value) -> Response {
    write(client, Method::POST, path, body).await
}

pub(crate) async fn patch(client: &Client, path: &str, body: &Value) -> Response {
    write(client, Method::PATCH, path, body).await
}

fn event(title: &str) -> Value {
    json!({"title": title, "kind": "meetup", "starts_at": "2027-02-28", "country_code": "GH", "city": "Accra"})
}

async fn own(client: &Client) -> BTreeMap<String, (String, String)> {
    let rows: Vec<OwnListing> = client.rows("/me/listings", 3).await;
    let rows = rows.into_iter();
    rows.map(|row| (row.slug, (row.kind, row.status))).collect()
}

#[tokio::test]
async fn a_new_game_waits_unseen() {
    let studio = Studio::new().await;
    let title = format!("Ìṣẹ̀lẹ̀ {}", studio.handle);
    let made = post(&studio.live, "/games", &studio.body(&title)).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let data = made.data().as_object().unwrap();
    let slug = data["slug"].as_str().unwrap();
    assert_eq!(slug, format!("isele-{}", studio.handle));
    assert_eq!(data["status"], "pending");
    assert!(
        data["url"]
            .as_str()
            .unwrap()
            .ends_with(&format!("/games/{slug}"))
    );
    assert!(!data["note"].as_str().unwrap().is_empty() && data.len() == 4);
    // Its revision, which If-Match may name (§10.10).
    assert_eq!(made.header("etag"), Some("\"r1\""));
    studio
        .live
        .get(&format!("/games/{slug}"))
        .await
        .assert_error(404, "not_found");

    // Its maker sees it, and may go on writing it.
    let changed = patch(
        &studio.live,
        &format!("/games/{slug}"),
        &json!({"tagline": "Better"}),
    )
    .await;
    assert_eq!(
        (changed.status.as_u16(), &changed.data()["status"]),
        (200, &json!("pending"))
    );
    let made = post(&studio.live, "/events", &event(&studio.handle)).await;
    assert_eq!(
        (made.status.as_u16(), &made.data()["slug"]),
        (201, &json!(studio.handle))
    );
    let mine = own(&studio.live).await;
    let row = |kind: &str, status: &str| (kind.to_owned(), status.to_owned());
    assert_eq!(mine[slug], row("game", "pending"));
    assert_eq!(mine[&studio.handle], row("event", "pending"));
    assert_eq!(mine[&studio.game], row("game", "published"));
    assert_eq!(mine.len(), 3);
}

#[tokio::test]
async fn a_change_of_a_public_game_shows_at_once() {
    let studio = Studio::new().await;
    let path = format!("/games/{}", studio.game);
    for n in 0..5 {
        let tagline = format!("Line {n}");
        let changed = patch(&studio.live, &path, &json!({ "tagline": tagline })).await;
        assert_eq!(changed.status, 200, "{}", changed.text);
        let data = changed.data().as_object().unwrap();
        assert_eq!(
            (&data["slug"], &data["status"], data.len()),
            (&json!(studio.game), &json!("published"), 3)
        );
        let game: Game = studio.live.one(&path).await;
        assert_eq!(game.row.tagline, tagline);
        assert_eq!(
            (game.description.as_str(), game.row.title.as_str()),
            ("Long", "A Game")
        );
    }
}

#[tokio::test]
async fn a_bad_parameter_is_refused_before_the_body_is_read() {
    let studio = Studio::new().await;
    let before = own(&studio.live).await;
    let path = "/games?dry_run=maybe";
    let refused = post(&studio.live, path, &json!({"title": ""})).await;
    refused.assert_error(400, "invalid");
    let fields = refused.body["fields"].as_object().unwrap();
    assert!(fields.contains_key("dry_run") && fields.len() == 1);
    let path = "/events?dry-run=true";
    let refused = post(&studio.live, path, &event("A Jam")).await;
    refused.assert_error(400, "invalid");
    assert_eq!(own(&studio.live).await, before, "nothing is written");
}

#[tokio::test]
async fn what_is_somebody_elses_is_not_written() {
    let (studio, other) = (Studio::new().await, Studio::new().await);
    let body = other.body("Not Mine");
    post(&studio.live, "/games", &body)
        .await
        .assert_error(403, "not_yours");
    let path = format!("/games/{}", other.game);
    patch(&studio.live, &path, &json!({}))
        .await
        .assert_error(404, "not_found");
    let path = format!("/games/{}", studio.game);
    let given_away = json!({"creator": other.handle});
    patch(&studio.live, &path, &given_away)
        .await
        .assert_error(403, "not_yours");
    patch(&studio.test, &path, &json!({}))
        .await
        .assert_error(404, "not_found");
}

#[tokio::test]
async fn a_test_key_and_a_dry_run_say_what_would_be() {
    let studio = Studio::new().await;
    let before = own(&studio.live).await;
    let would =
        |would: &str, status: &str| json!({"dry_run": true, "would": would, "status": status});
    let game = studio.body("Not There");
    for (client, query) in [(&studio.test, ""), (&studio.live, "?dry_run=true")] {
        for (path, body) in [("/games", &game), ("/events", &event("Not There"))] {
            let made = post(client, &format!("{path}{query}"), body).await;
            assert_eq!(
                (made.status.as_u16(), made.data()),
                (200, &would("create", "pending"))
            );
        }
    }
    let path = format!("/games/{}?dry_run=true", studio.game);
    let made = patch(&studio.live, &path, &json!({"title": "Other"})).await;
    assert_eq!(made.data(), &would("update", "published"));
    let samples: Vec<Value> = studio.test.all("/games", 20).await;
    let path = format!("/games/{}", samples[0]["slug"].as_str().unwrap());
    let made = patch(&studio.test, &path, &json!({"title": "Other"})).await;
    assert_eq!(made.data(), &would("update", "published"));
    assert_eq!(
        studio.test.get(&path).await.data()["title"],
        samples[0]["title"]
    );
    assert_eq!(own(&studio.live).await, before);
    let bad = post(&studio.live, "/games?dry_run=perhaps", &game).await;
    bad.assert_error(400, "invalid");
    assert!(bad.body["fields"]["dry_run"].is_string());
}

#[tokio::test]
async fn a_repeated_call_has_its_effect_once() {
    let studio = Studio::new().await;
    let send = async |path: &str, key: &str, body: &Value| {
        let request = studio.live.request(Method::POST, path).json(body);
        studio
            .live
            .send(request.header("idempotency-key", key))
            .await
    };
    let body = studio.body(&studio.handle);
    send("/games", "one", &json!({}))
        .await
        .assert_error(400, "invalid");
    let first = send("/games", "one", &body).await;
    assert_eq!(
        (first.status.as_u16(), first.header("idempotency-replayed")),
        (201, None)
    );
    let again = send("/games", "one", &body).await;
    assert_eq!(
        (again.status.as_u16(), again.header("idempotency-replayed")),
        (201, Some("true"))
    );
    assert_eq!(again.data(), first.data());
    send("/games", "one", &studio.body("Other"))
        .await
        .assert_error(422, "idempotency_mismatch");
    let other = send("/events", "one", &event(&studio.handle)).await;
    assert_eq!(
        (other.status.as_u16(), other.header("idempotency-replayed")),
        (201, None)
    );
    let refused = send("/games", &"x".repeat(300), &body).await;
    refused.assert_error(400, "invalid");
    assert!(refused.body["fields"]["Idempotency-Key"].is_string());
}
