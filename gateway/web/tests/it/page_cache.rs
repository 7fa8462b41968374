//! A public page is rendered at most once a second, and again after every change of a listing (§1).

use axum::body::Body;
use http::Request;
use http::header::ETAG;
use kit::feed::Position;
use kit::ids;
use sqlx::PgPool;
use time::Duration;
use uuid::Uuid;

use crate::site::get_with;
use crate::support::Site;

const PATH: &str = "/games/okoto";

async fn publish(site: &Site, epoch: Uuid, seq: i64) {
    site.mark.publish(Position { epoch, seq }).await;
}

/// The number of reads of listings since the last call.
fn reads(site: &Site) -> usize {
    site.catalogue.positions.lock().unwrap().drain(..).count()
}

/// Whether a page is rendered anew, judged by its reads.
async fn is_made(site: &Site, path: &str) -> bool {
    reads(site);
    let page = site.browser().get(path).await;
    page.assert(200, "Okoto");
    reads(site) > 0
}

#[testing::database_test(web::MIGRATOR)]
async fn a_cached_page_expires_after_a_change_or_a_second(pool: PgPool) {
    let site = Site::new(pool).await;
    let epoch = ids::row_id();
    publish(&site, epoch, 7).await;
    assert!(is_made(&site, PATH).await);
    assert!(!is_made(&site, PATH).await);
    site.clock.advance(Duration::milliseconds(999));
    assert!(!is_made(&site, PATH).await);
    site.clock.advance(Duration::MILLISECOND);
    assert!(is_made(&site, PATH).await);

    publish(&site, epoch, 8).await;
    assert!(is_made(&site, PATH).await);
    assert!(!is_made(&site, PATH).await);
    publish(&site, ids::row_id(), 8).await;
    assert!(is_made(&site, PATH).await);
}

#[testing::database_test(web::MIGRATOR)]
async fn concurrent_requests_render_a_page_once(pool: PgPool) {
    let site = Site::new(pool).await;
    let epoch = ids::row_id();
    publish(&site, epoch, 7).await;
    site.browser().get(PATH).await.assert(200, "Okoto");
    let of_one = reads(&site);
    publish(&site, epoch, 8).await;
    let (mut one, mut other) = (site.browser(), site.browser());
    let (one, other) = futures::join!(one.get(PATH), other.get(PATH));
    one.assert(200, "Okoto");
    assert_eq!(one.text, other.text);
    assert_eq!(reads(&site), of_one);
}

#[testing::database_test(web::MIGRATOR)]
async fn the_position_is_read_once_a_page(pool: PgPool) {
    let site = Site::new(pool).await;
    let epoch = ids::row_id();
    publish(&site, epoch, 7).await;
    let page = site.app.catalogue.begin_page();
    let first = page.position().await;
    publish(&site, epoch, 8).await;
    assert!(first.is_some());
    assert_eq!(page.position().await, first);
    let next = site.app.catalogue.begin_page();
    assert_ne!(next.position().await, first);
}

#[testing::database_test(web::MIGRATOR)]
async fn without_a_position_in_redis_no_page_is_cached(pool: PgPool) {
    let site = Site::new(pool).await;
    for _ in 0..2 {
        assert!(is_made(&site, PATH).await);
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn a_page_from_the_cache_is_the_same_in_each_language(pool: PgPool) {
    let site = Site::new(pool).await;
    publish(&site, ids::row_id(), 7).await;
    for path in [PATH, "/en/games/okoto", "/fr/games/okoto", "/games?q=okoto"] {
        for language in ["en", "fr"] {
            let header = [("accept-language", language)];
            let mut browser = site.browser();
            let made = get_with(&mut browser, path, &header).await;
            let stored = get_with(&mut browser, path, &header).await;
            assert_eq!(stored.status, 200);
            assert_eq!(stored.text, made.text, "{path} {language}");
            let but_its_id = |page: &crate::browser::Page| {
                let mut headers = page.headers.clone();
                headers.remove("x-request-id");
                headers
            };
            assert_eq!(but_its_id(&stored), but_its_id(&made), "{path} {language}");
            let in_path = path.get(1..3).filter(|it| ["en", "fr"].contains(it));
            assert_eq!(stored.headers["content-language"], in_path.unwrap_or(language));
            let tag = made.headers[ETAG].to_str().unwrap();
            let known = [("accept-language", language), ("if-none-match", tag)];
            let known = get_with(&mut browser, path, &known).await;
            assert_eq!(known.status, 304, "{path} {language}");
        }
    }
}

/// The query is whatever a page does not read: nobody can make a page again and again by changing it.
#[testing::database_test(web::MIGRATOR)]
async fn a_page_is_cached_whatever_follows_its_address(pool: PgPool) {
    let site = Site::new(pool).await;
    publish(&site, ids::row_id(), 7).await;
    for path in [
        "/",
        "/games",
        "/games/okoto",
        "/games/feed.xml",
        "/creators",
        "/events/jam",
        "/events/calendar.ics",
        "/events/jam/calendar.ics",
        "/countries",
        "/countries/NG",
        "/cities",
        "/rankings",
        "/rankings/games/week",
        "/sitemap.xml",
        "/sitemap/games-1.xml",
    ] {
        let made = site.browser().get(path).await;
        assert_eq!(made.status, 200, "{path}");
        assert!(reads(&site) > 0, "{path}");
        for query in ["", "?1", "?x=1&x=2", "?cursor=&done=", "?done=x", "?page=2#top"] {
            let stored = site.browser().get(&format!("{path}{query}")).await;
            assert_eq!(stored.text, made.text, "{path}{query}");
        }
        let head = Request::head(path).body(Body::empty()).unwrap();
        let head = site.browser().send(head).await;
        assert_eq!(head.headers[ETAG], made.headers[ETAG], "{path}");
        assert_eq!(reads(&site), 0, "{path}");
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn a_page_depends_on_the_parameters_that_it_reads(pool: PgPool) {
    let site = Site::new(pool).await;
    publish(&site, ids::row_id(), 7).await;
    assert!(is_made(&site, "/games?q=okoto&country=NG").await);
    assert!(!is_made(&site, "/games?x=1&country=ng&genre=&q=okoto").await);
    for path in ["/games?q=okoto", "/games?q=okoto&cursor=next-1", "/games"] {
        assert!(is_made(&site, path).await, "{path}");
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn an_error_page_is_not_cached(pool: PgPool) {
    let site = Site::new(pool).await;
    publish(&site, ids::row_id(), 7).await;
    for (is_away, status) in [(true, 503), (false, 200)] {
        *site.catalogue.is_away.lock().unwrap() = is_away;
        let page = site.browser().get(PATH).await;
        assert_eq!(page.status, status);
    }
}
