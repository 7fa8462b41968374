//! Forms whose body has a content coding.

use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING};
use sqlx::PgPool;

use crate::browser::{Browser, Page, body, form};
use crate::full_account::{FullAccount, every_field, forms};
use crate::support::{ADA, Site};

/// Posts a form with this `Content-Encoding`.
async fn send(browser: &mut Browser, path: &str, coding: &str, fields: &[(&str, &str)]) -> Page {
    let request =
        form(path, fields).header("sec-fetch-site", "same-origin").header(CONTENT_ENCODING, coding);
    browser.send(request.body(body(fields)).unwrap()).await
}

#[testing::database_test(web::MIGRATOR)]
async fn no_form_of_the_router_is_decompressed(pool: PgPool) {
    let mut full = FullAccount::new(pool).await;
    let before = full.state().await;
    let fields = every_field();
    let fields: Vec<(&str, &str)> = fields.iter().map(|(n, v)| (*n, v.as_str())).collect();
    for route in forms() {
        let path = full.own(route.path);
        let page = send(&mut full.owner, &path, "gzip", &fields).await;
        page.assert(415, "gzip");
        assert_eq!(page.headers[ACCEPT_ENCODING], "identity", "{path}");
    }
    assert_eq!(full.state().await, before);
}

#[testing::database_test(web::MIGRATOR)]
async fn the_error_names_the_coding_and_identity_is_accepted(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let fields = [("email", ADA)];
    for (coding, named) in [
        ("br", "`br`"),
        ("ZSTD", "`ZSTD`"),
        ("identity, x-gzip", "`x-gzip`"),
        ("<b>", "`&#60;b&#62;`"),
    ] {
        let page = send(&mut browser, "/sign-up", coding, &fields).await;
        page.assert(415, named);
    }
    let page = send(&mut browser, "/fr/vote", "br", &fields).await;
    page.assert(415, "«\u{a0}br\u{a0}»");
    assert!(site.mails().await.is_empty());
    for coding in ["identity", "Identity, identity", ""] {
        let page = send(&mut browser, "/sign-up", coding, &fields).await;
        page.assert(200, "");
    }
    assert!(!site.mails().await.is_empty());
}
