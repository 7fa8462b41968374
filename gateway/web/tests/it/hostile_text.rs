//! Hostile text in every field that a studio, its team or its receivers can fill, on every page of the router.

use std::collections::BTreeSet;

use contracts::gateway::v1::{KeyKind, KeyRequestState};
use http::Method;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use sqlx::{AssertSqlSafe, PgPool};
use time::Duration;
use web::router::routes;

use crate::browser::Page;
use crate::full_account::{FullAccount, person_id};
use crate::support::{ADA, PASSWORD, Site};
use crate::typed_forms::{NEW_ACCOUNT, OF_ACCOUNTS, OF_PEOPLE};

const LINK: &str = "javascript:alert(1)";

/// The fields with [`hostile`] text. Some page must show each of them, escaped.
const FIELDS: [&str; 23] = [
    "account name",
    "key name",
    "key game",
    "request name",
    "request reason",
    "catalogue",
    "vote",
    "listings",
    "title",
    "tagline",
    "description",
    "genre",
    "link key",
    "link",
    "alt",
    "economy",
    "currency",
    "endpoint",
    "endpoint reason",
    "member",
    "invited",
    "activity",
    "agent",
];

fn hostile(field: &str) -> String {
    format!("\"><script>alert({field})</script>&lt;img src=x onerror=1>")
}

#[track_caller]
fn assert_harmless(page: &Page, path: &str) {
    assert!(!page.status.is_server_error(), "{path}: {}", page.text);
    let media_type = page.headers.get("content-type");
    if media_type.is_some_and(|it| it == "text/calendar; charset=utf-8") {
        // Calendars contain text unescaped, but browsers do not render them as pages.
        assert_eq!(page.headers["x-content-type-options"], "nosniff", "{path}");
        return;
    }
    let text = page.text.to_lowercase();
    for raw in [
        "<script>alert",
        "<img src=x",
        "onerror=1>",
        "href=\"javascript:",
        "src=\"javascript:",
        "action=\"javascript:",
        "url=javascript:",
    ] {
        assert!(!text.contains(raw), "{path} has {raw}: {}", page.text);
    }
}

fn fill_gateway(site: &Site, account: &str) {
    let gateway = &site.gateway;
    let mut accounts = gateway.accounts.lock().unwrap();
    accounts.get_mut(account).unwrap().name = hostile("account name");
    for key in gateway.keys.lock().unwrap().iter_mut() {
        key.name = hostile("key name");
        key.game = Some(hostile("key game"));
        key.set_kind(KeyKind::Secret);
    }
    for request in gateway.requests.lock().unwrap().iter_mut() {
        request.name = hostile("request name");
        request.set_state(KeyRequestState::Asked);
        gateway.end(request, "", &hostile("request reason"));
    }
}

fn fill_listings(site: &Site, account: &str) {
    *site.listings.words.lock().unwrap() = Some(hostile("listings"));
    site.listings.change(account, "okoto", |game| {
        game.title = hostile("title");
        game.tagline = hostile("tagline");
        game.description = hostile("description");
        game.genres = vec![hostile("genre")];
        game.platforms = vec![hostile("genre")];
        game.stage = hostile("genre");
        game.trailer_url = Some(LINK.to_owned());
        game.cover_url = Some(LINK.to_owned());
        game.links.insert("play".to_owned(), LINK.to_owned());
        game.links.insert("steam".to_owned(), hostile("link"));
        game.links.insert(hostile("link key"), LINK.to_owned());
        game.screenshots = vec![contracts::listings::v1::Screenshot {
            url: format!("https://mchezo.example/pictures/{}", crate::stub_pictures::file()),
            alt: hostile("alt"),
            ..contracts::listings::v1::Screenshot::default()
        }];
        game.credits = vec![contracts::listings::v1::Credit::default()];
    });
    *site.catalogue.words.lock().unwrap() = Some((hostile("catalogue"), LINK));
    *site.catalogue.votes.words.lock().unwrap() = Some(hostile("vote"));
    *site.economy.words.lock().unwrap() = Some(hostile("economy"));
    *site.economy.name.lock().unwrap() = Some(hostile("currency"));
}

#[expect(clippy::disallowed_methods, reason = "the tables of two services")]
async fn update(pool: &PgPool, sql: &str, text: &str) {
    let changed =
        sqlx::query(AssertSqlSafe(sql.to_owned())).bind(text).execute(pool).await.unwrap();
    assert!(changed.rows_affected() > 0, "{sql}");
}

