//! What machines read of the public site: addresses, structured data, the sitemap, feeds.

use std::collections::BTreeSet;

use axum::body::Body;
use http::Request;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, SET_COOKIE};
use roxmltree::{Document, Node};
use serde_json::json;
use sqlx::PgPool;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use tower::ServiceExt as _;
use web::layers::access::Access;
use web::router::routes;
use web::site::robots;

use crate::browser::{Browser, Page};
use crate::schema_org;
use crate::support::Site;

const ATOM: &str = "http://www.w3.org/2005/Atom";
const SITEMAP: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";

/// Reads a file, and reads it again, which must cost nothing.
async fn file(browser: &mut Browser, path: &str, media_type: &str) -> Page {
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

fn children<'a>(node: Node<'a, 'a>, name: &str) -> Vec<Node<'a, 'a>> {
    let children = node.children().filter(|it| it.tag_name().name() == name);
    children.collect()
}

/// The text of an element that is there once.
#[track_caller]
fn text<'a>(node: Node<'a, 'a>, name: &str) -> &'a str {
    let found = children(node, name);
    assert_eq!(found.len(), 1, "{name} in {node:?}");
    found[0].text().unwrap_or_default()
}

#[sqlx::test(migrator = "web::MIGRATOR")]
async fn structured_data_is_what_schema_org_says(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    for (path, kind) in [
        ("/", "WebSite"),
        ("/games/okoto", "VideoGame"),
        ("/fr/games/okoto", "VideoGame"),
        ("/creators/savanna", "Organization"),
        ("/events/jam", "Event"),
    ] {
        let things = schema_org::read(&browser.get(path).await.text);
        assert_eq!(things[0]["@type"], kind, "{path}");
        assert_eq!(things.len(), if path == "/" { 1 } else { 2 }, "{path}");
    }
    let game = &schema_org::read(&browser.get("/fr/games/okoto").await.text)[0];
    assert_eq!(game["@id"], "https://mchezo.example/games/okoto");
    assert_eq!(game["url"], "https://mchezo.example/fr/games/okoto");
    assert_eq!(game["name"], "Okoto <b>");
    assert_eq!(game["genre"], json!(["Réflexion"]));
    assert_eq!(game["datePublished"], "2024");
    assert_eq!(game["dateModified"], "2026-11-01T00:00:00Z");
    // Links that are not https, and pictures of others, are nobody's.
    assert_eq!(game["sameAs"], json!(["https://store.example/?a&b"]));
    assert_eq!(game["screenshot"].as_array().unwrap().len(), 1);
    let event = &schema_org::read(&browser.get("/events/jam").await.text)[0];
    assert_eq!(event["startDate"], "2026-11-22");
    assert_eq!(event["endDate"], "2026-11-23");
    assert_eq!(event["location"][1]["url"], "https://jam.example/");
}

#[sqlx::test(migrator = "web::MIGRATOR")]
async fn a_studio_s_text_stays_inside_its_element(pool: PgPool) {
    let site = Site::new(pool).await;
    let words = "</script><script>alert('x')</script>\u{2028}\u{b}]]><!--";
    *site.catalogue.words.lock().unwrap() = Some((words.to_owned(), "https://a.example/?<&\"'"));
    let mut browser = site.browser();
    for path in ["/games/okoto", "/creators/savanna", "/events/jam"] {
        let page = browser.get(path).await.text;
        let things = schema_org::read(&page);
        assert_eq!(things[0]["name"], words, "{path}");
        assert!(!page.contains("<script>"), "{path}");
    }
    for path in ["/games/feed.xml", "/events/feed.xml"] {
        let feed = browser.get(path).await.text;
        let feed = Document::parse(&feed).unwrap();
        let entry = children(feed.root_element(), "entry")[0];
        let title = words.replace('\u{b}', "");
        assert_eq!(text(entry, "title"), title, "{path}");
    }
}

