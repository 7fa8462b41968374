//! Every redirect stays on this site, whatever a request contains, and a path that is not UTF-8 is not a server error.

use http::Method;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use sqlx::PgPool;
use web::router::routes;

use crate::browser::Page;
use crate::full_account::{FullAccount, every_field, send};
use crate::second_factor::{half_signed_in, turn_on};
use crate::support::{ADA, Site};

/// Names that sites commonly use for a parameter with a target.
const NAMES: [&str; 8] =
    ["next", "return", "return_to", "redirect", "url", "location", "back", "done"];

/// Asserts that a browser, as it reads the `Location` header, stays on this site.
#[track_caller]
fn assert_stays(page: &Page, asked: &str) {
    assert!(!page.headers.contains_key("refresh"), "{asked:?}");
    let Some(location) = page.headers.get("location") else {
        return;
    };
    let location = location.to_str().unwrap();
    let base = url::Url::parse("https://mchezo.example/sign-in").unwrap();
    let target = base.join(location).unwrap();
    assert_eq!(target.origin(), base.origin(), "{asked:?}: {location}");
    assert!(location.starts_with('/'), "{asked:?}: {location}");
}

#[testing::database_test(web::MIGRATOR)]
async fn another_spelling_of_a_path_redirects_to_the_page(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    for (path, to) in [
        ("/games/", "/games"),
        ("/games/?genre=puzzle&q=a%2Fb", "/games?genre=puzzle&q=a%2Fb"),
        ("/fr/games/okoto/", "/fr/games/okoto"),
        ("/fr/", "/fr"),
        ("/docs/reference/", "/docs/reference"),
        ("/games/%6fkoto", "/games/okoto"),
        ("/sitemap/g%61mes-1.xml", "/sitemap/games-1.xml"),
        ("/economy/%6fkoto?after=%6f", "/economy/okoto?after=%6f"),
        ("/countries/nG", "/countries/NG"),
        ("/sign-in/?next=/you/", "/sign-in?next=/you/"),
    ] {
        let page = browser.get(path).await;
        assert_eq!(page.status, 308, "{path}: {}", page.text);
        assert_eq!(page.headers["location"], to, "{path}");
        assert_stays(&page, path);
    }
    // A form is sent again to the new address, with its fields.
    let page = browser.post("/sign-up/", &[("email", ADA)]).await;
    assert_eq!(page.status, 308, "{}", page.text);
    browser.get("/fr").await.assert(200, "<html lang=\"fr\">");
}

#[testing::database_test(web::MIGRATOR)]
async fn open_choices_of_a_form_cost_no_redirect(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    for (path, canonical) in [
        ("/games?genre=puzzle&platform=&country=&stage=", "/games?genre=puzzle"),
        ("/fr/events?when=&country=", "/fr/events"),
        ("/search?q=", "/search"),
    ] {
        let link = format!("<link rel=\"canonical\" href=\"https://mchezo.example{canonical}\">");
        browser.get(path).await.assert(200, &link);
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn programs_find_the_addresses_that_they_know(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let page = browser.get("/.well-known/change-password").await;
    assert_eq!(page.location(), "/you/password");
    let page = browser.get("/.well-known/security.txt").await;
    assert_eq!(page.headers["content-type"], "text/plain; charset=utf-8");
    let lines: Vec<&str> = page.text.lines().collect();
    let expected = [
        "Contact: mailto:security@mchezo.example",
        "Expires: 2027-05-22T00:00:00Z",
        "Preferred-Languages: en, fr",
        "Canonical: https://mchezo.example/.well-known/security.txt",
    ];
    assert_eq!(lines, expected);
    for (path, media_type) in
        [("/favicon.ico", "image/x-icon"), ("/apple-touch-icon.png", "image/png")]
    {
        let page = browser.get(path).await;
        assert_eq!(page.status, 200, "{path}");
        assert_eq!(page.headers["content-type"], media_type);
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn a_path_that_is_not_utf_8_is_not_found(pool: PgPool) {
    let mut full = FullAccount::new(pool).await;
    let mut stranger = full.hooks.site.browser();
    for route in routes() {
        // Each parameter of the path in turn.
        let own = full.own(route.path);
        let parts: Vec<&str> = own.split('/').collect();
        for (at, pattern) in route.path.split('/').enumerate() {
            if !pattern.starts_with('{') {
                continue;
            }
            let mut odd = parts.clone();
            odd[at] = "%ff";
            let path = odd.join("/");
            for browser in [&mut full.owner, &mut stranger] {
                let page = send(browser, &route.methods[0], &path, &every_field()).await;
                page.assert(404, page.headers["x-request-id"].to_str().unwrap());
            }
        }
    }
    let page = stranger.get("/fr/games/%C3%28").await;
    page.assert(404, "Page introuvable");
    stranger.get("/%ff").await.assert(404, "Not found");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_signed_in_person_is_redirected_from_the_page_of_the_code(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut owner = site.signed_in(ADA).await;
    let (secret, _) = turn_on(&site, &mut owner).await;
    site.clock.advance(time::Duration::minutes(16));
    let mut half = half_signed_in(&site).await;
    let code = secret.code(site.clock.now());
    let fields = [("code", code.as_str()), ("next", "/you")];
    half.post("/sign-in/code", &fields).await.location();
    // The back button, a bookmark, a second tab, and a form that was open in one.
    for (path, to) in [
        ("/sign-in/code?next=%2Fyou", "/you"),
        ("/sign-in/code", "/accounts"),
        ("/sign-in/code?next=%2Fsign-in%2Fcode", "/accounts"),
        ("/sign-in?next=%2Fsign-in%2Fcode", "/accounts"),
        ("/sign-in?next=%2Fsign-in%3Fnext%3D%2Fsign-in", "/accounts"),
    ] {
        assert_eq!(half.get(path).await.location(), to, "{path}");
    }
    let page = half.post("/sign-in/code?next=%2Fyou", &fields).await;
    assert_eq!(page.location(), "/you");
}

#[testing::database_test(web::MIGRATOR)]
async fn no_parameter_of_any_page_or_form_leads_elsewhere(pool: PgPool) {
    let mut full = FullAccount::new(pool).await;
    let query = |text: &str| {
        let text = utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        NAMES.map(|name| format!("{name}={text}")).join("&")
    };
    let mut stranger = full.hooks.site.browser();
    for route in routes() {
        let path = full.own(route.path);
        if !route.methods.contains(&Method::GET) {
            continue;
        }
        for text in ["//evil.example", "/\\evil.example", "https:evil.example"] {
            let path = format!("{path}?{}&q=%ff%C3%28&cursor=%ff&%ff", query(text));
            for browser in [&mut full.owner, &mut stranger] {
                let page = browser.get(&path).await;
                assert_stays(&page, &path);
                assert!(!page.status.is_server_error(), "{path}: {}", page.text);
                assert!(!page.text.contains("href=\"//"), "{path}: {}", page.text);
            }
        }
    }
    // Paths that look like other sites.
    for path in [
        "//evil.example",
        "//evil.example/you",
        "/you//evil.example",
        "/%5Cevil.example",
        "//evil.example/",
        "///evil.example//",
        "/\\evil.example/",
        "/%5Cevil.example/",
    ] {
        assert_stays(&stranger.get(path).await, path);
    }
    // Forms, with every field that could be a target.
    for route in crate::full_account::forms() {
        let mut fields = every_field();
        fields.extend(NAMES.map(|name| (name, "//evil.example".to_owned())));
        let page = send(&mut stranger, &Method::POST, &full.own(route.path), &fields).await;
        assert_stays(&page, route.path);
    }
}
