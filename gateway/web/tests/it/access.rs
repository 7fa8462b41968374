//! Another account tries every path of an account. The paths come from the router, so that new pages are covered.

use http::{Method, StatusCode};
use sqlx::PgPool;
use web::admission::PageKind;
use web::domain::role::Role;
use web::domain::session_token::Token;
use web::layers::access::Access;
use web::route::PathKind;
use web::router::routes;
use web::store::sessions::Stage;

use crate::browser::Browser;
use crate::full_account::{FullAccount, every_field, send};
use crate::sign_in::begin;
use crate::support::{ADA, BOB, Site};
use crate::webhook_service::insert_account;

/// Pictures are named by their hash, and the API shows them to everybody.
const PUBLIC: &str = "/accounts/{account}/pictures/{name}";
/// A removal of what is not there has nothing to do, whosever it was.
const REMOVALS: [&str; 4] = [
    "/accounts/{account}/webhooks/{endpoint}/remove",
    "/accounts/{account}/claims/{claim}/withdraw",
    "/accounts/{account}/team/invites/{invite}/withdraw",
    "/accounts/{account}/team/{person}/remove",
];

/// Parameters that name nothing that belongs to an account.
const OF_NOBODY: [&str; 3] = ["{account}", "{kind}", "{operation}"];

