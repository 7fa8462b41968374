//! Forms sent by other sites, and the security headers of every response.

use axum::body::Body;
use http::Request;
use sqlx::PgPool;

use crate::browser::{body, form};
use crate::full_account::{FullAccount, every_field, forms};
use crate::support::{ADA, Site};

#[testing::database_test(web::MIGRATOR)]
async fn no_form_of_the_router_is_taken_from_another_site(pool: PgPool) {
    let mut full = FullAccount::new(pool).await;
    let before = full.state().await;
    let fields = every_field();
    let fields: Vec<(&str, &str)> = fields.iter().map(|(n, v)| (*n, v.as_str())).collect();
    let mut tried = 0;
    for route in forms() {
        let path = full.own(route.path);
        for (name, value) in [
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-site", "same-site"),
            ("origin", "https://evil.example"),
            ("origin", "null"),
        ] {
            let request = form(&path, &[]).header(name, value);
            let page = full.owner.send(request.body(body(&fields)).unwrap()).await;
            page.assert(403, "Sent from another site");
            // Another site puts no fields into a form of this one.
            assert!(!page.text.contains("taken@"), "{path}: {}", page.text);
            tried += 1;
        }
    }
    assert!(tried > 150, "{tried}");
    assert_eq!(full.state().await, before);
    full.owner.get("/you").await.assert(200, ADA);
    let request = form("/you/sessions/end-others", &[]).header("origin", "https://mchezo.example");
    let page = full.owner.send(request.body(body(&[])).unwrap()).await;
    assert_eq!(page.location(), "/you?done=sessions");
}

#[testing::database_test(web::MIGRATOR)]
async fn every_response_has_the_headers_of_a_strict_page(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let refused = form("/sign-in", &[]).header("sec-fetch-site", "cross-site");
    let pages = [
        browser.get("/sign-up").await,
        browser.get("/nowhere").await,
        browser.get("/you").await,
        browser.send(refused.body(Body::empty()).unwrap()).await,
        browser.send(Request::delete("/sign-in").body(Body::empty()).unwrap()).await,
    ];
    for page in &pages {
        let policy = page.headers["content-security-policy"].to_str().unwrap();
        for part in ["default-src 'none'", "form-action 'self'", "frame-ancestors 'none'"] {
            assert!(policy.contains(part), "{policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(page.headers["cache-control"], "no-store");
        assert_eq!(page.headers["x-content-type-options"], "nosniff");
        // HSTS covers only this host.
        let https = &page.headers["strict-transport-security"];
        assert_eq!(https, "max-age=31536000");
        assert!(page.headers["x-request-id"].to_str().unwrap().starts_with("req_"));
        assert!(!page.text.contains("<script>") && !page.text.contains(" style="), "{}", page.text);
    }
    let statuses = pages.each_ref().map(|page| page.status.as_u16());
    assert_eq!(statuses, [200, 404, 303, 403, 405]);
    pages[1].assert(404, pages[1].headers["x-request-id"].to_str().unwrap());
}

#[testing::database_test(web::MIGRATOR)]
async fn assets_with_a_hashed_name_are_cached_for_ever(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let page = browser.get("/").await;
    let (_, rest) = page.text.split_once("rel=\"stylesheet\" href=\"").unwrap();
    let path = rest.split('"').next().unwrap();
    let style = browser.get(path).await;
    style.assert(200, "--accent");
    assert!(style.headers["cache-control"].to_str().unwrap().contains("immutable"));
    // A page of another release names this file by another hash.
    let other = browser.get("/assets/style-0000000000000000.css").await;
    other.assert(200, "--accent");
    assert_eq!(other.headers["cache-control"], "no-store");
    browser.get("/assets/style.css").await.assert(404, "");
}

#[testing::database_test(web::MIGRATOR)]
async fn an_oversized_or_malformed_form_is_refused(pool: PgPool) {
    let site = Site::new(pool).await;
    let long = "x".repeat(100_000);
    let page = site.browser().post("/sign-up", &[("email", &long)]).await;
    page.assert(413, "");
    let request = Request::post("/sign-up").header("content-type", "application/json");
    let page = site.browser().send(request.body(Body::from("{}")).unwrap()).await;
    page.assert(400, "Unreadable form");
    // A form without fields is like one with empty fields.
    site.browser().post("/sign-up", &[]).await.assert(422, "email-error");
}