#[sqlx::test(migrator = "web::MIGRATOR")]
async fn pages_have_one_address_for_search_engines(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    for (path, canonical, is_indexed) in [
        ("/terms?from=mail", "/terms", true),
        ("/games/okoto?utm_source=x", "/games/okoto", true),
        (
            "/fr/games?stage=&genre=puzzle&x=1",
            "/fr/games?genre=puzzle",
            true,
        ),
        ("/games?cursor=next-1", "/games?cursor=next-1", false),
        ("/games?q=stone", "/games?q=stone", false),
        ("/search?q=okoto", "/search?q=okoto", false),
        ("/countries/ng", "/countries/NG", true),
    ] {
        let page = browser.get(path).await;
        let link = format!("<link rel=\"canonical\" href=\"https://mchezo.example{canonical}\">");
        page.assert(200, &link);
        assert_eq!(page.text.contains("noindex"), !is_indexed, "{path}");
    }
    let missing = browser.get("/games/none").await;
    assert!(!missing.text.contains("canonical"), "{}", missing.text);
}

#[sqlx::test(migrator = "web::MIGRATOR")]
async fn the_sitemap_names_what_there_is(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let xml = "application/xml; charset=utf-8";
    let index = file(&mut browser, "/sitemap.xml", xml).await.text;
    let index = Document::parse(&index).unwrap();
    let root = index.root_element();
    assert!(root.has_tag_name((SITEMAP, "sitemapindex")));
    let mut addresses = Vec::new();
    for entry in root.children().filter(Node::is_element) {
        assert!(entry.has_tag_name((SITEMAP, "sitemap")));
        let path = text(entry, "loc")
            .strip_prefix("https://mchezo.example")
            .unwrap();
        let urls = file(&mut browser, path, xml).await.text;
        let urls = Document::parse(&urls).unwrap();
        let root = urls.root_element();
        assert!(root.has_tag_name((SITEMAP, "urlset")));
        for url in root.children().filter(Node::is_element) {
            assert!(url.has_tag_name((SITEMAP, "url")));
            for at in children(url, "lastmod") {
                OffsetDateTime::parse(at.text().unwrap(), &Rfc3339).unwrap();
            }
            let path = text(url, "loc")
                .strip_prefix("https://mchezo.example")
                .unwrap();
            addresses.push(path.to_owned());
        }
    }
    let listings = [
        "/games/okoto",
        "/games/kora",
        "/games/zuri",
        "/creators/savanna",
    ];
    let others = [
        "/",
        "/games",
        "/terms",
        "/countries/NG",
        "/events/jam",
        "/cities/lagos",
    ];
    for path in listings.iter().chain(&others) {
        let found = addresses.iter().filter(|address| address == path);
        assert_eq!(found.count(), 1, "{path} in {addresses:?}");
    }
    let unique: BTreeSet<&String> = addresses.iter().collect();
    assert_eq!(unique.len(), addresses.len(), "{addresses:?}");
    assert!(
        !addresses.iter().any(|path| path.contains("search?")),
        "{addresses:?}"
    );
    for path in [
        "/sitemap/games-2.xml",
        "/sitemap/pages-2.xml",
        "/sitemap/x.xml",
    ] {
        assert_eq!(browser.get(path).await.status, 404, "{path}");
    }
}

#[sqlx::test(migrator = "web::MIGRATOR")]
async fn a_file_that_ends_early_is_broken_off(pool: PgPool) {
    use http_body_util::BodyExt as _;
    let site = Site::new(pool).await;
    *site.catalogue.breaks_off.lock().unwrap() = true;
    let request = Request::get("/sitemap/games-1.xml").body(Body::empty());
    let response = site.router.clone().oneshot(request.unwrap()).await.unwrap();
    assert_eq!(response.status(), 200);
    assert!(response.into_body().collect().await.is_err());
    *site.catalogue.is_away.lock().unwrap() = true;
    let mut browser = site.browser();
    assert_eq!(browser.get("/sitemap.xml").await.status, 503);
}

