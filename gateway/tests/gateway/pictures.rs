//! Pictures, for browsers: without a key, without the envelope, cacheable forever.

use std::time::Duration;

use axum::body::Body;
use gateway::upstream;
use http::{Request, Response};
use http_body_util::BodyExt as _;
use sqlx::PgPool;
use tower::ServiceExt as _;

use crate::support::{Test, TestConfig, UPSTREAM};

const PART: usize = 256 * 1024;

fn hash() -> String {
    "0123456789abcdef".repeat(4)
}

fn name() -> String {
    format!("{}.jpg", hash())
}

/// A file whose parts all differ.
fn file(size: usize) -> Vec<u8> {
    (0..size)
        .map(|at| u8::try_from(at * 7 / 3 % 251).unwrap())
        .collect()
}

async fn ask(test: &Test, method: &str, path: &str, headers: &[(&str, &str)]) -> Response<Body> {
    let request = Request::builder().method(method).uri(path);
    let request = headers.iter().fold(request, |r, (n, v)| r.header(*n, *v));
    let request = request.body(Body::empty()).unwrap();
    test.router.clone().oneshot(request).await.unwrap()
}

async fn bytes(response: Response<Body>) -> Vec<u8> {
    let whole = response.into_body().collect().await.unwrap();
    whole.to_bytes().to_vec()
}

fn header<'a>(response: &'a Response<Body>, name: &str) -> &'a str {
    response
        .headers()
        .get(name)
        .map_or("", |value| value.to_str().unwrap())
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_picture_needs_no_key_and_is_immutable(pool: PgPool) {
    let test = Test::new(pool).await;
    test.files.insert(&name(), file(1_000));
    let path = format!("/pictures/{}", name());
    // Browsers send an `Origin`.
    let origin = [("origin", "https://mchezo.example")];
    let picture = ask(&test, "GET", &path, &origin).await;
    assert_eq!(picture.status(), 200);
    for (name, value) in [
        ("content-type", "image/jpeg"),
        ("content-length", "1000"),
        (
            "cache-control",
            "public, max-age=31536000, s-maxage=60, immutable",
        ),
        ("etag", &format!("\"{}\"", hash())),
        ("x-content-type-options", "nosniff"),
    ] {
        assert_eq!(header(&picture, name), value, "{name}");
    }
    assert!(header(&picture, "x-request-id").starts_with("req_"));
    assert_eq!(bytes(picture).await, file(1_000));

    // The name says all that the head of a response says, so nobody is asked.
    test.files.take_requests();
    let head = ask(&test, "HEAD", &path, &[]).await;
    assert_eq!(head.status(), 200);
    for name in ["content-type", "cache-control", "etag"] {
        assert_eq!(header(&head, name), header(&get_again(&test).await, name));
    }
    assert_eq!(header(&head, "content-length"), "");
    assert!(bytes(head).await.is_empty());
}

