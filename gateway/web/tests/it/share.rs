//! What machines read of the public site: canonical URLs, structured data, and the sitemap.

use std::collections::BTreeSet;

use axum::body::Body;
use http::Request;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, SET_COOKIE};
use roxmltree::{Document, Node};
use serde_json::{Value, json};
use sqlx::PgPool;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use web::docs::guides::PATHS;
use web::route::PathKind;
use web::router::routes;
use web::site::robots;

use crate::browser::{Browser, Page};
use crate::support::Site;

const SITEMAP: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";

/// Reads a file twice; the second response must be 304.
pub(crate) async fn file(browser: &mut Browser, path: &str, media_type: &str) -> Page {
    let page = browser.get(path).await;
    assert_eq!(page.status, 200, "{path}: {}", page.text);
    assert_eq!(page.headers[CONTENT_TYPE], media_type, "{path}");
    assert_eq!(page.headers[CACHE_CONTROL], "public, no-cache", "{path}");
    assert!(!page.headers.contains_key(SET_COOKIE), "{path}");
    let again = Request::get(path).header("if-none-match", &page.headers[ETAG]);
    let again = browser.send(again.body(Body::empty()).unwrap()).await;
    assert_eq!(again.status, 304, "{path}");
    assert!(again.text.is_empty(), "{path}");
    page
}

pub(crate) fn children<'a>(node: Node<'a, 'a>, name: &str) -> Vec<Node<'a, 'a>> {
    let children = node.children().filter(|it| it.tag_name().name() == name);
    children.collect()
}

/// The text of an element that occurs once.
#[track_caller]
pub(crate) fn text<'a>(node: Node<'a, 'a>, name: &str) -> &'a str {
    let found = children(node, name);
    assert_eq!(found.len(), 1, "{name} in {node:?}");
    found[0].text().unwrap_or_default()
}

/// The structured data (JSON-LD) of a page.
#[track_caller]
fn structured_data(page: &str) -> Vec<Value> {
    let (_, rest) = page.split_once("<script type=\"application/ld+json\">").unwrap();
    let (data, _) = rest.split_once("</script>").unwrap();
    let data: Value = serde_json::from_str(data).unwrap();
    assert_eq!(data["@context"], "https://schema.org");
    data["@graph"].as_array().unwrap().clone()
}