#[sqlx::test(migrator = "web::MIGRATOR")]
async fn crawlers_are_kept_from_the_dashboard(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let text = file(&mut browser, "/robots.txt", "text/plain; charset=utf-8")
        .await
        .text;
    assert!(
        text.contains("Sitemap: https://mchezo.example/sitemap.xml"),
        "{text}"
    );
    for route in routes() {
        let is_open = match route.access {
            Access::Public | Access::File => true,
            Access::Anyone => {
                route.path.starts_with("/assets/") || route.path.starts_with("/pictures/")
            }
            _ => false,
        };
        assert_eq!(robots::is_allowed(route.path), is_open, "{}", route.path);
    }
    // Files count like pages.
    for _ in 0..119 {
        browser.get("/robots.txt").await;
    }
    let refused = browser.get("/sitemap.xml").await;
    assert_eq!(refused.status, 429);
    assert_eq!(refused.headers["retry-after"], "60");
}

/// Checks what RFC 4287 requires of a feed and its entries.
fn check_feed(feed: &str, address: &str) {
    let document = Document::parse(feed).unwrap();
    let root = document.root_element();
    assert!(root.has_tag_name((ATOM, "feed")), "{feed}");
    let of_feed = [
        "id", "title", "subtitle", "updated", "link", "icon", "author", "entry",
    ];
    let of_entry = [
        "id",
        "title",
        "link",
        "published",
        "updated",
        "author",
        "summary",
    ];
    let check = |node: Node<'_, '_>, known: &[&str]| {
        for child in node.children().filter(Node::is_element) {
            assert_eq!(child.tag_name().namespace(), Some(ATOM));
            assert!(known.contains(&child.tag_name().name()), "{child:?}");
        }
    };
    check(root, &of_feed);
    let links = children(root, "link");
    let own = links
        .iter()
        .find(|link| link.attribute("rel") == Some("self"));
    assert_eq!(own.unwrap().attribute("href"), Some(address));
    assert_eq!(text(root, "id"), address);
    let mut newest = String::new();
    let entries = children(root, "entry");
    assert!(!entries.is_empty(), "{feed}");
    for entry in entries {
        check(entry, &of_entry);
        url::Url::parse(text(entry, "id")).unwrap();
        assert!(!text(entry, "title").is_empty());
        for time in ["published", "updated"] {
            OffsetDateTime::parse(text(entry, time), &Rfc3339).unwrap();
        }
        newest = newest.max(text(entry, "updated").to_owned());
    }
    assert_eq!(text(root, "updated"), newest);
}

#[sqlx::test(migrator = "web::MIGRATOR")]
async fn new_games_and_events_have_feeds(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let atom = "application/atom+xml; charset=utf-8";
    for (path, list, title) in [
        ("/games/feed.xml", "/games", "New games · Mchezo"),
        ("/fr/games/feed.xml", "/fr/games", "Nouveaux jeux · Mchezo"),
        (
            "/events/feed.xml?country=NG",
            "/events?country=NG",
            "Events in Nigeria · Mchezo",
        ),
    ] {
        let feed = file(&mut browser, path, atom).await.text;
        check_feed(&feed, &format!("https://mchezo.example{path}"));
        assert!(feed.contains(&format!("<title>{title}</title>")), "{feed}");
        // The list leads to it.
        let page = browser.get(list).await.text;
        assert!(page.contains(&format!("href=\"{path}\"")), "{page}");
    }
    let feed = browser.get("/fr/games/feed.xml").await.text;
    for part in [
        "<id>https://mchezo.example/games/okoto</id>",
        "href=\"https://mchezo.example/fr/games/okoto\"",
        "<published>2026-01-01T00:00:00Z</published>",
        "<updated>2026-11-22T00:00:00Z</updated>",
        "<name>Savanna &#60;i&#62;Studio</name>",
    ] {
        assert!(feed.contains(part), "{part} is not in {feed}");
    }
}