async fn fill(full: &mut FullAccount) {
    let hooks = &mut full.hooks;
    hooks.receiver.say(&hostile("answer"));
    let path = world_endpoint(hooks).await;
    let test = format!("{path}/test");
    let sent = hooks.browser.submit(&path, &test, &[("event", "ping")]).await;
    let delivery = sent.location().to_owned();
    let page = hooks.eventually(&delivery, "Your receiver accepted it").await;
    page.assert(200, "alert(answer)");
    assert_harmless(&page, &delivery);
    let site = &hooks.site;
    let mut browser = site.browser();
    browser.agent = hostile("agent");
    let fields = [("email", ADA), ("password", PASSWORD)];
    browser.post("/sign-in", &fields).await.location();
    fill_gateway(site, &full.account);
    fill_listings(site, &full.account);
    let member = site.person("member@studio.example").await;
    site.join(full.account.parse().unwrap(), member, web::domain::role::Role::Editor).await;
    let pool = &site.pool;
    let sql = "update web.person set email = $1 where email like 'member@%'";
    update(pool, sql, &hostile("member")).await;
    let sql = "update web.link set email = $1 where purpose = 'invite'";
    update(pool, sql, &hostile("invited")).await;
    let sql = "update web.activity set subject = $1, action = $1, email = $1, agent = $1 where account_id is not null";
    update(pool, sql, &hostile("activity")).await;
    let sql = "update webhook.endpoint set state = 'off', url = 'https://hooks.example/' || $1";
    update(pool, sql, &hostile("endpoint")).await;
    let sql = "update webhook.endpoint set reason = $1";
    update(pool, sql, &hostile("endpoint reason")).await;
}

/// The path of the page of the only endpoint.
async fn world_endpoint(hooks: &mut crate::webhook_service::WebhookSite) -> String {
    let base = hooks.base();
    let list = hooks.browser.get(&base).await;
    let start = format!("href=\"{base}/");
    let links = list.text.split(&start).skip(1);
    let mut ids = links.filter_map(|rest| rest.split('"').next());
    let id = ids.find(|id| id.len() == 36).unwrap();
    format!("{base}/{id}")
}

#[testing::database_test(web::MIGRATOR)]
async fn no_page_runs_what_a_studio_wrote(pool: PgPool) {
    let mut full = FullAccount::new(pool).await;
    fill(&mut full).await;
    let mut stranger = full.hooks.site.browser();
    let mut seen = BTreeSet::new();
    let mut look = |page: &Page, path: &str| {
        assert_harmless(page, path);
        let fields = FIELDS.iter().copied();
        seen.extend(fields.filter(|field| page.text.contains(&format!("alert({field})"))));
    };
    for route in routes() {
        if !route.methods.contains(&Method::GET) {
            continue;
        }
        let path = full.own(route.path);
        look(&full.owner.get(&path).await, &path);
        look(&stranger.get(&path).await, &path);
    }
    let missing: Vec<&&str> = FIELDS.iter().filter(|it| !seen.contains(*it)).collect();
    assert!(missing.is_empty(), "no page shows {missing:?}");
    // The address of the person is hostile too.
    let id = person_id(&full.hooks.site.pool, ADA).await;
    let sql = format!("update web.person set email = $1 where id = '{id}'");
    update(&full.hooks.site.pool, &sql, &hostile("person")).await;
    let page = full.owner.get("/you").await;
    page.assert(200, "alert(person)");
    assert_harmless(&page, "/you");
}

/// The text that somebody types or puts into an address: no page runs it, and no form or page fails. PostgreSQL has no text with a NUL.
fn typed() -> [String; 3] {
    [hostile("typed"), LINK.to_owned(), "a\0b".to_owned()]
}

/// Each field in turn, so that the rules accept the others.
#[testing::database_test(web::MIGRATOR)]
async fn no_form_runs_or_fails_on_what_was_typed(pool: PgPool) {
    let mut full = FullAccount::new(pool).await;
    for typed in typed() {
        let tables = OF_ACCOUNTS.iter().chain(NEW_ACCOUNT).chain(OF_PEOPLE);
        // The first would delete the person, and the second needs a second factor.
        let forms = tables.filter(|it| !["/you/delete", "/sign-in/code"].contains(&it.action));
        for form in forms {
            full.hooks.site.clock.advance(Duration::minutes(1));
            let shown = full.owner.get(&full.own(form.page)).await;
            let own = form.typed(&shown.hidden(), false);
            for (at, _) in own.iter().enumerate().filter(|(_, it)| it.0 != "form") {
                let mut fields = own.clone();
                fields[at].1.clone_from(&typed);
                let mut owner = full.owner.clone();
                let page = form.post(&mut owner, &full, &fields).await;
                full.owner = owner;
                let name = format!("{} {}={typed:?}", form.action, fields[at].0);
                assert_harmless(&page, &name);
            }
        }
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn no_page_runs_or_fails_on_what_its_address_says(pool: PgPool) {
    let mut full = FullAccount::new(pool).await;
    let mut stranger = full.hooks.site.browser();
    let names = [
        "next", "done", "to", "cursor", "state", "since", "before", "after", "key", "errors", "q",
        "page", "genre", "country", "city", "kind", "when", "type", "handle", "draw", "month",
    ];
    for typed in typed() {
        let typed = utf8_percent_encode(&typed, NON_ALPHANUMERIC).to_string();
        let query = names.map(|name| format!("{name}={typed}")).join("&");
        for route in routes() {
            if !route.methods.contains(&Method::GET) {
                continue;
            }
            full.hooks.site.clock.advance(Duration::seconds(10));
            let mut paths = vec![format!("{}?{query}", full.own(route.path))];
            if let Some((parent, last)) = route.path.rsplit_once('/')
                && last.starts_with('{')
            {
                paths.push(format!("{}/{typed}", full.own(parent)));
            }
            for path in paths {
                for browser in [&mut full.owner, &mut stranger] {
                    assert_harmless(&browser.get(&path).await, &path);
                }
            }
        }
    }
}
