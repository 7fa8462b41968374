//! A service refuses connections: every page says so or shows the rest, and no form loses what was typed.

use std::time::Duration;

use axum::Router;
use http::header::CACHE_CONTROL;
use http::{Method, StatusCode};
use kit::feed::ProducerPosition;
use sqlx::PgPool;
use tokio::net::TcpListener;
use web::domain::role::Role;
use web::layers::access::Access;
use web::router::routes;
use web::upstream::{
    CatalogueClient, Currencies, Economy, Gateway, Listings, NewestPosition, Webhooks,
};

use crate::browser::{Browser, NOINDEX};
use crate::full_account::FullAccount;
use crate::support::{ADA, PASSWORD, Site};
use crate::typed_forms::{Needs, OF_ACCOUNTS};

/// The services, and paths whose pages are nothing without them.
const SERVICES: [(Needs, &[&str]); 4] = [
    (Needs::Gateway, &["/keys", "/accounts/{account}"]),
    (Needs::Webhooks, &["/webhooks"]),
    (
        Needs::Listings,
        &["/listings", "/claims", "/pictures", "/claim/", "/card.jpg"],
    ),
    (Needs::Economy, &["/economy"]),
];

/// What stands in the place of a part that cannot be read.
const AWAY: &str = "This part of the page is not available at the moment.";

/// The same site, in which nothing answers at the address of a service.
fn without(site: &Site, service: Needs) -> Router {
    let lifecycle = &site.app.lifecycle;
    let dead = testing::client("http://127.0.0.1:1", lifecycle).unwrap();
    let limit = Duration::from_secs(2);
    site.changed(|web| match service {
        Needs::Catalogue => {
            let position = NewestPosition {
                mark: site.mark.clone(),
                listings: ProducerPosition::new(dead.clone(), limit),
            };
            web.catalogue = CatalogueClient::new(dead, limit, 1, position);
        }
        Needs::Gateway => web.gateway = Gateway::new(dead, limit),
        Needs::Webhooks => web.webhooks = Webhooks::new(dead, limit),
        Needs::Listings => web.listings = Listings::new(dead, limit),
        Needs::Economy => {
            web.currencies = Currencies::new(dead.clone(), limit, 1, lifecycle.clone());
            web.economy = Economy::new(dead, limit);
        }
        Needs::Nothing => {}
    })
}

/// The owner at another router.
fn moved(full: &FullAccount, router: &Router) -> Browser {
    let mut owner = Browser::new(router);
    owner.cookie.clone_from(&full.owner.cookie);
    owner
}

#[testing::database_test(web::MIGRATOR)]
async fn every_page_answers_without_a_service(pool: PgPool) {
    let mut full = FullAccount::new(pool).await;
    for (service, theirs) in SERVICES {
        let mut owner = moved(&full, &without(&full.hooks.site, service));
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

/// A page that can be read as a whole is as ever. Another one says so, and no search engine lists it.
#[testing::database_test(web::MIGRATOR)]
async fn no_public_page_looks_empty_without_what_it_shows(pool: PgPool) {
    let full = FullAccount::new(pool).await;
    let site = &full.hooks.site;
    let mut usual = Browser::new(&site.changed(|_| {}));
    for service in [Needs::Catalogue, Needs::Economy] {
        let mut visitor = Browser::new(&without(site, service));
        let mut changed = 0;
        for route in routes() {
            let is_public = matches!(route.access, Access::Public | Access::File | Access::Docs);
            let path = match route.path {
                "/search" => "/search?q=okoto".to_owned(),
                "/sitemap/{name}" => "/sitemap/pages-1.xml".to_owned(),
                path => full.own(path),
            };
            let whole = usual.get(&path).await;
            // A page that is not the same for everybody, such as that of a pair to vote for, has other tests.
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
            if service == Needs::Catalogue {
                503
            } else {
                200
            }
        );
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn a_part_that_cannot_be_read_says_so_in_its_place(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = Browser::new(&site.changed(|_| {}));
    for (path, rpc) in [
        ("/", "list_creators"),
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
        assert_eq!(
            page.text.matches(AWAY).count(),
            1,
            "{path} {rpc}: {}",
            page.text
        );
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn no_form_loses_what_was_typed_without_its_service(pool: PgPool) {
    let full = FullAccount::new(pool).await;
    let site = &full.hooks.site;
    for (service, _) in SERVICES {
        let mut without = moved(&full, &without(site, service));
        let before = full.state().await;
        for form in OF_ACCOUNTS.iter().filter(|form| form.needs == service) {
            let mut owner = full.owner.clone();
            let hidden = owner.get(&full.own(form.page)).await.hidden();
            let fields = form.typed(&hidden, false);
            let page = form.post(&mut without, &full, &fields).await;
            assert_eq!(
                page.status, 503,
                "{service:?} {}: {}",
                form.action, page.text
            );
            page.assert(503, "Try again");
            // Pictures, and a key with its form, are shown again by their service only.
            if !form.page.ends_with("/pictures") && !form.page.ends_with("/keys/{key}") {
                page.assert(503, "role=\"alert\"");
                form.assert_kept(&page, &fields);
            }
        }
        assert_eq!(full.state().await, before, "{service:?}");
    }
    // Once it is back, the same forms are taken.
    let mut owner = full.owner.clone();
    for form in OF_ACCOUNTS {
        let page = form.send(&mut owner, &full, false).await;
        let is_taken = [StatusCode::OK, StatusCode::SEE_OTHER].contains(&page.status);
        let is_refused_by_its_rules = page.status == 422;
        assert!(
            is_taken || is_refused_by_its_rules,
            "{}: {}",
            form.action,
            page.text
        );
    }
}

/// The change is stored, and the accounts keep the old contact address.
#[testing::database_test(web::MIGRATOR)]
async fn an_address_changes_while_the_gateway_hangs(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    for _ in 0..3 {
        site.account(ada, Role::Owner).await;
    }
    let mut browser = site.signed_in(ADA).await;
    let fields = [("email", "new@studio.example"), ("password", PASSWORD)];
    browser.post("/you/email", &fields).await.location();
    let link = site.link("new@studio.example").await;
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", silent.local_addr().unwrap());
    let client = testing::client(&address, &site.app.lifecycle).unwrap();
    let router = site.changed(|web| {
        web.gateway = Gateway::new(client, testing::LONG);
        web.timeout = testing::LONG;
    });
    let mut hanging = Browser::new(&router);
    hanging.cookie.clone_from(&browser.cookie);
    let changed = hanging.post(&link, &[]).await;
    assert_eq!(changed.location(), "/you?done=email");
    browser.cookie.clone_from(&hanging.cookie);
    browser.get("/you").await.assert(200, "new@studio.example");
}
