//! When a service refuses connections, every page says so or shows the rest.

use std::time::Duration;

use axum::Router;
use http::Method;
use http::header::CACHE_CONTROL;
use metrics_exporter_prometheus::PrometheusBuilder;
use sqlx::PgPool;
use web::domain::role::Role;
use web::route::PathKind;
use web::router::routes;
use web::upstream::{CatalogueClient, Economy, Gateway, Listings, Webhooks};

use crate::browser::{Browser, NOINDEX};
use crate::full_account::FullAccount;
use crate::support::{ADA, PASSWORD, Site, currencies};
use crate::typed_forms::Needs;

/// The services, and the paths whose pages need them.
const SERVICES: [(Needs, &[&str]); 4] = [
    (Needs::Gateway, &["/keys", "/accounts/{account}"]),
    (Needs::Webhooks, &["/webhooks"]),
    (Needs::Listings, &["/listings", "/claims", "/pictures", "/claim/"]),
    (Needs::Economy, &["/economy"]),
];

/// The text in the place of a part that cannot be read.
const AWAY: &str = "This part of the page is not available at the moment.";

/// The same site with a service that refuses connections.
pub(crate) fn without(site: &Site, service: Needs) -> Router {
    let lifecycle = &site.app.lifecycle;
    let dead = testing::client("http://127.0.0.1:1", lifecycle).unwrap();
    let limit = Duration::from_secs(2);
    site.changed(|web| match service {
        Needs::Catalogue => web.catalogue = CatalogueClient::new(dead, limit, 1, site.mark.clone()),
        Needs::Gateway => web.gateway = Gateway::new(dead, limit),
        Needs::Webhooks => web.webhooks = Webhooks::new(dead, limit),
        Needs::Listings => web.listings = Listings::new(dead, limit),
        Needs::Economy => {
            web.currencies = currencies(&dead, limit);
            web.economy = Economy::new(dead, limit);
        }
        Needs::Nothing => {}
    })
}

#[testing::database_test(web::MIGRATOR)]
async fn a_page_that_takes_too_long_is_recorded_with_its_route(pool: PgPool) {
    let recorder = PrometheusBuilder::new().build_recorder();
    let _recording = metrics::set_default_local_recorder(&recorder);
    let site = Site::new(pool).await;
    let slow = site.changed(|web| web.timeout = Duration::ZERO);
    Browser::new(&slow).get("/games/okoto").await.assert(503, "This took too long");
    let counted = "http_requests_total{method=\"GET\",route=\"/games/{slug}\",status=\"503\"} 1";
    let metrics = recorder.handle().render();
    assert!(metrics.lines().any(|line| line == counted), "{metrics}");
}

#[testing::database_test(web::MIGRATOR)]
async fn every_page_answers_without_a_service(pool: PgPool) {
    let mut full = FullAccount::new(pool).await;
    for (service, theirs) in SERVICES {
        let mut owner = full.owner.clone().with_router(&without(&full.hooks.site, service));
        let mut missing = 0;
        for route in routes() {
            if !route.methods.contains(&Method::GET) {
                continue;
            }
            let path = full.own(route.path);
            let usual = full.owner.get(&path).await;
            let page = owner.get(&path).await;
            if page.status == usual.status {
                continue;
            }
            assert_eq!(page.status, 503, "{service:?} {path}: {}", page.text);
            page.assert(503, "Try again");
            page.assert(503, "<a href=");
            let is_theirs = theirs.iter().any(|part| route.path.contains(part));
            assert!(is_theirs, "{service:?} {path}: {}", page.text);
            missing += 1;
        }
        assert!(missing > 0, "{service:?}");
    }
}