/// The picture, with the requests for it forgotten.
async fn get_again(test: &Test) -> Response<Body> {
    assert!(test.files.take_requests().is_empty());
    let picture = ask(test, "GET", &format!("/pictures/{}", name()), &[]).await;
    test.files.take_requests();
    picture
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_cached_picture_is_not_sent_again(pool: PgPool) {
    let test = Test::new(pool).await;
    test.files.insert(&name(), file(1_000));
    let path = format!("/pictures/{}", name());
    let tag = format!("\"{}\"", hash());
    for known in [tag.clone(), format!("W/{tag}"), format!("\"x\", {tag}")] {
        let response = ask(&test, "GET", &path, &[("if-none-match", &known)]).await;
        assert_eq!(response.status(), 304, "{known}");
        assert_eq!(header(&response, "etag"), tag);
        assert_eq!(header(&response, "content-length"), "");
        assert!(bytes(response).await.is_empty());
    }
    assert!(test.files.take_requests().is_empty());
    let any = ask(&test, "GET", &path, &[("if-none-match", "*")]).await;
    assert_eq!(any.status(), 304);
    let other = ask(&test, "GET", &path, &[("if-none-match", "\"x\"")]).await;
    assert_eq!(other.status(), 200);
    // Only a client that names the tag has the picture.
    let gone = format!("/pictures/{}.jpg", "f".repeat(64));
    let gone = ask(&test, "GET", &gone, &[("if-none-match", "*")]).await;
    assert_eq!(gone.status(), 404);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn an_invalid_name_is_not_requested(pool: PgPool) {
    let test = Test::new(pool).await;
    for path in [
        "/pictures/cover.jpg".to_owned(),
        format!("/pictures/{}", hash()),
        format!("/pictures/{}.JPG", hash()),
        format!("/pictures/..%2f{}.jpg", &hash()[3..]),
        format!("/pictures/%ff{}.jpg", &hash()[1..]),
    ] {
        let response = ask(&test, "GET", &path, &[]).await;
        assert_eq!(response.status(), 404, "{path}");
    }
    assert!(test.files.take_requests().is_empty());
}

#[testing::database_test(gateway::MIGRATOR)]
async fn errors_have_the_envelope_without_a_mode(pool: PgPool) {
    let test = Test::new(pool).await;
    let path = format!("/pictures/{}", name());
    let missing = ask(&test, "GET", &path, &[]).await;
    assert_eq!(missing.status(), 404);
    assert_eq!(header(&missing, "cache-control"), "public, max-age=60");
    let json: serde_json::Value = serde_json::from_slice(&bytes(missing).await).unwrap();
    assert_eq!(json["error"]["code"], "not_found");
    assert!(json["meta"].get("mode").is_none());

    // The method is checked before the name.
    for path in [&*path, "/pictures/xyz", "/pictures/%ff.jpg"] {
        let post = ask(&test, "POST", path, &[]).await;
        assert_eq!(
            (post.status().as_u16(), header(&post, "allow")),
            (405, "GET, HEAD"),
            "{path}"
        );
        assert_eq!(header(&post, "cache-control"), "");
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_large_picture_is_requested_in_parts(pool: PgPool) {
    let test = Test::new(pool).await;
    let size = 3 * PART + 17;
    test.files.insert(&name(), file(size));
    let path = format!("/pictures/{}", name());
    let picture = ask(&test, "GET", &path, &[]).await;
    let mut body = picture.into_body();
    let mut taken = Vec::new();
    // A part is requested only after the part before was received.
    for parts in 1..=4 {
        let part = body.frame().await.unwrap().unwrap().into_data().unwrap();
        taken.extend_from_slice(&part);
        assert_eq!(test.files.request_count(), parts);
    }
    assert!(body.frame().await.is_none());
    assert_eq!(taken, file(size));
    let offsets: Vec<u64> = test
        .files
        .take_requests()
        .iter()
        .map(|(offset, _)| *offset)
        .collect();
    let part = u64::try_from(PART).unwrap();
    assert_eq!(offsets, [0, part, 2 * part, 3 * part]);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_truncated_file_breaks_the_response_off(pool: PgPool) {
    let test = Test::new(pool).await;
    test.files.insert(&name(), file(2 * PART));
    let path = format!("/pictures/{}", name());
    let picture = ask(&test, "GET", &path, &[]).await;
    test.files.insert(&name(), file(PART));
    assert!(picture.into_body().collect().await.is_err());
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_listings_svc_that_hangs_holds_up_no_other_route(pool: PgPool) {
    let with = TestConfig {
        upstream: upstream::CallLimits {
            calls: 2,
            queue_timeout: Duration::from_millis(1),
            // The position hangs as well, and the other route goes on without it.
            position_timeout: Duration::from_millis(1),
            ..UPSTREAM
        },
        ..TestConfig::default()
    };
    let test = Test::with(pool, with).await;
    let key = test.live_key().await;
    test.files.insert(&name(), file(10));
    test.files.hang(true);
    let path = format!("/pictures/{}", name());
    let (first, second, (beyond, games)) = tokio::join!(
        ask(&test, "GET", &path, &[]),
        ask(&test, "GET", &path, &[]),
        async {
            while test.files.request_count() < 2 {
                tokio::task::yield_now().await;
            }
            let beyond = ask(&test, "GET", &path, &[]).await;
            let games = test.get(&key, "/games").await;
            test.files.hang(false);
            (beyond, games)
        }
    );
    assert_eq!([first.status(), second.status()], [200, 200]);
    assert_eq!(beyond.status(), 503);
    assert_eq!(header(&beyond, "retry-after"), "1");
    assert!(games.is_ok());
    assert_eq!(ask(&test, "GET", &path, &[]).await.status(), 200);
}
