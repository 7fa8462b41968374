//! A service refuses connections: every page says so or shows the rest, and no form loses what was typed.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use http::{Method, StatusCode};
use kit::overload::ConcurrencyLimit;
use kit::rpc::client::Client;
use sqlx::PgPool;
use web::app::Web;
use web::articles::Articles;
use web::docs::guides::{Guides, Links};
use web::docs::reference::DocumentCache;
use web::page_limit::PageLimit;
use web::router::{router, routes};
use web::share_cards::ShareCards;
use web::uploads::Uploads;
use web::upstream::{Currencies, Economy, Gateway, Listings, Webhooks};

use crate::browser::Browser;
use crate::full_account::FullAccount;
use crate::support::Site;
use crate::typed_forms::{Needs, OF_ACCOUNTS};

/// The services, and paths whose pages are nothing without them.
const SERVICES: [(Needs, &[&str]); 4] = [
    (Needs::Gateway, &["/keys", "/accounts/{account}"]),
    (Needs::Webhooks, &["/webhooks"]),
    (
        Needs::Listings,
        &[
            "/listings",
            "/claims",
            "/pictures",
            "/takedown",
            "/card.jpg",
        ],
    ),
    (Needs::Economy, &["/economy", "/about/rates"]),
];

/// The same site, in which nothing answers at the address of a service.
fn without(site: &Site, service: Needs) -> Router {
    let app = &site.app;
    let nobody = |wanted| {
        let dead: Client = testing::client("http://127.0.0.1:1", &app.lifecycle).unwrap();
        (service == wanted).then_some((dead, Duration::from_secs(2)))
    };
    let gateway = nobody(Needs::Gateway).map(|(client, limit)| Gateway::new(client, limit));
    let webhooks = nobody(Needs::Webhooks).map(|(client, limit)| Webhooks::new(client, limit));
    let listings = nobody(Needs::Listings).map(|(client, limit)| Listings::new(client, limit));
    let economy = nobody(Needs::Economy).map(|(client, limit)| Economy::new(client, limit));
    let currencies = nobody(Needs::Economy)
        .map(|(client, limit)| Currencies::new(client, limit, 1, app.lifecycle.clone()));
    router(&Arc::new(Web {
        pool: app.pool.clone(),
        clock: app.clock.clone(),
        passwords: app.passwords.clone(),
        sessions: app.sessions.clone(),
        limits: app.limits.clone(),
        forms: app.forms.clone(),
        cookie: app.cookie,
        key_ring: app.key_ring.clone(),
        gateway: gateway.unwrap_or_else(|| app.gateway.clone()),
        webhooks: webhooks.unwrap_or_else(|| app.webhooks.clone()),
        listings: listings.unwrap_or_else(|| app.listings.clone()),
        economy: economy.unwrap_or_else(|| app.economy.clone()),
        catalogue: app.catalogue.clone(),
        feeds: app.feeds.clone(),
        api: app.api.clone(),
        security_contact: app.security_contact.clone(),
        staff_mail: app.staff_mail.clone(),
        currencies: currencies.unwrap_or_else(|| app.currencies.clone()),
        page_limit: PageLimit::new(1_000_000, 1_000_000),
        articles: Articles::read(None).unwrap(),
        guides: Guides::read(&app.public_url, &app.api_url, &Links::default()).unwrap(),
        reference: DocumentCache::new(app.api.clone(), app.api_url.clone()),
        share_cards: ShareCards::default(),
        public_pictures: ConcurrencyLimit::new("public pictures", 1),
        uploads: Uploads::default(),
        proxies: app.proxies.clone(),
        proxy_header: app.proxy_header,
        public_url: app.public_url.clone(),
        api_url: app.api_url.clone(),
        mail_folder: app.mail_folder.clone(),
        timeout: app.timeout,
        lifecycle: app.lifecycle.clone(),
    }))
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