/// A page that can be read completely is unchanged. Any other page says what is missing and is not indexed.
#[testing::database_test(web::MIGRATOR)]
async fn an_incomplete_public_page_says_so(pool: PgPool) {
    let full = FullAccount::new(pool).await;
    let site = &full.hooks.site;
    let mut usual = Browser::new(&site.changed(|_| {}));
    for service in [Needs::Catalogue, Needs::Economy] {
        let mut visitor = Browser::new(&without(site, service));
        let mut changed = 0;
        for route in routes() {
            let is_public =
                matches!(route.kind, PathKind::Public | PathKind::File | PathKind::Docs);
            let path = match route.path {
                "/search" => "/search?q=okoto".to_owned(),
                "/sitemap/{name}" => "/sitemap/pages-1.xml".to_owned(),
                path => full.own(path),
            };
            let whole = usual.get(&path).await;
            // Pages that differ between visitors, such as that of a pair to vote on, have other tests.
            let is_shared = whole.headers[CACHE_CONTROL] == "public, no-cache";
            if !is_public || whole.status != 200 || !is_shared {
                continue;
            }
            let page = visitor.get(&path).await;
            if page.status == 200 && page.text == whole.text {
                continue;
            }
            changed += 1;
            let name = format!("{service:?} {path}: {}", page.text);
            assert!(page.text.contains("Try again in a few seconds."), "{name}");
            assert!(page.text.contains(NOINDEX), "{name}");
            if page.status != 200 {
                assert_eq!(page.status, 503, "{name}");
                assert_eq!(page.headers[CACHE_CONTROL], "no-store", "{name}");
            }
        }
        assert!(changed > 1, "{service:?}");
        assert_eq!(
            visitor.get("/").await.status,
            if service == Needs::Catalogue { 503 } else { 200 }
        );
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn a_part_that_cannot_be_read_says_so_in_its_place(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = Browser::new(&site.changed(|_| {}));
    for (path, rpc) in [
        ("/", "list_countries"),
        ("/", "list_genres"),
        ("/", "list_new_games"),
        ("/", "list_events"),
        ("/games/okoto", "get_ranks"),
        ("/games/okoto", "get_creator"),
        ("/games/okoto", "list_games"),
        ("/creators/savanna", "get_ranks"),
    ] {
        *site.catalogue.away_rpc.lock().unwrap() = Some(rpc);
        let page = browser.get(path).await;
        *site.catalogue.away_rpc.lock().unwrap() = None;
        let whole = browser.get(path).await;
        for sign in [AWAY, NOINDEX] {
            page.assert(200, sign);
            assert!(!whole.text.contains(sign), "{path} {rpc}: {}", whole.text);
        }
        assert_eq!(page.text.matches(AWAY).count(), 1, "{path} {rpc}: {}", page.text);
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn people_sign_in_and_work_without_the_catalogue(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await;
    *site.catalogue.is_away.lock().unwrap() = true;
    let mut browser = site.browser();
    let start = browser.get("/").await;
    start.assert(503, "href=\"/sign-in\"");
    browser.get("/sign-in").await.assert(200, "Sign in");
    let mut browser = site.signed_in(ADA).await;
    browser.get(&format!("/accounts/{account}")).await.assert(200, "Today");
    browser.get("/about/boards").await.assert(200, "Rankings");
}

#[testing::database_test(web::MIGRATOR)]
async fn signing_out_and_deleting_oneself_lead_to_a_page_without_the_catalogue(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let router = without(&site, Needs::Catalogue);
    let signed_in = site.signed_in(ADA).await;
    let password = [("password", PASSWORD)];
    for (path, fields, notice) in [
        ("/sign-out", &[][..], "You are signed out."),
        ("/you/delete", &password, "Your profile is deleted."),
    ] {
        let mut browser = if path == "/sign-out" {
            signed_in.clone().with_router(&router)
        } else {
            site.signed_in(ADA).await.with_router(&router)
        };
        let sent = browser.post(path, fields).await;
        let page = browser.get(sent.location()).await;
        for part in [notice, AWAY, NOINDEX, "href=\"/sign-in\""] {
            page.assert(200, part);
        }
    }
}