#[testing::database_test(web::MIGRATOR)]
async fn structured_data_follows_schema_org(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    for (path, kinds) in [
        ("/", &["WebSite"][..]),
        ("/fr/games/okoto", &["BreadcrumbList"]),
        ("/creators/savanna", &["BreadcrumbList"]),
        ("/events/jam", &["Event", "BreadcrumbList"]),
    ] {
        let things = structured_data(&browser.get(path).await.text);
        let found: Vec<&str> = things.iter().map(|it| it["@type"].as_str().unwrap()).collect();
        assert_eq!(found, kinds, "{path}");
    }
    let mut event = structured_data(&browser.get("/events/jam").await.text).swap_remove(0);
    assert!(event["image"].take().is_string());
    let place = json!({
        "@type": "Place", "name": "Lagos, Nigeria",
        "address": {"@type": "PostalAddress", "addressCountry": "NG", "addressLocality": "Lagos"},
    });
    let expected = json!({
        "@type": "Event", "@id": "https://mchezo.example/events/jam", "url": "https://mchezo.example/events/jam",
        "name": "Lagos <Jam>", "image": null, "startDate": "2026-11-22", "endDate": "2026-11-23",
        "eventStatus": "https://schema.org/EventScheduled",
        "eventAttendanceMode": "https://schema.org/MixedEventAttendanceMode",
        "location": [place, {"@type": "VirtualLocation", "url": "https://jam.example/"}],
        "description": "Bring\nseeds.", "sameAs": "https://jam.example/",
    });
    assert_eq!(event, expected);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_studio_s_text_stays_inside_its_element(pool: PgPool) {
    let site = Site::new(pool).await;
    let words = "</script><script>alert('x')</script>\u{2028}\u{b}]]><!--";
    *site.catalogue.words.lock().unwrap() = Some((words.to_owned(), "https://a.example/?<&\"'"));
    let mut browser = site.browser();
    for path in ["/games/okoto", "/creators/savanna", "/events/jam"] {
        let page = browser.get(path).await.text;
        let way = structured_data(&page).pop().unwrap();
        let name = way["itemListElement"][2]["name"].as_str().unwrap();
        assert!(name.starts_with(words), "{path}: {name}");
        assert!(!page.contains("<script>"), "{path}");
    }
    let feed = browser.get("/games/feed.xml").await.text;
    let feed = Document::parse(&feed).unwrap();
    let entry = children(feed.root_element(), "entry")[0];
    assert_eq!(text(entry, "title"), words.replace('\u{b}', ""));
}

#[testing::database_test(web::MIGRATOR)]
async fn pages_have_canonical_urls(pool: PgPool) {
    let site = Site::new(pool).await;
    *site.economy.name.lock().unwrap() = Some("Cowrie".to_owned());
    let mut browser = site.browser();
    for (path, canonical, is_indexed) in [
        ("/terms?from=mail", "/terms", true),
        ("/games/okoto?utm_source=x", "/games/okoto", true),
        ("/fr/games?stage=+&genre=puzzle&x=1", "/fr/games?genre=puzzle", true),
        ("/games?genre=puzzle&country=ng", "/games?genre=puzzle&#38;country=NG", true),
        ("/games?platform=web", "/games?platform=web", true),
        ("/games?stage=released", "/games?stage=released", false),
        ("/games?creator=zzz", "/games?creator=zzz", false),
        ("/events?when=upcoming", "/events", true),
        ("/events?when=past", "/events?when=past", false),
        ("/about/rates?x=1", "/about/rates", true),
        ("/games?cursor=next-1", "/games?cursor=next-1", false),
        ("/games?q=stone", "/games?q=stone", false),
        ("/search?q=okoto", "/search?q=okoto", false),
        ("/countries/NG", "/countries/NG", true),
        ("/games?country=ng", "/games?country=NG", true),
        ("/rankings/games/week", "/rankings/games/week", true),
        ("/rankings/games/week?cursor=next-1", "/rankings/games/week?cursor=next-1", false),
        ("/economy", "/economy", true),
        ("/economy?after=x", "/economy?after=x", false),
        ("/economy/okoto", "/economy/okoto", true),
        ("/economy/okoto?after=x", "/economy/okoto?after=x", false),
    ] {
        let page = browser.get(path).await;
        let link = format!("<link rel=\"canonical\" href=\"https://mchezo.example{canonical}\">");
        page.assert(200, &link);
        assert_eq!(page.text.contains("noindex"), !is_indexed, "{path}");
    }
    browser.get("/games?country=ng").await.assert(200, "<h1 dir=\"auto\">Games · Nigeria</h1>");
    let calendar = "/events/calendar.ics?country=";
    let upper = browser.get(&format!("{calendar}NG")).await;
    let lower = browser.get(&format!("{calendar}ng")).await;
    assert_eq!(upper.text, lower.text);
    let missing = browser.get("/games/none").await;
    assert!(!missing.text.contains("canonical"), "{}", missing.text);
}

#[testing::database_test(web::MIGRATOR)]
async fn the_sitemap_lists_every_public_page(pool: PgPool) {
    let site = Site::with_docs(pool).await;
    *site.economy.name.lock().unwrap() = Some("Cowrie".to_owned());
    let mut browser = site.browser();
    let xml = "application/xml; charset=utf-8";
    let index = file(&mut browser, "/sitemap.xml", xml).await.text;
    let index = Document::parse(&index).unwrap();
    let root = index.root_element();
    assert!(root.has_tag_name((SITEMAP, "sitemapindex")));
    let mut addresses = Vec::new();
    for entry in root.children().filter(Node::is_element) {
        assert!(entry.has_tag_name((SITEMAP, "sitemap")));
        let path = text(entry, "loc").strip_prefix("https://mchezo.example").unwrap();
        let urls = file(&mut browser, path, xml).await.text;
        let urls = Document::parse(&urls).unwrap();
        let root = urls.root_element();
        assert!(root.has_tag_name((SITEMAP, "urlset")));
        for url in root.children().filter(Node::is_element) {
            assert!(url.has_tag_name((SITEMAP, "url")));
            for at in children(url, "lastmod") {
                OffsetDateTime::parse(at.text().unwrap(), &Rfc3339).unwrap();
            }
            let path = text(url, "loc").strip_prefix("https://mchezo.example").unwrap();
            addresses.push(path.to_owned());
        }
    }
    let listings = ["/games/okoto", "/games/kora", "/games/zuri", "/creators/savanna"];
    let others = [
        "/",
        "/games",
        "/terms",
        "/countries/NG",
        "/events/jam",
        "/cities/lagos",
        "/rankings/games/week",
        "/rankings/creators/all",
        "/economy/okoto",
    ];
    for path in listings.iter().chain(&others).chain(PATHS) {
        let found = addresses.iter().filter(|address| address == path);
        assert_eq!(found.count(), 1, "{path} in {addresses:?}");
    }
    let unique: BTreeSet<&String> = addresses.iter().collect();
    assert_eq!(unique.len(), addresses.len(), "{addresses:?}");
    assert!(!addresses.iter().any(|path| path.contains("search?")), "{addresses:?}");
    for path in ["/sitemap/games-2.xml", "/sitemap/pages-2.xml", "/sitemap/x.xml"] {
        assert_eq!(browser.get(path).await.status, 404, "{path}");
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn a_truncated_sitemap_is_not_served(pool: PgPool) {
    let site = Site::new(pool).await;
    *site.catalogue.breaks_off.lock().unwrap() = true;
    let mut browser = site.browser();
    for path in ["/sitemap/games-1.xml", "/sitemap.xml"] {
        assert_eq!(browser.get(path).await.status, 503, "{path}");
    }
    // A file is complete with its last row.
    *site.catalogue.fills_a_file.lock().unwrap() = true;
    for (path, status) in [("/sitemap/games-1.xml", 200), ("/sitemap/games-2.xml", 503)] {
        assert_eq!(browser.get(path).await.status, status, "{path}");
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn a_sitemap_is_read_again_if_a_replica_lags(pool: PgPool) {
    let site = Site::new(pool).await;
    *site.catalogue.lags_once.lock().unwrap() = true;
    assert_eq!(site.browser().get("/sitemap/games-1.xml").await.status, 200);
}

#[testing::database_test(web::MIGRATOR)]
async fn robots_txt_excludes_the_dashboard(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let text = file(&mut browser, "/robots.txt", "text/plain; charset=utf-8").await.text;
    assert!(text.contains("Sitemap: https://mchezo.example/sitemap.xml"), "{text}");
    for route in routes() {
        let is_open = match route.kind {
            PathKind::Public | PathKind::File | PathKind::Docs => !route.path.starts_with("/vote"),
            PathKind::Asset | PathKind::Picture => true,
            PathKind::Dashboard(_) => false,
        };
        assert_eq!(robots::is_allowed(route.path), is_open, "{}", route.path);
    }
    // Files count against the limit of pages.
    for _ in 0..119 {
        browser.get("/robots.txt").await;
    }
    let refused = browser.get("/sitemap.xml").await;
    assert_eq!(refused.status, 429);
    assert_eq!(refused.headers["retry-after"], "60");
}
