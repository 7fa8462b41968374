//! Text is compressed, and a first visit is small.

use std::io::Read as _;

use axum::body::Body;
use bytes::Bytes;
use flate2::read::GzDecoder;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, ETAG, IF_NONE_MATCH, VARY};
use http::{HeaderMap, HeaderValue, Request, StatusCode};
use http_body_util::BodyExt as _;
use sqlx::PgPool;
use tower::ServiceExt as _;

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
    let request = request.body(Body::empty()).unwrap();
    let response = site.router.clone().oneshot(request).await.unwrap();
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
        "/sign-in",
        "/games/none",
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