#[sqlx::test(migrator = "web::MIGRATOR")]
async fn events_have_a_calendar(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let path = "/events/calendar.ics?country=NG";
    let calendar = file(&mut browser, path, "text/calendar; charset=utf-8")
        .await
        .text;
    assert!(calendar.lines().all(|line| line.len() <= 75));
    assert_eq!(
        calendar.matches('\n').count(),
        calendar.matches("\r\n").count()
    );
    let unfolded = calendar.replace("\r\n ", "");
    let lines: Vec<&str> = unfolded.split_terminator("\r\n").collect();
    assert_eq!((lines[0], lines[1]), ("BEGIN:VCALENDAR", "VERSION:2.0"));
    assert_eq!(lines.last(), Some(&"END:VCALENDAR"));
    let event: Vec<&str> = lines
        .iter()
        .copied()
        .skip_while(|line| *line != "BEGIN:VEVENT")
        .collect();
    assert_eq!(
        event,
        [
            "BEGIN:VEVENT",
            "UID:https://mchezo.example/events/jam",
            "DTSTAMP:20260101T000000Z",
            "DTSTART;VALUE=DATE:20261122",
            // The day after the last.
            "DTEND;VALUE=DATE:20261124",
            "SUMMARY:Lagos <Jam>",
            "DESCRIPTION:Bring\\nseeds.",
            "LOCATION:Lagos\\, Nigeria",
            "URL:https://mchezo.example/events/jam",
            "CATEGORIES:Game jam",
            "TRANSP:TRANSPARENT",
            "END:VEVENT",
            "END:VCALENDAR",
        ]
    );
    assert!(
        lines.contains(&"X-WR-CALNAME:Events in Nigeria · Mchezo"),
        "{calendar}"
    );
    browser
        .get("/events?country=NG")
        .await
        .assert(200, &format!("href=\"{path}\""));
}

#[sqlx::test(migrator = "web::MIGRATOR")]
async fn a_card_is_drawn_once_and_stored_for_ever(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    for path in ["/games/okoto", "/creators/savanna", "/events/jam"] {
        let page = browser.get(path).await.text;
        let (_, rest) = page
            .split_once("<meta property=\"og:image\" content=\"")
            .unwrap();
        let url = rest.split('"').next().unwrap();
        let card = url.strip_prefix("https://mchezo.example").unwrap();
        assert!(card.starts_with(&format!("{path}/card.jpg?v=")), "{card}");
        let drawn = bytes(&site, card).await;
        assert_eq!(drawn.headers()[CONTENT_TYPE], "image/jpeg");
        let cached = drawn.headers()[CACHE_CONTROL].to_str().unwrap();
        assert!(cached.contains("immutable"), "{cached}");
        assert_eq!(
            drawn.headers()["cross-origin-resource-policy"],
            "cross-origin"
        );
        let tag = drawn.headers()[ETAG].clone();
        let decoded = image::load_from_memory(drawn.body()).unwrap();
        assert_eq!((decoded.width(), decoded.height()), (1_200, 630));
        // Without its version, or with another, an address stands for the newest card.
        for other in [format!("{path}/card.jpg"), format!("{path}/card.jpg?v=0a")] {
            let again = bytes(&site, &other).await;
            assert_eq!(again.headers()[CACHE_CONTROL], "public, no-cache");
            assert_eq!((&again.headers()[ETAG], again.body()), (&tag, drawn.body()));
        }
        let request = Request::get(card).header("if-none-match", &tag);
        let again = browser.send(request.body(Body::empty()).unwrap()).await;
        assert_eq!(again.status, 304);
    }
    assert_eq!(browser.get("/games/none/card.jpg").await.status, 404);
    // Another text is another card.
    let before = bytes(&site, "/games/okoto/card.jpg").await;
    "Another line".clone_into(&mut site.catalogue.tagline.lock().unwrap());
    let after = bytes(&site, "/games/okoto/card.jpg").await;
    assert_ne!(before.headers()[ETAG], after.headers()[ETAG]);
    assert_ne!(before.body(), after.body());
}

