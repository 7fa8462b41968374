//! Text is compressed, and a first visit is small.

use std::io::Read as _;

use axum::Router;
use axum::body::Body;
use bytes::Bytes;
use flate2::read::GzDecoder;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, ETAG, IF_NONE_MATCH, VARY};
use http::{HeaderMap, HeaderValue, Request, StatusCode};
use http_body_util::BodyExt as _;
use pages::asset;
use sqlx::PgPool;
use tower::ServiceExt as _;
use web::route::PathKind;
use web::router::routes;

use crate::support::Site;

/// The `Accept-Encoding` of Chromium.
const BROWSER: &str = "gzip, deflate, br, zstd";
/// The maximum size of a first visit, without pictures.
const MOST_BYTES: usize = 60_000;

struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

async fn get(site: &Site, path: &str, headers: &[(http::HeaderName, &str)]) -> Answer {
    let mut request = Request::get(path);
    for (name, value) in headers {
        request = request.header(name, *value);
    }
    send(&site.router, request).await
}

async fn send(router: &Router, request: http::request::Builder) -> Answer {
    let request = request.body(Body::empty()).unwrap();
    let response = router.clone().oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    Answer {
        status: parts.status,
        headers: parts.headers,
        body: body.collect().await.unwrap().to_bytes(),
    }
}

