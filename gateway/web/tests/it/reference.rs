//! The reference: its pages are made from the gateway's OpenAPI document, and stay available without the gateway.

use std::collections::BTreeSet;

use sqlx::PgPool;

use crate::browser::{Browser, NOINDEX};
use crate::share::file;
use crate::stub_api::ApiMood;
use crate::support::Site;

const HTML: &str = "text/html; charset=utf-8";
const MARKDOWN: &str = "text/markdown; charset=utf-8";
const LIST: &str = "/docs/reference";
const PAGE: &str = "/docs/reference/listGames";

/// The links of a page to pages of the documentation.
fn links(text: &str) -> BTreeSet<String> {
    let links = text.split("href=\"/docs").skip(1);
    links.map(|rest| format!("/docs{}", rest.split('"').next().unwrap())).collect()
}

#[testing::database_test(web::MIGRATOR)]
async fn every_page_is_there_as_html_and_as_markdown(pool: PgPool) {
    let site = Site::with_docs(pool).await;
    let mut browser = site.browser();
    let list = file(&mut browser, LIST, HTML).await;
    list.assert(200, "<a href=\"/docs/reference\" aria-current=\"page\">Reference</a>");
    list.assert(200, "https://mchezo.example/v1/openapi.json");
    let pages: Vec<String> =
        links(&list.text).into_iter().filter(|link| link.starts_with("/docs/reference/")).collect();
    assert!(pages.len() > 20, "{pages:?}");
    let full = browser.get("/llms-full.txt").await;
    let short = browser.get("/llms.txt").await;
    let sitemap = browser.get("/sitemap/pages-1.xml").await;
    for (number, path) in pages.iter().enumerate() {
        // Pages are limited by network, so that each page is read from another one.
        browser = Browser::at(&site.router, u8::try_from(number).unwrap());
        let page = file(&mut browser, path, HTML).await;
        page.assert(200, "<p class=\"steps\"><a rel=\"prev\"");
        let canonical = format!("<link rel=\"canonical\" href=\"https://mchezo.example{path}\">");
        page.assert(200, &canonical);
        let text = file(&mut browser, &format!("{path}.md"), MARKDOWN).await;
        full.assert(200, &text.text);
        short.assert(200, &format!("(https://mchezo.example{path}.md)"));
        sitemap.assert(200, &format!("<loc>https://mchezo.example{path}</loc>"));
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
async fn a_newer_document_shows_once_it_is_read(pool: PgPool) {
    let site = Site::with_docs(pool).await;
    let mut browser = site.browser();
    let reads = || site.api.document.lock().unwrap().reads.clone();
    assert_eq!(reads(), [None]);
    let tag = browser.get(PAGE).await.headers["etag"].clone();
    site.app.docs.refresh().await;
    assert_eq!(browser.get(PAGE).await.headers["etag"], tag);
    // The second read sent the tag of the first, and the document had not changed.
    assert!(reads()[1].is_some());
    site.api.document.lock().unwrap().json["paths"]["/games"]["get"]["summary"] =
        "Lists quite other games.".into();
    site.app.docs.refresh().await;
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
    site.app.docs.refresh().await;
    for path in [LIST, PAGE, "/docs/reference.md"] {
        let page = browser.get(path).await;
        page.assert(503, "The reference is not available at the moment.");
        assert_eq!(page.headers["cache-control"], "no-store", "{path}");
    }
    // The other pages remain, and say where the reference is missing.
    assert_eq!(browser.get("/docs").await.status, 200);
    for path in ["/docs/all", "/llms.txt", "/llms-full.txt"] {
        let page = browser.get(path).await;
        page.assert(200, "The reference is not available at the moment.");
    }
    assert_eq!(browser.get("/sitemap/pages-1.xml").await.status, 503);
    let guide = browser.get("/docs/keys").await;
    guide.assert(200, "Try again in a few seconds.");
    guide.assert(200, NOINDEX);
    let before = browser.get("/docs/all").await;
    set(ApiMood::Answers);
    site.app.docs.refresh().await;
    browser.get(PAGE).await.assert(200, "List games");
    let guide = browser.get("/docs/keys").await;
    assert!(!guide.text.contains(NOINDEX), "{}", guide.text);
    let all = browser.get("/docs/all").await;
    all.assert(200, "<h1 id=\"reference-listGames\">List games</h1>");
    assert_ne!(all.headers["etag"], before.headers["etag"]);
    set(ApiMood::IsBroken);
    site.app.docs.refresh().await;
    browser.get(PAGE).await.assert(200, "List games");
}