/// A response that is no text.
async fn bytes(site: &Site, path: &str) -> http::Response<bytes::Bytes> {
    use http_body_util::BodyExt as _;
    let request = Request::get(path).body(Body::empty()).unwrap();
    let response = site.router.clone().oneshot(request).await.unwrap();
    assert_eq!(response.status(), 200, "{path}");
    let (parts, body) = response.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    http::Response::from_parts(parts, body)
}

#[sqlx::test(migrator = "web::MIGRATOR")]
async fn a_game_can_be_embedded(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let page = browser.get("/fr/games/okoto").await;
    page.assert(
        200,
        "<link rel=\"alternate\" type=\"application/json+oembed\"",
    );
    let url = "https%3A%2F%2Fmchezo.example%2Ffr%2Fgames%2Fokoto";
    let path = format!("/oembed?url={url}&format=json");
    assert!(
        page.text.contains(&path.replace('&', "&#38;")),
        "{}",
        page.text
    );
    let json = file(&mut browser, &path, "application/json").await;
    assert_eq!(json.headers["access-control-allow-origin"], "*");
    let json: serde_json::Value = serde_json::from_str(&json.text).unwrap();
    for (name, value) in [
        ("version", json!("1.0")),
        ("type", json!("rich")),
        ("title", json!("Okoto <b>")),
        ("width", json!(480)),
        ("height", json!(420)),
        ("provider_name", json!("Mchezo")),
        ("thumbnail_width", json!(1_200)),
    ] {
        assert_eq!(json[name], value, "{name}");
    }
    let html = json["html"].as_str().unwrap();
    let frame = Document::parse(html).unwrap();
    let frame = frame.root_element();
    assert_eq!(frame.attribute("title"), Some("Okoto <b>"));
    assert_eq!(
        frame.attribute("src"),
        Some("https://mchezo.example/fr/embed/games/okoto")
    );
    let small = format!("/oembed?url={url}&format=xml&maxwidth=300&maxheight=9999");
    let xml = file(&mut browser, &small, "text/xml; charset=utf-8")
        .await
        .text;
    let xml = Document::parse(&xml).unwrap();
    let root = xml.root_element();
    assert_eq!(root.tag_name().name(), "oembed");
    assert_eq!((text(root, "width"), text(root, "height")), ("300", "420"));
    assert!(text(root, "html").starts_with("<iframe "));
    for (query, status) in [
        (format!("url={url}&format=yaml"), 501),
        (format!("url={url}&maxwidth=0"), 400),
        (format!("url={url}&maxwidth=wide"), 400),
        (
            "url=https%3A%2F%2Felsewhere.example%2Fgames%2Fokoto".to_owned(),
            404,
        ),
        (
            "url=https%3A%2F%2Fmchezo.example%2Fgames%2Fnone".to_owned(),
            404,
        ),
        (String::new(), 404),
    ] {
        let refused = browser.get(&format!("/oembed?{query}")).await;
        assert_eq!(refused.status, status, "{query}");
    }
}

#[sqlx::test(migrator = "web::MIGRATOR")]
async fn other_sites_may_frame_the_embed_and_nothing_else(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let page = browser.get("/fr/embed/games/okoto").await;
    page.assert(200, "Okoto &#60;b&#62;");
    page.assert(
        200,
        "href=\"https://mchezo.example/fr/games/okoto\" target=\"_blank\"",
    );
    assert!(page.text.len() < 20_000);
    assert!(!page.text.contains("<script") && !page.text.contains("<form"));
    assert!(!page.headers.contains_key(SET_COOKIE));
    assert_eq!(page.headers["x-robots-tag"], "noindex");
    let policy = |page: &Page| {
        let policy = page.headers["content-security-policy"].to_str().unwrap();
        policy.to_owned()
    };
    assert!(policy(&page).contains("frame-ancestors *"));
    assert!(!policy(&page).contains("script-src"));
    for path in ["/games/okoto", "/sign-in", "/embed/games/none"] {
        let page = browser.get(path).await;
        assert!(policy(&page).contains("frame-ancestors 'none'"), "{path}");
    }
}
