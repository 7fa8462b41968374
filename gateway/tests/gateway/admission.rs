//! More requests than may run: they queue or are shed. A slow body delays no other request.

use std::time::Duration;

use axum::Router;
use axum::body::Body;
use bytes::Bytes;
use contracts::gateway::v1::CreateKeyRequest;
use futures::{StreamExt as _, stream};
use gateway::overload::admission::LoadLimits;
use gateway::router::router;
use kit::overload::QueueSlot;
use sqlx::PgPool;
use tokio::sync::oneshot;
use tower::ServiceExt as _;

use crate::support::{LONG, Script, Test, TestKey, TestResponse, account_key, send};

/// One request runs and one is queued.
const ONE: LoadLimits = LoadLimits { calls: 1, queued: 1, queue_timeout: LONG, body_timeout: LONG };

async fn get(router: &Router, key: &TestKey, path: &str) -> TestResponse {
    send(router, key.get(path).body(Body::empty()).unwrap()).await
}

fn assert_shed(response: &TestResponse) {
    assert_eq!(response.error(), (503, "unavailable"));
    assert_eq!(response.header("retry-after"), "1");
}

async fn write_key(test: &Test) -> TestKey {
    let account = test.account("free").await;
    let request = CreateKeyRequest { may_write: true, ..account_key(&account, "test") };
    test.key_like(request).await.unwrap()
}

/// A body whose last byte arrives when the sender fires.
fn held_body() -> (oneshot::Sender<()>, Body) {
    let (finish, finished) = oneshot::channel();
    let first = stream::once(async { Ok::<_, std::io::Error>(Bytes::from_static(b"{")) });
    let last = stream::once(async {
        finished.await.unwrap();
        Ok(Bytes::from_static(b"}"))
    });
    (finish, Body::from_stream(first.chain(last)))
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_further_request_queues_and_one_more_is_shed(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let router = router(&test.app, ONE);
    test.catalogue.script(Script::Hang);
    let first = get(&router, &key, "/games");
    let others = async {
        while test.catalogue.calls() < 1 {
            tokio::task::yield_now().await;
        }
        let mut waits = Box::pin(get(&router, &key, "/me"));
        assert!(futures::poll!(&mut waits).is_pending());
        let beyond = get(&router, &key, "/me").await;
        test.catalogue.script(Script::Answer);
        (waits.await, beyond)
    };
    let (first, (waited, beyond)) = tokio::join!(first, others);
    assert!(first.is_ok() && waited.is_ok(), "{}", waited.text);
    assert_shed(&beyond);
    assert_eq!(beyond.json["meta"]["mode"], "live");
}

#[testing::database_test(gateway::MIGRATOR)]
async fn requests_of_one_connection_take_one_place_in_the_queue(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let router = router(&test.app, ONE);
    let slot = QueueSlot::new();
    let queue = || {
        let mut request = key.get("/me").body(Body::empty()).unwrap();
        request.extensions_mut().insert(slot.clone());
        Box::pin(send(&router, request))
    };
    test.catalogue.script(Script::Hang);
    let first = get(&router, &key, "/games");
    let others = async {
        while test.catalogue.calls() < 1 {
            tokio::task::yield_now().await;
        }
        let (mut one, mut other) = (queue(), queue());
        assert!(futures::poll!(&mut one).is_pending() && futures::poll!(&mut other).is_pending());
        test.catalogue.script(Script::Answer);
        [one.await, other.await]
    };
    let (_, answers) = tokio::join!(first, others);
    for answer in answers {
        assert!(answer.is_ok(), "{}", answer.text);
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_body_that_comes_slowly_holds_no_permit(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = write_key(&test).await;
    let router = router(&test.app, ONE);
    let (finish, body) = held_body();
    let slow = send(&router, key.request("POST", "/games").body(body).unwrap());
    tokio::pin!(slow);
    assert!(futures::poll!(&mut slow).is_pending());
    for _ in 0..3 {
        assert!(get(&router, &key, "/me").await.is_ok());
    }
    finish.send(()).unwrap();
    let written = slow.await;
    assert_eq!(written.status, 201, "{}", written.text);
}

/// Its client may take it as slowly as it likes.
#[testing::database_test(gateway::MIGRATOR)]
async fn a_response_that_is_not_taken_holds_no_permit(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let limits = LoadLimits { queued: 0, ..ONE };
    let router = router(&test.app, limits);
    let call = key.get("/games").header("host", "api.example");
    let untaken = router.clone().oneshot(call.body(Body::empty()).unwrap()).await.unwrap();
    assert!(get(&router, &key, "/games").await.is_ok());
    assert!(TestResponse::read(untaken).await.is_ok());
}

/// The answer names the key before the body.
#[testing::database_test(gateway::MIGRATOR)]
async fn a_body_that_times_out_is_bad_json(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = write_key(&test).await;
    let limits = LoadLimits { body_timeout: Duration::from_millis(1), ..ONE };
    let router = router(&test.app, limits);
    for (key, error) in [(&key, (400, "bad_json")), (&test.guess(), (401, "invalid_key"))] {
        let (_finish, body) = held_body();
        let late = send(&router, key.request("POST", "/games").body(body).unwrap()).await;
        assert_eq!(late.error(), error, "{}", late.text);
    }
}
