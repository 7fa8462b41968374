//! Pictures, for browsers: no key, no envelope, kept for good.

use std::time::Duration;

use axum::body::Body;
use gateway::upstream;
use http::{Request, Response};
use http_body_util::BodyExt as _;
use sqlx::PgPool;
use tower::ServiceExt as _;

use crate::support::{Test, With};

const PART: usize = 256 * 1024;

fn hash() -> String {
    "0123456789abcdef".repeat(4)
}

fn name() -> String {
    format!("{}.jpg", hash())
}

/// A file of so many bytes, no two parts of which are the same.
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

#[sqlx::test]
async fn a_picture_needs_no_key_and_is_kept_for_good(pool: PgPool) {
    let test = Test::new(pool).await;
    test.files.hold(&name(), file(1_000));
    let path = format!("/pictures/{}", name());
    // A browser says where the page comes from.
    let origin = [("origin", "https://mchezo.example")];
    let picture = ask(&test, "GET", &path, &origin).await;
    assert_eq!(picture.status(), 200);
    for (name, value) in [
        ("content-type", "image/jpeg"),
        ("content-length", "1000"),
        ("cache-control", "public, max-age=31536000, immutable"),
        ("etag", &format!("\"{}\"", hash())),
        ("x-content-type-options", "nosniff"),
    ] {
        assert_eq!(header(&picture, name), value, "{name}");
    }
    assert!(header(&picture, "x-request-id").starts_with("req_"));
    assert_eq!(bytes(picture).await, file(1_000));

    let head = ask(&test, "HEAD", &path, &[]).await;
    assert_eq!(
        (head.status().as_u16(), header(&head, "content-length")),
        (200, "1000")
    );
    assert!(bytes(head).await.is_empty());
}

#[sqlx::test]
async fn who_has_it_is_not_sent_it(pool: PgPool) {
    let test = Test::new(pool).await;
    test.files.hold(&name(), file(1_000));
    let path = format!("/pictures/{}", name());
    let tag = format!("\"{}\"", hash());
    for known in [
        tag.clone(),
        format!("W/{tag}"),
        format!("\"x\", {tag}"),
        "*".to_owned(),
    ] {
        let answer = ask(&test, "GET", &path, &[("if-none-match", &known)]).await;
        assert_eq!(answer.status(), 304, "{known}");
        assert_eq!(header(&answer, "etag"), tag);
        assert_eq!(header(&answer, "content-length"), "");
        assert!(bytes(answer).await.is_empty());
    }
    // Nothing but the head was asked for.
    assert!(test.files.asked().iter().all(|(_, most)| *most == 0));
    let other = ask(&test, "GET", &path, &[("if-none-match", "\"x\"")]).await;
    assert_eq!(other.status(), 200);
    // What is not there is not there, whatever somebody claims to have.
    let gone = format!("/pictures/{}.jpg", "f".repeat(64));
    let gone = ask(&test, "GET", &gone, &[("if-none-match", "*")]).await;
    assert_eq!(gone.status(), 404);
}

#[sqlx::test]
async fn what_is_no_name_is_not_asked_for(pool: PgPool) {
    let test = Test::new(pool).await;
    for path in [
        "/pictures/cover.jpg".to_owned(),
        format!("/pictures/{}", hash()),
        format!("/pictures/{}.JPG", hash()),
        format!("/pictures/..%2f{}.jpg", &hash()[3..]),
        format!("/pictures/%ff{}.jpg", &hash()[1..]),
    ] {
        let answer = ask(&test, "GET", &path, &[]).await;
        assert_eq!(answer.status(), 404, "{path}");
    }
    assert!(test.files.asked().is_empty());
}

#[sqlx::test]
async fn a_refusal_has_the_envelope_without_a_mode(pool: PgPool) {
    let test = Test::new(pool).await;
    let path = format!("/pictures/{}", name());
    let missing = ask(&test, "GET", &path, &[]).await;
    assert_eq!(missing.status(), 404);
    assert_eq!(header(&missing, "cache-control"), "public, max-age=60");
    let json: serde_json::Value = serde_json::from_slice(&bytes(missing).await).unwrap();
    assert_eq!(json["error"]["code"], "not_found");
    assert!(json["meta"].get("mode").is_none());

    // The method is wrong whatever the name is.
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

#[sqlx::test]
async fn a_large_one_comes_in_parts_as_they_are_taken(pool: PgPool) {
    let test = Test::new(pool).await;
    let size = 3 * PART + 17;
    test.files.hold(&name(), file(size));
    let path = format!("/pictures/{}", name());
    let picture = ask(&test, "GET", &path, &[]).await;
    let mut body = picture.into_body();
    let mut taken = Vec::new();
    // No part is asked for before the one before it was taken.
    for parts in 1..=4 {
        let part = body.frame().await.unwrap().unwrap().into_data().unwrap();
        taken.extend_from_slice(&part);
        assert_eq!(test.files.waiting(), parts);
    }
    assert!(body.frame().await.is_none());
    assert_eq!(taken, file(size));
    let offsets: Vec<u64> = test
        .files
        .asked()
        .iter()
        .map(|(offset, _)| *offset)
        .collect();
    let part = u64::try_from(PART).unwrap();
    assert_eq!(offsets, [0, part, 2 * part, 3 * part]);
}

#[sqlx::test]
async fn a_file_that_is_cut_off_breaks_the_answer_off(pool: PgPool) {
    let test = Test::new(pool).await;
    test.files.hold(&name(), file(2 * PART));
    let path = format!("/pictures/{}", name());
    let picture = ask(&test, "GET", &path, &[]).await;
    test.files.hold(&name(), file(PART));
    assert!(picture.into_body().collect().await.is_err());
}

#[sqlx::test]
async fn a_listings_svc_that_hangs_holds_up_no_other_route(pool: PgPool) {
    let with = With {
        upstream: upstream::Bounds {
            deadline: Duration::from_secs(1),
            write_deadline: Duration::from_secs(1),
            calls: 2,
            patience: Duration::from_millis(1),
        },
        ..With::default()
    };
    let test = Test::with(pool, with).await;
    let key = test.live_key().await;
    test.files.hold(&name(), file(10));
    test.files.hang(true);
    let path = format!("/pictures/{}", name());
    let (first, second, (beyond, games)) = tokio::join!(
        ask(&test, "GET", &path, &[]),
        ask(&test, "GET", &path, &[]),
        async {
            while test.files.waiting() < 2 {
                tokio::task::yield_now().await;
            }
            (
                ask(&test, "GET", &path, &[]).await,
                test.get(&key, "/games").await,
            )
        }
    );
    for answer in [first, second, beyond] {
        assert_eq!(answer.status(), 503);
        assert_eq!(header(&answer, "retry-after"), "1");
    }
    assert!(games.is_ok());
    test.files.hang(false);
    assert_eq!(ask(&test, "GET", &path, &[]).await.status(), 200);
}
