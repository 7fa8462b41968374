//! The documentation: every page at one URL, as HTML and as Markdown, and all pages in one file.

use http::header::{ACCEPT_LANGUAGE, CACHE_CONTROL, LOCATION, VARY};
use sqlx::PgPool;
use web::docs::guides::PATHS;

use crate::share::file;
use crate::support::Site;

const HTML: &str = "text/html; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";

#[testing::database_test(web::MIGRATOR)]
async fn every_page_is_in_english_at_one_address(pool: PgPool) {
    let site = Site::with_docs(pool).await;
    let mut browser = site.browser();
    for path in PATHS.iter().copied().chain(["/docs/all"]) {
        let page = file(&mut browser, path, HTML).await;
        // These long pages are rendered while they load.
        assert!(!page.text.contains("blocking=\"render\""), "{path}");
        for part in [
            "<html lang=\"en\">",
            &format!("<link rel=\"canonical\" href=\"https://mchezo.example{path}\">"),
        ] {
            page.assert(200, part);
        }
        assert_eq!(page.headers["content-language"], "en", "{path}");
        assert_eq!(page.headers[VARY], "accept-encoding", "{path}");
        assert!(!page.text.contains("hreflang=\"fr\""), "{path}");
        assert!(!page.text.contains("href=\"/fr/docs"), "{path}");
        for language in ["/fr", "/en"] {
            let moved = browser.get(&format!("{language}{path}?a=b")).await;
            assert_eq!(moved.status, 308, "{language}{path}");
            assert_eq!(moved.headers[LOCATION], format!("{path}?a=b").as_str());
        }
        // Every page but the whole documentation ends with a link to the French site.
        let site = "La documentation est en anglais. <a href=\"/fr\">Le site en français</a>";
        let end = page.text.find("</article>");
        let is_at_end = page.text.find(site).is_some_and(|at| Some(at) > end);
        assert_eq!(is_at_end, path != "/docs/all", "{path}");
        // The `Accept-Language` header makes no difference.
        let request = http::Request::get(path).header(ACCEPT_LANGUAGE, "fr");
        let french = browser.send(request.body(axum::body::Body::empty()).unwrap()).await;
        assert_eq!(french.text, page.text, "{path}");
    }
    let missing = browser.get("/docs/no-such-page").await;
    assert_eq!(missing.status, 404);
    assert_eq!(missing.headers[CACHE_CONTROL], "no-store");
    // An error is in the reader's language, but links to no page that does not exist.
    for path in ["/docs/no-such-page", "/docs/no/such/page?q=x"] {
        let request = http::Request::get(path).header(ACCEPT_LANGUAGE, "fr");
        let french = browser.send(request.body(axum::body::Body::empty()).unwrap()).await;
        french.assert(404, "<html lang=\"fr\">");
        for link in ["href=\"/fr/docs", "href=\"/en/docs"] {
            assert!(!french.text.contains(link), "{path}: {}", french.text);
        }
    }
    for path in ["/docs/.md", "/docs/keys.md.md", "/docs/No-Such"] {
        assert_eq!(browser.get(path).await.status, 404, "{path}");
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn a_page_has_its_headings_its_neighbours_and_its_markdown(pool: PgPool) {
    let site = Site::with_docs(pool).await;
    let mut browser = site.browser();
    let page = browser.get("/docs/keys?utm=x").await;
    for part in [
        "<h1>Keys and plans</h1>",
        "<h2 id=\"plans\"><a class=\"anchor\" href=\"#plans\">Plans</a></h2>",
        "<li><a href=\"#plans\">Plans</a></li>",
        "<a href=\"/docs/keys\" aria-current=\"page\">Keys and plans</a>",
        "<a rel=\"prev\" href=\"/docs/first-call\">",
        "<a rel=\"next\" href=\"/docs/clients\">",
        "href=\"/docs/keys.md\" type=\"text/markdown\"",
        "<link rel=\"alternate\" type=\"text/markdown\"",
        "data-copy=\"code-1\" hidden",
        "<link rel=\"canonical\" href=\"https://mchezo.example/docs/keys\">",
    ] {
        page.assert(200, part);
    }
    let text = file(&mut browser, "/docs/first-call.md", "text/markdown; charset=utf-8").await;
    text.assert(200, "# Your first call\n");
    text.assert(200, "export API=https://mchezo.example/v1\n");
    text.assert(200, "```sh\ncurl -H \"Authorization: Bearer $SERVICE_API_KEY\"");
}

/// An operator who changes a setting of the gateway need not edit the guides.
#[testing::database_test(web::MIGRATOR)]
async fn guides_show_the_settings_of_the_gateway(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    // Before the settings are known, the guides show `…`.
    let keys = browser.get("/docs/keys.md").await;
    keys.assert(200, "| begins with | `…test_` | `…live_` |");
    site.app.docs.refresh().await;
    let keys = browser.get("/docs/keys.md").await;
    keys.assert(200, "| begins with | `svc_test_` | `svc_live_` |");
    {
        let mut document = site.api.document.lock().unwrap();
        document.json["x-settings"]["key_prefix"] = "mchezo_".into();
    }
    site.app.docs.refresh().await;
    let keys = browser.get("/docs/keys").await;
    keys.assert(200, "<code>mchezo_test_</code>");
}

#[testing::database_test(web::MIGRATOR)]
async fn programs_get_a_list_of_the_guides_and_all_of_them(pool: PgPool) {
    let site = Site::with_docs(pool).await;
    let mut browser = site.browser();
    let list = file(&mut browser, "/llms.txt", TEXT).await;
    assert!(list.text.starts_with("# Mchezo\n\n> "), "{}", list.text);
    let full = file(&mut browser, "/llms-full.txt", TEXT).await;
    for path in PATHS.iter().filter(|path| **path != "/docs") {
        list.assert(200, &format!("](https://mchezo.example{path}.md): "));
        let guide = browser.get(&format!("{path}.md")).await;
        full.assert(200, &guide.text);
    }
}
