//! The reference: its pages are made from the document of the gateway, and stay while the gateway is away.

use std::collections::BTreeSet;

use futures::future::join_all;
use sqlx::PgPool;
use time::Duration;

use crate::browser::{Browser, NOINDEX};
use crate::share::file;
use crate::stub_api::ApiMood;
use crate::support::Site;

const HTML: &str = "text/html; charset=utf-8";
const MARKDOWN: &str = "text/markdown; charset=utf-8";
const LIST: &str = "/docs/reference";
const PAGE: &str = "/docs/reference/listGames";

/// Where a page leads to on this site.
fn links(text: &str) -> BTreeSet<String> {
    let links = text.split("href=\"/docs").skip(1);
    links
        .map(|rest| format!("/docs{}", rest.split('"').next().unwrap()))
        .collect()
}

#[testing::database_test(web::MIGRATOR)]
async fn every_page_is_there_as_html_and_as_markdown_and_leads_to_what_exists(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let list = file(&mut browser, LIST, HTML).await;
    list.assert(
        200,
        "<a href=\"/docs/reference\" aria-current=\"page\">Reference</a>",
    );
    list.assert(200, "https://mchezo.example/v1/openapi.json");
    let pages: Vec<String> = links(&list.text)
        .into_iter()
        .filter(|link| link.starts_with("/docs/reference/"))
        .collect();
    assert!(pages.len() > 40, "{pages:?}");
    let mut targets = BTreeSet::new();
    let full = browser.get("/llms-full.txt").await;
    let short = browser.get("/llms.txt").await;
    let sitemap = browser.get("/sitemap/pages-1.xml").await;
    for (number, path) in pages.iter().enumerate() {
        // The limit of pages is that of a network.
        browser = Browser::at(&site.router, u8::try_from(number).unwrap());
        let page = file(&mut browser, path, HTML).await;
        page.assert(200, "<p class=\"steps\"><a rel=\"prev\"");
        let canonical = format!("<link rel=\"canonical\" href=\"https://mchezo.example{path}\">");
        page.assert(200, &canonical);
        targets.extend(links(&page.text));
        let text = file(&mut browser, &format!("{path}.md"), MARKDOWN).await;
        full.assert(200, &text.text);
        short.assert(200, &format!("(https://mchezo.example{path}.md)"));
        sitemap.assert(200, &format!("<loc>https://mchezo.example{path}</loc>"));
    }
    targets.extend(links(&list.text));
    for (number, target) in targets.iter().enumerate() {
        browser = Browser::at(&site.router, u8::try_from(number / 10).unwrap());
        let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
        let page = browser.get(path).await;
        assert_eq!(page.status, 200, "{target}");
        let id = format!("id=\"{anchor}\"");
        assert!(anchor.is_empty() || page.text.contains(&id), "{target}");
    }
    for path in [
        "/docs/reference/nothing",
        "/docs/reference/listGames.md.md",
        "/docs/reference/webhooks",
        "/docs/reference/webhooks/listGames",
    ] {
        assert_eq!(browser.get(path).await.status, 404, "{path}");
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn the_document_is_read_once_a_minute_and_a_change_shows(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browsers: Vec<Browser> = (0..10).map(|n| Browser::at(&site.router, n)).collect();
    // All at once: one of them reads it.
    let pages = join_all(browsers.iter_mut().map(|browser| browser.get(PAGE))).await;
    assert!(pages.iter().all(|page| page.status == 200));
    let reads = || site.api.document.lock().unwrap().reads.clone();
    assert_eq!(reads(), [None]);
    let mut browser = site.browser();
    let tag = browser.get(PAGE).await.headers["etag"].clone();
    site.clock.advance(Duration::seconds(61));
    assert_eq!(browser.get(PAGE).await.headers["etag"], tag);
    browser.get(PAGE).await.assert(200, "List games");
    // The second read named the tag of the first, and nothing had changed.
    assert_eq!(reads().len(), 2);
    assert!(reads()[1].is_some());

    site.api.document.lock().unwrap().json["paths"]["/games"]["get"]["summary"] =
        "Lists quite other games.".into();
    browser.get(PAGE).await.assert(200, "Lists published games");
    site.clock.advance(Duration::seconds(61));
    let page = browser.get(PAGE).await;
    page.assert(200, "Lists quite other games.");
    assert_ne!(page.headers["etag"], tag);
    assert_eq!(reads().len(), 3);
}

#[testing::database_test(web::MIGRATOR)]
async fn without_the_gateway_the_last_reference_stays(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let set = |mood| *site.api.mood.lock().unwrap() = mood;
    set(ApiMood::IsBroken);
    for path in [LIST, PAGE, "/docs/reference.md"] {
        let page = browser.get(path).await;
        page.assert(503, "The reference is not available at the moment.");
        assert_eq!(page.headers["cache-control"], "no-store", "{path}");
    }
    // The other pages go on without it, and say so where they would have it.
    for path in ["/docs", "/docs/search?q=games"] {
        assert_eq!(browser.get(path).await.status, 200, "{path}");
    }
    for path in ["/docs/all", "/llms.txt", "/llms-full.txt"] {
        let page = browser.get(path).await;
        page.assert(200, "The reference is not available at the moment.");
    }
    assert_eq!(browser.get("/sitemap/pages-1.xml").await.status, 503);
    let guide = browser.get("/docs/keys").await;
    guide.assert(200, "Try again in a few seconds.");
    guide.assert(200, NOINDEX);
    let before = browser.get("/docs/all").await;
    // One attempt stands for those of the next seconds.
    assert_eq!(site.api.document.lock().unwrap().reads.len(), 1);
    set(ApiMood::Answers);
    site.clock.advance(Duration::seconds(5));
    browser.get(PAGE).await.assert(200, "List games");
    let guide = browser.get("/docs/keys").await;
    assert!(!guide.text.contains(NOINDEX), "{}", guide.text);
    let all = browser.get("/docs/all").await;
    all.assert(200, "<h1 id=\"reference-listGames\">List games</h1>");
    assert_ne!(all.headers["etag"], before.headers["etag"]);
    set(ApiMood::IsBroken);
    site.clock.advance(Duration::hours(5));
    browser.get(PAGE).await.assert(200, "List games");
    set(ApiMood::Hangs);
    site.clock.advance(Duration::hours(5));
    browser.get(PAGE).await.assert(200, "List games");
}

#[testing::database_test(web::MIGRATOR)]
async fn the_search_of_the_documentation_finds_operations_and_guides(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let page = file(&mut browser, "/docs/search?q=listRanking", HTML).await;
    page.assert(
        200,
        "<a href=\"/docs/reference/listRanking\">List ranking</a>",
    );
    let page = browser.get("/docs/search?q=invalid_key").await;
    page.assert(
        200,
        "<h3><a href=\"/docs/errors#invalid_key\">invalid_key</a></h3>",
    );
}
