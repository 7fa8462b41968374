//! An account with a thing of every kind, so that a test can fill in every path of the router.

use contracts::common::v1::Mode;
use contracts::gateway::v1::{Key, KeyKind, KeyRequest, KeyRequestState};
use contracts::listings::v1::{Claim, ClaimState};
use http::Method;
use sqlx::{AssertSqlSafe, PgPool};
use web::once_form;
use web::route::Route;

use crate::browser::{Browser, Page};
use crate::stub_pictures::file;
use crate::support::ADA;
use crate::webhook_service::WebhookSite;

/// The address of a person who is invited to the account.
pub(crate) const CAROL: &str = "carol@new.example";

/// A claim of the account that waits.
const CLAIM: &str = "019ae000-0000-7000-8000-000000000001";

/// The account of [`ADA`], who is signed in.
pub(crate) struct FullAccount {
    pub(crate) hooks: WebhookSite,
    pub(crate) account: String,
    pub(crate) owner: Browser,
    key: String,
    request: String,
    invite: String,
    person: String,
    session: String,
    endpoint: String,
    delivery: String,
    token: String,
}

impl FullAccount {
    pub(crate) async fn new(pool: PgPool) -> Self {
        let mut hooks = WebhookSite::new(pool).await;
        hooks.site.app.docs.refresh().await;
        let account = hooks.account.to_string();
        let (key, request) = keys(&hooks, &account);
        hooks.site.listings.game(&account, "okoto", "Okoto");
        hooks.site.listings.add_screenshot(&account, "okoto", "one");
        hooks.site.listings.claims.lock().unwrap().push(Claim {
            id: CLAIM.to_owned(),
            account_id: account.clone(),
            handle: "maliyo".to_owned(),
            state: ClaimState::Waiting.into(),
            ..Claim::default()
        });
        account.clone_into(&mut hooks.site.economy.owner.lock().unwrap());
        "Cowrie".clone_into(hooks.site.economy.name.lock().unwrap().get_or_insert_default());
        let path = hooks.add().await;
        let test = format!("{path}/test");
        let sent = hooks.browser.submit(&path, &test, &[("event", "ping")]).await;
        let delivery = sent.location().to_owned();
        hooks.eventually(&delivery, "Your receiver accepted it").await;
        let team = format!("/accounts/{account}/team");
        let invited = hooks.browser.invite(&account, CAROL, "editor").await;
        invited.location();
        let page = hooks.browser.get(&team).await;
        let (_, rest) = page.text.split_once(&format!("{team}/invites/")).unwrap();
        let invite = rest.split('/').next().unwrap().to_owned();
        let person = person_id(&hooks.site.pool, ADA).await;
        let token = hooks.site.link(CAROL).await.replace("/link/", "");
        Self {
            owner: hooks.browser.clone(),
            session: session_hash(&hooks.browser),
            key,
            request,
            invite,
            person,
            endpoint: last(&path),
            delivery: last(&delivery),
            token,
            account,
            hooks,
        }
    }

    /// Fills a path of the router with the things of this account, under the account `account`.
    ///
    /// An unknown parameter fails the test: add a thing of the account for it.
    pub(crate) fn path(&self, pattern: &str, account: &str) -> String {
        let fill = |segment: &str| self.value(pattern, segment, account);
        pattern.split('/').map(fill).collect::<Vec<_>>().join("/")
    }

    fn value(&self, pattern: &str, segment: &str, account: &str) -> String {
        match segment {
            "{account}" => account.to_owned(),
            "{key}" => self.key.clone(),
            "{request}" => self.request.clone(),
            "{claim}" => CLAIM.to_owned(),
            "{invite}" => self.invite.clone(),
            "{person}" => self.person.clone(),
            "{session}" => self.session.clone(),
            "{endpoint}" => self.endpoint.clone(),
            "{delivery}" => self.delivery.clone(),
            "{token}" => self.token.clone(),
            "{kind}" if pattern.starts_with("/rankings/") => "games".to_owned(),
            "{kind}" if pattern.starts_with("/pictures/drawn/") => "games".to_owned(),
            "{kind}" => "game".to_owned(),
            "{version}" => "1".to_owned(),
            "{country}" | "{code}" => "NG".to_owned(),
            "{file}" => "okoto.svg".to_owned(),
            "{board}" => "week".to_owned(),
            "{page}" => "errors".to_owned(),
            "{operation}" => "listGames".to_owned(),
            "{event}" => "listing.published".to_owned(),
            "{picture}" => "cover".to_owned(),
            "{name}" if pattern.starts_with("/assets/") => "style.css".to_owned(),
            "{name}" if pattern.ends_with("/pictures/{name}") => file(),
            "{slug}" if pattern.starts_with("/events/") => "jam".to_owned(),
            "{slug}" if pattern.starts_with("/cities/") => "lagos".to_owned(),
            "{handle}" => "savanna".to_owned(),
            "{game}" | "{name}" | "{slug}" => "okoto".to_owned(),
            unknown if unknown.starts_with('{') => {
                unreachable!("full_account.rs has nothing for {unknown} of {pattern}")
            }
            literal => literal.to_owned(),
        }
    }

