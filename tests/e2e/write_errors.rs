//! What refuses a write (§7), the same at each of the four calls; and that a refused write changes nothing.

use std::time::{Duration, Instant};

use e2e::{Client, Fleet, KeyRequest, NewAccount, Staff, guess};
use futures::future::join_all;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

/// An account with a page, a public game under it and an event, and a key of it that may write.
struct Owner {
    fleet: Fleet,
    staff: Staff,
    account: NewAccount,
    /// The handle of its page.
    handle: String,
    writer: Client,
    calls: [Call; 4],
}

/// One of the calls that write.
#[derive(Clone)]
struct Call {
    method: Method,
    path: String,
    /// What it accepts.
    body: Value,
}

impl Call {
    fn by(&self, client: &Client) -> RequestBuilder {
        client.request(self.method.clone(), &self.path)
    }

    fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

impl Owner {
    async fn new() -> Self {
        let fleet = Fleet::shared();
        let mut staff = Staff::of(&fleet).await;
        let account = staff.account("unlimited").await;
        let handle = format!("owner-{}", kit::ids::row_id().simple());
        staff.page(&account, &handle).await;
        let game = format!("{handle}-game");
        let row = json!({"slug": game, "title": "A Game", "creator": handle, "release_year": 2024, "genres": ["puzzle"]});
        staff.import("game", &[row]).await;
        let writer = staff.writer(&fleet, &account, "live").await;
        let event = json!({"title": handle, "kind": "jam", "starts_at": "2030-01-01", "country_code": "GH", "city": "Accra"});
        let made = writer
            .send(writer.request(Method::POST, "/events").json(&event))
            .await;
        let slug = made.data()["slug"].as_str().unwrap().to_owned();
        let call = |method, path: &str, body| Call {
            method,
            path: path.to_owned(),
            body,
        };
        let calls = [
            call(
                Method::POST,
                "/games",
                json!({"creator": handle, "title": "New"}),
            ),
            call(
                Method::PATCH,
                &format!("/games/{game}"),
                json!({"tagline": "New"}),
            ),
            call(Method::POST, "/events", event),
            call(
                Method::PATCH,
                &format!("/events/{slug}"),
                json!({"title": "New"}),
            ),
        ];
        Self {
            fleet,
            staff,
            account,
            handle,
            writer,
            calls,
        }
    }

    /// A caller with another key of the account.
    async fn with(&mut self, wanted: KeyRequest) -> Client {
        let (_, secret) = self.staff.key(&self.account, wanted).await;
        Client::new(&self.fleet, &secret)
    }

    /// What it has listed, and what its game says.
    async fn standing(&self) -> (Vec<Value>, Value) {
        let game = self.writer.get(&self.calls[1].path).await;
        (
            self.writer.all("/me/listings", 20).await,
            game.data().clone(),
        )
    }
}

#[tokio::test]
async fn every_call_is_refused_in_the_same_way() {
    let mut owner = Owner::new().await;
    let before = owner.standing().await;
    let reader = owner.with(KeyRequest::live()).await;
    let nobody = Client::anonymous(&owner.fleet);
    let guessed = Client::new(&owner.fleet, &guess());
    let writer = &owner.writer;
    for call in &owner.calls {
        let from_page = |client| call.by(client).header("origin", "https://page.example");
        for (request, status, code) in [
            (call.by(&nobody).json(&call.body), 401, "missing_key"),
            (call.by(&guessed).json(&call.body), 401, "invalid_key"),
            (call.by(&reader).json(&call.body), 403, "write_not_allowed"),
            (from_page(writer).json(&call.body), 403, "server_only"),
            (call.by(writer).body("[1]"), 400, "bad_json"),
            (call.by(writer).body("{"), 400, "bad_json"),
            (call.by(writer).json(&json!({"title": ""})), 400, "invalid"),
            (call.by(writer).json(&json!({"kind": 1})), 400, "invalid"),
        ] {
            let answer = writer.send(request).await;
            assert_eq!(
                (answer.status.as_u16(), answer.code()),
                (status, code),
                "{}: {}",
                call.name(),
                answer.text
            );
        }
    }
    assert_eq!(owner.standing().await, before);
}

#[tokio::test]
async fn what_is_not_the_callers_is_refused() {
    let (owner, other) = (Owner::new().await, Owner::new().await);
    let before = other.standing().await;
    let [new_game, game, _, event] = &owner.calls;
    let theirs = json!({"creator": other.handle, "title": "New"});
    for call in [new_game, game] {
        let answer = owner.writer.send(call.by(&owner.writer).json(&theirs));
        answer.await.assert_error(403, "not_yours");
    }
    let [_, their_game, _, their_event] = &other.calls;
    let nothing = |path: &str| Call {
        path: path.to_owned(),
        ..game.clone()
    };
    for call in [
        their_game,
        their_event,
        &nothing("/games/no-such-game"),
        &nothing("/games/No%20Slug"),
        &nothing("/events/no-such-event"),
        // A game's slug names no event.
        &nothing(&event.path.replace("/events/", "/games/")),
    ] {
        let answer = owner.writer.send(call.by(&owner.writer).json(&call.body));
        answer.await.assert_error(404, "not_found");
    }
    assert_eq!(other.standing().await, before);
}

#[tokio::test]
async fn calls_of_a_minute_end_for_writes_too() {
    let fleet = Fleet::shared();
    let mut staff = Staff::of(&fleet).await;
    let account = staff.account("free").await;
    let writer = staff.writer(&fleet, &account, "live").await;
    // Refused or not, each is a call.
    let calls = (0..80).map(|_| {
        let request = writer.request(Method::PATCH, "/games/no-such-game");
        writer.send(request.json(&json!({})))
    });
    let began = Instant::now();
    let answers = join_all(calls).await;
    let took = began.elapsed();
    let of = |code: &str| {
        answers
            .iter()
            .filter(|answer| answer.code() == code)
            .count()
    };
    assert_eq!(of("not_found") + of("rate_limited"), 80);
    // On a slow machine, the calls may lie in two minutes.
    if took < Duration::from_mins(1) {
        assert_eq!(of("rate_limited"), 20);
    }
    for refused in answers.iter().filter(|answer| answer.status == 429) {
        let wait: u32 = refused.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=60).contains(&wait));
    }
}
