//! A caller of a free account makes the largest errors that it can, and disturbs no other caller.

use std::sync::atomic::{AtomicU32, Ordering};

use e2e::{Client, SmallFleet, Staff, eventually};
use futures::future::join_all;
use reqwest::Method;
use serde_json::json;

/// The connections of the hostile caller, each with one call at a time.
const CONNECTIONS: usize = 4;
/// The calls of each kind that the other caller makes meanwhile.
const CALLS: usize = 200;

/// Bodies that have so many unknown or repeated fields that all names and reasons together exceed the head of an HTTP/2 response.
fn bodies() -> Vec<String> {
    let fields = |count: usize, times: usize, name: &dyn Fn(usize) -> String| {
        let fields = (0..count * times).map(|n| format!("{:?}:1", name(n / times)));
        format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
    };
    let letters = |letter: &str, length: usize| {
        let letter = letter.to_owned();
        move |n: usize| format!("{n:04}{}", letter.repeat(length))
    };
    vec![
        fields(45, 1, &letters("a", 36)),
        fields(23, 1, &letters("ኢ", 25)),
        fields(300, 2, &letters("a", 96)),
        fields(100, 2, &letters("ኢ", 96)),
    ]
}

async fn make_errors(client: &Client, bodies: &[String], errors: &AtomicU32) {
    loop {
        for body in bodies {
            let request = client.request(Method::POST, "/games").body(body.clone());
            let refused = client.send(request).await;
            refused.assert_error(400, "invalid");
            let fields = refused.body["fields"].as_object().unwrap();
            assert!(!fields.is_empty(), "{}", refused.text);
            errors.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[tokio::test]
#[ignore = "long: thousands of errors of many fields"]
async fn a_caller_that_makes_large_errors_disturbs_no_other() {
    let mut small = SmallFleet::patient();
    let fleet = small.up().await;
    let mut staff = Staff::of(&fleet).await;

    let hostile = staff.account("unlimited").await;
    let mut connections = Vec::new();
    for _ in 0..CONNECTIONS {
        connections.push(staff.writer(&fleet, &hostile, "test").await);
    }
    let other = staff.account("unlimited").await;
    staff.page(&other, "undisturbed").await;
    let row = json!({"slug": "calm", "title": "Calm", "creator": "undisturbed", "release_year": 2024, "genres": ["puzzle"]});
    staff.import("game", &[row]).await;
    let live = staff.writer(&fleet, &other, "live").await;
    let test = staff.writer(&fleet, &other, "test").await;

    let (bodies, errors) = (bodies(), AtomicU32::new(0));
    let hostile = join_all(
        connections
            .iter()
            .map(|client| make_errors(client, &bodies, &errors)),
    );
    let undisturbed = async {
        for n in 0..CALLS {
            let tagline = json!({ "tagline": format!("Change {n}") });
            let changed = live.patch("/games/calm", &tagline).await;
            assert_eq!(changed.status, 200, "{}", changed.text);
            let game = json!({"title": format!("Calm {n}"), "creator": "undisturbed"});
            let made = test.post("/games", &game).await;
            assert_eq!(made.status, 200, "{}", made.text);
            let read = live.get("/games/calm").await;
            assert_eq!(read.data()["tagline"], tagline["tagline"]);
        }
        // Each connection has made errors meanwhile.
        eventually("errors are made", async || {
            (errors.load(Ordering::Relaxed) >= 100).then_some(())
        })
        .await;
    };
    tokio::select! {
        _ = hostile => {}
        () = undisturbed => {}
    }
}