    /// Fills a path of the router, under this account.
    pub(crate) fn own(&self, pattern: &str) -> String {
        self.path(pattern, &self.account)
    }

    /// Everything that a form could change.
    pub(crate) async fn state(&self) -> String {
        let site = &self.hooks.site;
        let mut state = String::new();
        for table in [
            "web.person",
            "web.recovery_code",
            "web.member",
            "web.link",
            "web.mail",
            "web.activity",
            "web.sent_notice",
            "webhook.endpoint",
            "webhook.waiting",
        ] {
            state.push_str(&rows(&site.pool, table).await);
        }
        format!(
            "{state} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {}",
            site.gateway.keys,
            site.gateway.requests,
            site.gateway.accounts,
            site.listings.calls,
            site.listings.games,
            site.economy.name,
            site.catalogue.votes.cast,
            self.hooks.receiver.bodies().len(),
        )
    }
}

pub(crate) async fn person_id(pool: &PgPool, email: &str) -> String {
    let person = web::store::people::by_email(pool, email).await.unwrap();
    person.unwrap().id.to_string()
}

/// All rows of a table as text.
#[expect(clippy::disallowed_methods, reason = "the name of the table is a parameter")]
pub(crate) async fn rows(pool: &PgPool, table: &str) -> String {
    let sql =
        format!("select coalesce(string_agg(t::text, ' ' order by t::text), '') from {table} t");
    let rows = sqlx::query_scalar(AssertSqlSafe(sql)).fetch_one(pool);
    rows.await.unwrap()
}

/// Adds a key, and an approved request for another key; returns their ids.
fn keys(hooks: &WebhookSite, account: &str) -> (String, String) {
    let (key, request) = (kit::ids::row_id().to_string(), kit::ids::row_id().to_string());
    let gateway = &hooks.site.gateway;
    gateway.keys.lock().unwrap().push(Key {
        id: key.clone(),
        account_id: account.to_owned(),
        name: "adas-key".to_owned(),
        mode: Mode::Test.into(),
        kind: KeyKind::Account.into(),
        ..Key::default()
    });
    let asked = KeyRequest {
        id: request.clone(),
        account_id: account.to_owned(),
        name: "adas-live-key".to_owned(),
        kind: KeyKind::Account.into(),
        state: KeyRequestState::Approved.into(),
        ..KeyRequest::default()
    };
    gateway.requests.lock().unwrap().push(asked);
    (key, request)
}

fn last(path: &str) -> String {
    path.rsplit('/').next().unwrap().to_owned()
}

/// The hash by which pages name a browser's session.
pub(crate) fn session_hash(browser: &Browser) -> String {
    let cookie = browser.cookie.clone().unwrap();
    let (_, token) = cookie.split_once('=').unwrap();
    let token = web::domain::session_token::Token::parse(token).unwrap();
    token.hash().hex()
}

/// The fields of all forms together; each form reads its own.
pub(crate) fn every_field() -> Vec<(&'static str, String)> {
    let fixed = [
        ("email", "taken@evil.example"),
        ("role", "editor"),
        ("name", "Taken"),
        ("account_name", "Taken"),
        ("password", "baobab lorry teapot nine"),
        ("current", "baobab lorry teapot nine"),
        ("code", "123456"),
        ("mode", "test"),
        ("kind", "account"),
        ("url", "https://hooks.example/"),
        ("events", "tip.paid"),
        ("scopes", "keys:read"),
        ("event", "ping"),
        ("since", "2026-11-01T00:00"),
        ("confirmed", "yes"),
        ("creator", "studio"),
        ("title", "Taken"),
        ("genres", "puzzle"),
        ("base", "title=0"),
        ("reason", "Taken"),
        ("handle", "maliyo"),
        ("evidence", "Taken"),
        ("revision", "2"),
        ("alt", "Taken"),
        ("place", "1"),
        ("next", "/you"),
        ("text", "Taken"),
        ("state", "done"),
        ("draw", "Taken"),
        ("pick", "first"),
    ];
    let fixed = fixed.map(|(name, value)| (name, value.to_owned()));
    let mut fields = vec![("form", once_form::new_id())];
    fields.extend(fixed);
    fields
}

/// Sends a request of a route with these fields, as a browser does.
pub(crate) async fn send(
    browser: &mut Browser,
    method: &Method,
    path: &str,
    fields: &[(&'static str, String)],
) -> Page {
    if *method == Method::GET {
        return browser.get(path).await;
    }
    let fields: Vec<(&str, &str)> = fields.iter().map(|(n, v)| (*n, v.as_str())).collect();
    browser.post(path, &fields).await
}

/// The routes that accept POST.
pub(crate) fn forms() -> impl Iterator<Item = Route> {
    let routes = web::router::routes().into_iter();
    routes.filter(|route| route.methods.contains(&Method::POST))
}