#[testing::database_test(web::MIGRATOR)]
async fn nobody_reaches_the_account_of_another(pool: PgPool) {
    let full = FullAccount::new(pool).await;
    let site = &full.hooks.site;
    let bob = site.person(BOB).await;
    let own = site.account(bob, Role::Owner).await;
    insert_account(&site.pool, own, "build").await;
    let (own, mut neighbour) = (own.to_string(), site.signed_in(BOB).await);
    let mut stranger = site.browser();
    let before = full.state().await;
    let mut tried = 0;
    for route in routes() {
        if !matches!(route.kind, PathKind::Dashboard(Access::Member(_))) {
            continue;
        }
        let mut parameters = route.path.split('/').filter(|it| it.starts_with('{'));
        let names_a_thing = parameters.any(|it| !OF_NOBODY.contains(&it))
            && route.path != PUBLIC
            && !REMOVALS.contains(&route.path);
        for method in &route.methods {
            let path = full.path(route.path, &full.account);
            let page = send(&mut stranger, method, &path, &every_field()).await;
            if *method == Method::GET {
                assert!(page.location().starts_with("/sign-in"), "{path}");
            } else {
                page.assert(401, "You are signed out");
            }
            // Things of the account are not found under the neighbour's own account either.
            let mut paths = vec![path];
            if names_a_thing {
                paths.push(full.path(route.path, &own));
            }
            for path in paths {
                let page = send(&mut neighbour, method, &path, &every_field()).await;
                assert_eq!(page.status, 404, "{method} {path}: {}", page.text);
                for secret in ["Okoto", "adas-", "svc_", "hooks.example"] {
                    assert!(!page.text.contains(secret), "{path}: {}", page.text);
                }
                tried += 1;
            }
        }
    }
    assert!(tried > 60, "{tried}");
    // Nor can the neighbour end sessions of other people.
    let end = full.own("/you/sessions/{session}/end");
    neighbour.post(&end, &[]).await.location();
    assert_eq!(full.state().await, before);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_role_reaches_only_what_it_may(pool: PgPool) {
    let full = FullAccount::new(pool).await;
    let site = &full.hooks.site;
    let bob = site.person(BOB).await;
    let account = full.account.parse().unwrap();
    site.join(account, bob, Role::Editor).await;
    let mut editor = site.signed_in(BOB).await;
    for route in routes() {
        let PathKind::Dashboard(Access::Member(permission)) = route.kind else {
            continue;
        };
        if Role::Editor.may(permission) || !route.methods.contains(&Method::POST) {
            continue;
        }
        let page = editor.post(&full.own(route.path), &[("role", "owner")]).await;
        page.assert(403, "Your role does not allow this");
    }
}

/// No page has a form, or a link to a form, that the role may not use.
#[testing::database_test(web::MIGRATOR)]
async fn a_page_offers_only_the_forms_that_the_role_may_use(pool: PgPool) {
    let full = FullAccount::new(pool).await;
    let site = &full.hooks.site;
    let account = full.account.parse().unwrap();
    for (email, role) in [(BOB, Role::Editor), ("cyd@games.example", Role::Developer)] {
        let person = site.person(email).await;
        site.join(account, person, role).await;
        let mut member = site.signed_in(email).await;
        let may =
            |kind| matches!(kind, PathKind::Dashboard(Access::Member(needed)) if role.may(needed));
        let routes = || routes().into_iter().filter(|it| it.path.contains("{account}"));
        let mut refused: Vec<String> = routes().map(|it| full.own(it.path)).collect();
        for route in routes().filter(|it| may(it.kind)) {
            refused.retain(|path| *path != full.own(route.path));
        }
        for route in routes().filter(|it| may(it.kind) && it.methods.contains(&Method::GET)) {
            let path = full.own(route.path);
            let page = member.get(&path).await;
            for refused in &refused {
                for part in ["href", "action"] {
                    let offer = format!("{part}=\"{refused}\"");
                    assert!(!page.text.contains(&offer), "{role:?} {path}: {offer}");
                }
            }
        }
    }
}

/// The paths come from the router, so that new ones are covered. A network that sends made-up cookies, links and names of pictures reaches its
/// limit before a statement or a call.
#[testing::database_test(web::MIGRATOR)]
async fn a_network_is_refused_at_its_limits_on_every_path_that_costs_a_call(pool: PgPool) {
    let full = FullAccount::new(pool).await;
    let site = &full.hooks.site;
    let mut stranger = Browser::at(&site.router, 99);
    let made_up = format!("__Host-session={}", Token::generate().text());
    for kind in [PageKind::Site, PageKind::Dashboard, PageKind::Picture, PageKind::Form] {
        site.use_up_pages(kind, &stranger);
    }
    let mut refused = 0;
    for route in routes() {
        for method in &route.methods {
            let path = full.own(route.path);
            stranger.cookie = Some(made_up.clone());
            let page = send(&mut stranger, method, &path, &every_field()).await;
            let is_free = route.kind == PathKind::Asset;
            let is_refused = page.status == StatusCode::TOO_MANY_REQUESTS;
            assert_eq!(is_refused, !is_free, "{method} {path}: {}", page.status);
            refused += usize::from(is_refused);
        }
    }
    assert!(refused > 100, "{refused}");
    // An error page sends the form again.
    let vote = [("draw", "Typed")];
    let page = stranger.post("/vote", &vote).await;
    page.assert(429, "value=\"Typed\"");
    // Nobody else is refused.
    let mut other = Browser::at(&site.router, 98);
    for path in ["/sign-in", &full.own("/link/{token}"), "/pictures/none.jpg"] {
        assert_ne!(other.get(path).await.status, StatusCode::TOO_MANY_REQUESTS);
    }
}

/// A query that a handler cannot read gets a page, never axum's line of text.
#[testing::database_test(web::MIGRATOR)]
async fn a_repeated_parameter_is_answered_by_a_page_on_every_path(pool: PgPool) {
    let full = FullAccount::new(pool).await;
    let unlimited = full.hooks.site.changed(|_| {});
    let mut owner = full.owner.clone().with_router(&unlimited);
    let mut visitor = Browser::new(&unlimited);
    let names = ["next", "done", "cursor", "after", "before", "key", "q", "since"];
    let twice = names.map(|name| format!("{name}=a&{name}=b")).join("&");
    let mut refused = 0;
    for route in routes() {
        for method in &route.methods {
            let path = format!("{}?{twice}", full.own(route.path));
            // A POST of the owner could end the session or the account.
            let browser = match *method {
                Method::GET => [Some(&mut owner), Some(&mut visitor)],
                _ => [None, Some(&mut visitor)],
            };
            for browser in browser.into_iter().flatten() {
                let page = send(browser, method, &path, &every_field()).await;
                let is_refused = page.status == StatusCode::BAD_REQUEST;
                let is_page = page.text.starts_with("<!doctype html>");
                assert!(!is_refused || is_page, "{method} {path}: {}", page.text);
                refused += usize::from(is_refused);
            }
        }
    }
    assert!(refused > 10, "{refused}");
}

#[testing::database_test(web::MIGRATOR)]
async fn made_up_sessions_keep_nobody_out_of_the_dashboard(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut person = site.signed_in(ADA).await;
    let mut stranger = site.browser();
    let mut refused = 0;
    for _ in 0..=120 {
        let made_up = Token::generate().text();
        stranger.cookie = Some(format!("__Host-session={made_up}"));
        refused += u32::from(stranger.get("/accounts").await.status == 429);
    }
    assert_eq!(refused, 1);
    stranger.get("/sign-in").await.assert(429, "Try again in");
    person.get("/accounts").await.assert(200, "");
    // A session in a browser without the device cookie is one of its network's.
    person.cookies.clear();
    person.get("/accounts").await.assert(429, "Try again in");
}

#[testing::database_test(web::MIGRATOR)]
async fn pages_of_a_person_are_limited(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await;
    let mut browser = site.signed_in(ADA).await;
    let mut unfinished = site.browser();
    let token = begin(&site, ada, Stage::SecondFactor).await;
    unfinished.cookie = Some(format!("__Host-session={}", token.text()));
    unfinished.get("/sign-in").await.assert(200, "Sign in");
    let path = format!("/accounts/{account}");
    browser.get(&path).await.assert(200, "Savanna");
    site.use_up_pages(PageKind::Dashboard, &browser);
    let page = browser.get(&path).await;
    page.assert(429, "Too many pages in a minute");
    assert_eq!(page.headers["retry-after"], "60");
    // A session that waits for the second factor is not the person's.
    unfinished.get("/sign-in").await.assert(200, "Sign in");
    // Forms have a limit of their own.
    let leave = browser.post(&format!("{path}/team/leave"), &[]).await;
    leave.assert(422, "at least one owner");
    site.clock.advance(time::Duration::MINUTE);
    browser.get(&path).await.assert(200, "Savanna");
}
