//! Checks pages in both themes, wide and narrow: axe finds no violation, no script fails, the content security policy blocks nothing, nothing is
//! wider than the window, and a page has at most 200 KB.

use std::path::{Path, PathBuf};

use e2e::{Client, Fleet, WebClient, eventually};
use reqwest::Method;
use serde_json::json;

use crate::axe::{self, Rules};
use crate::browser::Browser;
use crate::layout::{
    assert_filters_in_a_row, assert_pictures_keep_their_shape, assert_small_header,
    assert_small_header_of_site, assert_tables_start_with_their_point,
};
use crate::scripts::tick_at_most_three_genres;

/// The theme, the width of the window, and the rules of axe if axe runs.
type View = (&'static str, u32, Option<Rules>);
/// All views of the long run. A theme changes only colors, and the wide window shows all elements.
const ALL: &[View] = &[
    ("light", 1_280, Some(Rules::All)),
    ("light", 360, Some(Rules::All)),
    ("dark", 1_280, Some(Rules::Contrast)),
];
const SHORT: &[View] = &[("light", 1_280, Some(Rules::All)), ("light", 360, None)];
/// A view only for a screenshot.
const SCREENSHOT: View = ("dark", 360, None);
/// The most bytes of a page with its resources, uncompressed. A list has 24 pictures; a drawn one has about 3 KB.
const MOST_BYTES: u64 = 200_000;

/// Pages of visitors: one for each template.
#[rustfmt::skip]
const TEMPLATES: [&str; 25] = [
    "/", "/games", "/creators", "/events", "/countries", "/countries/KE", "/cities", "/search?q=puzle", "/vote", "/rankings",
    "/rankings/games/week", "/economy", "/about/rates", "/terms", "/no-such-page", "/sign-up", "/sign-in", "/reset", "/link/no-such-link",
    "/docs", "/docs/errors", "/docs/reference", "/docs/reference/submitGame", "/docs/reference/webhooks/listing.published", "/fr/games",
];
/// More pages of visitors: one for each kind of French page and of documentation.
#[rustfmt::skip]
const MORE: [&str; 13] = [
    "/vote/creators", "/rankings/creators/all", "/about/boards", "/credits", "/privacy", "/docs/webhooks", "/fr", "/fr/vote", "/fr/countries",
    "/fr/about/boards", "/fr/sign-up", "/fr/link/no-such-link", "/docs/keys",
];
/// Pages of an account, below its path: one for each template.
#[rustfmt::skip]
const TEMPLATES_OF_ACCOUNT: [&str; 13] = [
    "", "/settings", "/keys", "/keys/new", "/team", "/activity", "/webhooks", "/webhooks/new", "/listings", "/listings/new/game", "/claims",
    "/usage", "/plans",
];
const MORE_OF_ACCOUNT: [&str; 4] =
    ["/listings/new/page", "/listings/new/event", "/requests", "/economy"];
/// The pages of a person.
#[rustfmt::skip]
const PERSONAL: [&str; 7] = [
    "/you", "/you/password", "/you/email", "/you/totp", "/you/delete", "/accounts", "/accounts/new",
];

/// The pages of a game of the account, below the path of the account.
fn pages_of_game(slug: &str) -> [String; 4] {
    [
        format!("/listings/game/{slug}"),
        format!("/listings/game/{slug}/edit"),
        format!("/listings/game/{slug}/pictures"),
        format!("/economy/{slug}"),
    ]
}

/// Checks the open page in the views of the short run; returns its problems.
pub(crate) async fn problems(browser: &Browser, path: &str) -> Vec<String> {
    problems_in(SHORT, browser, path).await
}

async fn problems_in(views: &[View], browser: &Browser, path: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let screenshots = screenshot_folder();
    let more = screenshots.is_some().then_some(&SCREENSHOT);
    for &(theme, width, rules) in views.iter().chain(more) {
        browser.show_as(width, theme).await;
        let mut problem = |what: String| problems.push(format!("{path}, {width}, {theme}: {what}"));
        if let Some(rules) = rules {
            for violation in axe::violations(browser, rules).await {
                problem(violation.to_string());
            }
        }
        let script =
            "return document.scrollingElement.scrollWidth - document.documentElement.clientWidth";
        let beyond: i64 = browser.run(script).await;
        if beyond != 0 {
            problem(format!("{beyond} pixels wider than the window"));
        }
        if let Some(folder) = &screenshots {
            save_screenshot(browser, folder, path, width, theme).await;
        }
    }
    let script = "return [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
        .map((entry) => [entry.name, entry.decodedBodySize])";
    let loaded: Vec<(String, u64)> = browser.run(script).await;
    let bytes: u64 = loaded.iter().map(|(_, bytes)| bytes).sum();
    if bytes > MOST_BYTES {
        problems.push(format!("{path}: {bytes} bytes: {loaded:?}"));
    }
    let here = &browser.fleet.dashboard_url;
    for (address, _) in loaded.iter().filter(|(it, _)| !it.starts_with(here)) {
        problems.push(format!("{path} loads {address}"));
    }
    problems.extend(browser.log().await);
    problems
}

/// The folder for screenshots; `None` if nobody wants any.
fn screenshot_folder() -> Option<PathBuf> {
    std::env::var_os("SCREENSHOTS").map(PathBuf::from)
}

async fn save_screenshot(browser: &Browser, folder: &Path, path: &str, width: u32, theme: &str) {
    let taken = browser
        .devtools("Page.captureScreenshot", serde_json::json!({ "captureBeyondViewport": true }))
        .await;
    let bytes = base64::Engine::decode(
        &base64::engine::general_purpose::STANDARD,
        taken["data"].as_str().unwrap(),
    );
    let words = path.split('/').filter(|word| word.parse::<uuid::Uuid>().is_err());
    let name: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let file = format!("{}-{theme}-{width}.png", name.join("-"));
    std::fs::create_dir_all(folder).unwrap();
    std::fs::write(folder.join(file), bytes.unwrap()).unwrap();
}

pub(crate) async fn sign_in(browser: &Browser) -> String {
    let account = browser.fleet.account("free").clone();
    browser.open("/sign-in").await;
    browser.fill("email", &account.email).await;
    browser.fill("password", &account.password).await;
    browser.click("main button").await;
    browser.until("nav.account").await;
    browser.path().await
}

/// Lets two games report; returns the page of a currency.
async fn currency_page(fleet: &Fleet) -> String {
    let accounts = ["free", "other"].map(|name| fleet.account(name));
    for account in accounts {
        let client = Client::new(fleet, &account.keys.live_secret);
        let report = json!({
            "supply": 1_000_000, "minted": 5_000, "burned": 1_000,
            "basket": {"meal": 10, "ride": 5, "wage": 100, "rent": 900}, "output": 42_000, "active_players": 120,
        });
        let request = client.request(Method::POST, "/economy/report");
        let answer = client.send(request.json(&report)).await;
        // A game may report once an hour, and another test may have reported for it.
        assert!([201, 429].contains(&answer.status.as_u16()), "{}", answer.text);
    }
    let [one, other] = accounts.map(|account| account.economy_game.as_str());
    let page = format!("/economy/{one}");
    // The page may use a list of currencies that is ten seconds old.
    let mut visitor = WebClient::new(fleet);
    eventually("the page with a rate", async || {
        let shown = visitor.get(&page).await;
        shown.text.contains(&format!("/economy/{other}")).then_some(())
    })
    .await;
    page
}

/// The pages of a game, a creator, an event and a city.
pub(crate) async fn listing_pages(fleet: &Fleet) -> [String; 4] {
    let client = Client::new(fleet, &fleet.account("free").keys.live);
    let first = async |path: &str, name: &str| {
        let rows = client.get(path).await;
        rows.data()[0][name].as_str().unwrap().to_owned()
    };
    let game = &fleet.account("free").economy_game;
    let creator = first("/creators?limit=1", "handle").await;
    let event = first("/events?limit=1", "slug").await;
    let city = first("/cities?limit=1", "slug").await;
    [
        format!("/games/{game}"),
        format!("/creators/{creator}"),
        format!("/events/{event}"),
        format!("/cities/{city}"),
    ]
}

/// These pages, and those of a currency and of some listings.
async fn with_listings(fleet: &Fleet, pages: &[&str]) -> Vec<String> {
    let pages = pages.iter().map(|page| (*page).to_owned()).chain([currency_page(fleet).await]);
    pages.chain(listing_pages(fleet).await).collect()
}

/// These pages of an account, the pages of its game, and those of a person.
fn pages_of_account(fleet: &Fleet, account: &str, pages: &[&str]) -> Vec<String> {
    let game = pages_of_game(&fleet.account("free").economy_game);
    let pages = pages
        .iter()
        .map(|page| (*page).to_owned())
        .chain(game)
        .map(|path| format!("{account}{path}"));
    pages.chain(PERSONAL.map(ToOwned::to_owned)).collect()
}

async fn check(
    views: &[View],
    browser: &Browser,
    paths: impl IntoIterator<Item = String>,
) -> Vec<String> {
    let mut found = Vec::new();
    for path in paths {
        browser.open(&path).await;
        found.extend(problems_in(views, browser, &path).await);
    }
    found
}

async fn assert_none(browser: Browser, mut found: Vec<String>) {
    // A page with an error status is logged as a resource that failed to load.
    let expected = ["status of 404", "status of 410"];
    found.retain(|problem| !expected.iter().any(|it| problem.contains(it)));
    assert_eq!(found, Vec::<String>::new());
    browser.close().await;
}

/// Takes more than a minute: axe checks a page of each template.
#[tokio::test]
async fn a_page_of_each_template_has_no_problem() {
    let browser = Browser::start().await;
    let public = with_listings(&browser.fleet, &TEMPLATES).await;
    let mut found = check(SHORT, &browser, public).await;
    let account = sign_in(&browser).await;
    let pages = pages_of_account(&browser.fleet, &account, &TEMPLATES_OF_ACCOUNT);
    found.extend(check(SHORT, &browser, pages).await);
    assert_none(browser, found).await;
}

#[tokio::test]
#[ignore = "long: some 40 pages in three views"]
async fn the_pages_of_visitors_have_no_problem() {
    let browser = Browser::start().await;
    assert_small_header_of_site(&browser).await;
    for prefix in ["", "/fr"] {
        assert_filters_in_a_row(&browser, prefix).await;
    }
    let pages = [&TEMPLATES[..], &MORE].concat();
    let pages = with_listings(&browser.fleet, &pages).await;
    let found = check(ALL, &browser, pages).await;
    assert_none(browser, found).await;
}

#[tokio::test]
#[ignore = "long: some 30 pages in three views"]
async fn the_pages_of_an_account_have_no_problem() {
    let browser = Browser::start().await;
    let account = sign_in(&browser).await;
    assert_small_header(&browser).await;
    assert_tables_start_with_their_point(&browser, &account).await;
    assert_pictures_keep_their_shape(&browser, &account).await;
    tick_at_most_three_genres(&browser, &account).await;
    let pages = [&TEMPLATES_OF_ACCOUNT[..], &MORE_OF_ACCOUNT].concat();
    let pages = pages_of_account(&browser.fleet, &account, &pages);
    let found = check(ALL, &browser, pages).await;
    assert_none(browser, found).await;
}