impl Answer {
    fn decoded(&self) -> Vec<u8> {
        let coding = self.headers.get(CONTENT_ENCODING);
        match coding.map(HeaderValue::as_bytes) {
            None => self.body.to_vec(),
            Some(b"zstd") => zstd::decode_all(&self.body[..]).unwrap(),
            Some(b"gzip") => {
                let mut decoded = Vec::new();
                let mut decoder = GzDecoder::new(&self.body[..]);
                decoder.read_to_end(&mut decoded).unwrap();
                decoded
            }
            Some(other) => unreachable!("{other:?}"),
        }
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn text_is_compressed_in_an_accepted_coding(pool: PgPool) {
    let site = Site::new(pool).await;
    for path in [
        "/games/okoto",
        "/games/feed.xml",
        "/events/calendar.ics",
        "/sitemap/games-1.xml",
        "/docs/keys",
        "/docs/keys.md",
        "/docs/all",
        "/llms-full.txt",
        "/sign-in",
    ] {
        let plain = get(&site, path, &[]).await;
        assert!(!plain.headers.contains_key(CONTENT_ENCODING), "{path}");
        for (accepted, coding) in [(BROWSER, "zstd"), ("gzip, deflate", "gzip")] {
            let coded = get(&site, path, &[(ACCEPT_ENCODING, accepted)]).await;
            assert_eq!(coded.status, plain.status, "{path}");
            assert_eq!(coded.headers[CONTENT_ENCODING], coding, "{path}");
            assert_eq!(coded.headers.get(VARY), plain.headers.get(VARY), "{path}");
            let vary = coded.headers[VARY].to_str().unwrap();
            assert!(vary.contains("accept-encoding"), "{path}: {vary}");
            // Pages without a tag contain random ids.
            let Some(tag) = coded.headers.get(ETAG) else {
                continue;
            };
            assert!(coded.decoded() == plain.body, "{path}");
            // The tag is weak, because it names the page in every coding.
            assert!(tag.as_bytes().starts_with(b"W/"), "{path}: {tag:?}");
            assert_eq!(Some(tag), plain.headers.get(ETAG), "{path}");
            let known = [(ACCEPT_ENCODING, accepted), (IF_NONE_MATCH, tag.to_str().unwrap())];
            let again = get(&site, path, &known).await;
            assert_eq!(again.status, 304, "{path}");
            assert!(again.body.is_empty(), "{path}");
            // A cache replaces its stored header with that of the 304.
            assert_eq!(again.headers[VARY], coded.headers[VARY], "{path}");
            assert!(!again.headers.contains_key(CONTENT_ENCODING), "{path}");
        }
    }
    let picture = format!("/pictures/{}", crate::stub_pictures::file());
    let picture = get(&site, &picture, &[(ACCEPT_ENCODING, BROWSER)]).await;
    assert!(!picture.headers.contains_key(CONTENT_ENCODING));
}

/// A response that is compressed when it is sent has no length.
fn assert_is_prepared(answer: &Answer, what: &str) {
    let length = answer.headers.get(CONTENT_LENGTH).map(|length| length.to_str().unwrap());
    assert_eq!(length, Some(&*answer.body.len().to_string()), "{what}");
}

#[testing::database_test(web::MIGRATOR)]
async fn files_and_whole_documents_are_compressed_once(pool: PgPool) {
    let site = Site::with_docs(pool).await;
    let br = [(ACCEPT_ENCODING, "br")];
    let files = asset::all().map(asset::Asset::path);
    let documents = ["/docs/all", "/llms.txt", "/llms-full.txt"].map(ToOwned::to_owned);
    for path in files.into_iter().chain(documents) {
        let (plain, coded) = (get(&site, &path, &[]).await, get(&site, &path, &br).await);
        let again = get(&site, &path, &br).await;
        for answer in [&plain, &coded, &again] {
            assert_eq!(answer.status, 200, "{path}");
            assert_is_prepared(answer, &path);
        }
        // The same memory.
        assert_eq!(coded.body.as_ptr(), again.body.as_ptr(), "{path}");
        // The font has a compression of its own.
        let is_smaller = !path.contains(".woff2");
        assert_eq!(coded.headers.contains_key(CONTENT_ENCODING), is_smaller, "{path}");
        assert_eq!(coded.body.len() < plain.body.len(), is_smaller, "{path}");
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn nothing_is_compressed_for_a_request_that_no_limit_counts(pool: PgPool) {
    let site = Site::new(pool).await;
    for route in routes().into_iter().filter(|route| route.kind == PathKind::Asset) {
        let path = match route.path {
            "/assets/{name}" => asset::STYLE.path(),
            path => path.to_owned(),
        };
        let answer = get(&site, &path, &[(ACCEPT_ENCODING, "br")]).await;
        assert!(answer.status.is_success() || answer.status.is_redirection(), "{path}");
        assert_is_prepared(&answer, &path);
    }
    let exhausted = site.changed(|web| web.admission = site.admission(0, 0));
    let paths = routes().into_iter().filter(|route| route.kind != PathKind::Asset);
    let paths = paths.map(|route| route.path.replace(['{', '}'], ""));
    for path in paths.chain(["/none", "/games/", "/fr/docs/keys"].map(ToOwned::to_owned)) {
        for method in ["GET", "POST", "PUT"] {
            let request = Request::builder().method(method).uri(&path);
            let answer = send(&exhausted, request.header(ACCEPT_ENCODING, "br")).await;
            let what = format!("{method} {path}: {}", answer.status);
            assert!(!answer.status.is_success(), "{what}");
            assert!(!answer.headers.contains_key(CONTENT_ENCODING), "{what}");
            assert_is_prepared(&answer, &what);
        }
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn a_first_visit_is_under_sixty_kilobytes(pool: PgPool) {
    let site = Site::new(pool).await;
    let accepted = [(ACCEPT_ENCODING, BROWSER)];
    let page = get(&site, "/games/okoto", &accepted).await;
    let text = String::from_utf8(page.decoded()).unwrap();
    // The sharing picture has an absolute URL, and browsers do not load it.
    let assets: std::collections::BTreeSet<&str> = text
        .split("=\"/assets/")
        .skip(1)
        // All symbols are in one file.
        .filter_map(|rest| rest.split(['"', '#']).next())
        .collect();
    assert!(assets.len() > 1, "{assets:?}");
    let mut bytes = page.body.len();
    for name in assets {
        let path = format!("/assets/{name}");
        let plain = get(&site, &path, &[]).await;
        let coded = get(&site, &path, &accepted).await;
        assert_eq!(coded.headers[VARY], "accept-encoding", "{name}");
        assert!(coded.decoded() == plain.body, "{name}");
        bytes += coded.body.len();
    }
    assert!(bytes <= MOST_BYTES, "{bytes} bytes");
}
