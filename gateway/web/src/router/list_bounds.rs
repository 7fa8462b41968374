//! No page shows a list that only the data bound: the table says what bounds it.

use std::collections::BTreeSet;

use http::Method;

use super::routes;

/// The pages with lists, and what bounds each.
const BOUNDS: &[(&str, &str)] = &[
    (
        "/",
        "10 games, 4 events, 10 genres, and a link for each kind",
    ),
    ("/search", "24 rows a page"),
    ("/games", "24 rows a page"),
    (
        "/games/{slug}",
        "200 screenshots and 200 credits; 4 games of the creator and 4 similar ones",
    ),
    ("/creators", "24 rows a page"),
    ("/creators/{handle}", "24 games"),
    ("/events", "24 rows a page"),
    ("/games/feed.xml", "the newest 50"),
    ("/events/feed.xml", "the next 100"),
    ("/events/calendar.ics", "the next 500"),
    ("/countries", "the countries of Africa"),
    (
        "/countries/{code}",
        "24 cities; 6 games, 6 creators and 6 events",
    ),
    ("/cities", "24 rows a page"),
    ("/cities/{slug}", "24 creators, and 6 games and 6 events"),
    ("/rankings", "5 rows of each of the six boards"),
    ("/rankings/{kind}/{board}", "24 rows a page"),
    ("/vote", "a pair, and the ranks of a round of five votes"),
    (
        "/vote/creators",
        "a pair, and the ranks of a round of five votes",
    ),
    (
        "/economy",
        "24 currencies a page, and the first 200 to choose from",
    ),
    (
        "/economy/{game}",
        "24 rates a page, and the first 200 currencies to choose from",
    ),
    (
        "/economy/{game}/{other}",
        "the points of 92 days, and the first 200 currencies to choose from",
    ),
    ("/sitemap.xml", "a file for each 50,000 listings of a kind"),
    ("/sitemap/{name}", "50,000 addresses"),
    ("/docs/search", "the best 20"),
    ("/you", "the 50 sessions of a person"),
    ("/you/activity", "100 rows a page"),
    ("/accounts", "the 100 accounts of a person"),
    ("/accounts/new", "the 100 accounts of a person"),
    ("/claim/{handle}", "the 100 accounts of a person"),
    ("/add-game", "the 100 accounts of a person"),
    (
        "/accounts/{account}",
        "the keys of the account and their requests; 500 pages, 100 listings and 100 claims; 3 endpoints; 5 games; 5 actions, and the team",
    ),
    ("/accounts/{account}/keys", "200 keys and 200 requests"),
    ("/accounts/{account}/usage", "31 days"),
    ("/accounts/{account}/plans", "the plans of the fleet"),
    (
        "/accounts/{account}/requests",
        "50 rows a page, and the keys to choose from",
    ),
    ("/accounts/{account}/team", "100 people and invitations"),
    ("/accounts/{account}/activity", "100 rows a page"),
    ("/accounts/{account}/webhooks", "the plan's endpoints"),
    (
        "/accounts/{account}/webhooks/{endpoint}",
        "the newest 10 deliveries, and the types of events",
    ),
    (
        "/accounts/{account}/webhooks/{endpoint}/deliveries",
        "100 rows a page",
    ),
    (
        "/accounts/{account}/webhooks/{endpoint}/deliveries/{delivery}",
        "the attempts of the schedule",
    ),
    (
        "/accounts/{account}/listings",
        "500 pages, and 100 listings a page",
    ),
    (
        "/accounts/{account}/listings/new/{kind}",
        "the values of the fields, and 500 pages",
    ),
    (
        "/accounts/{account}/listings/{kind}/{name}",
        "the fields; the oldest 50 notes; 20 revisions a page",
    ),
    (
        "/accounts/{account}/listings/{kind}/{name}/edit",
        "the values of the fields, and 500 pages",
    ),
    (
        "/accounts/{account}/listings/{kind}/{name}/pictures",
        "200 screenshots",
    ),
    ("/accounts/{account}/claims", "the newest 100"),
    ("/accounts/{account}/economy", "100 games a page"),
    (
        "/accounts/{account}/economy/{game}",
        "the newest 100 names; 20 reports a page; 24 rates a page",
    ),
];

/// The others: pages of one thing, and those whose lists are in the code, the texts or the description of the API.
const WITHOUT_LISTS: &[&str] = &[
    "/pictures/{name}",
    "/pictures/drawn/{version}/{kind}/{country}/{file}",
    "/events/{slug}",
    "/events/{slug}/calendar.ics",
    "/correct/{kind}/{name}",
    "/report/{kind}/{name}",
    "/about/rates",
    "/about/boards",
    "/about/design",
    "/credits",
    "/terms",
    "/privacy",
    "/card.jpg",
    "/games/{slug}/card.jpg",
    "/creators/{handle}/card.jpg",
    "/events/{slug}/card.jpg",
    "/embed/games/{slug}",
    "/oembed",
    "/robots.txt",
    "/docs",
    "/docs/all",
    "/docs/{page}",
    "/docs/reference",
    "/docs/reference.md",
    "/docs/reference/{operation}",
    "/docs/reference/webhooks/{event}",
    "/docs/changelog/feed.xml",
    "/llms.txt",
    "/llms-full.txt",
    "/assets/{name}",
    "/favicon.ico",
    "/apple-touch-icon.png",
    "/.well-known/security.txt",
    "/.well-known/change-password",
    "/sign-up",
    "/sign-in",
    "/sign-in/code",
    "/sign-in/lost-phone",
    "/reset",
    "/link/{token}",
    "/you/password",
    "/you/email",
    "/you/totp",
    "/you/totp/codes",
    "/you/totp/off",
    "/you/delete",
    "/takedown/{kind}/{name}",
    "/accounts/{account}/settings",
    "/accounts/{account}/keys/new",
    "/accounts/{account}/keys/{key}",
    "/accounts/{account}/webhooks/new",
    "/accounts/{account}/webhooks/samples",
    "/accounts/{account}/webhooks/{endpoint}/change",
    "/accounts/{account}/webhooks/{endpoint}/check",
    "/accounts/{account}/webhooks/{endpoint}/recover",
    "/accounts/{account}/listings/{kind}/{name}/takedown",
    "/accounts/{account}/pictures/{name}",
];

#[test]
fn every_page_with_a_list_says_what_bounds_it() {
    let pages = routes().into_iter();
    let pages = pages.filter(|route| route.methods.contains(&Method::GET));
    let pages: BTreeSet<&str> = pages.map(|route| route.path).collect();
    let bounded = BOUNDS.iter().map(|(path, _)| *path);
    let listed: Vec<&str> = bounded.chain(WITHOUT_LISTS.iter().copied()).collect();
    let known: BTreeSet<&str> = listed.iter().copied().collect();
    assert_eq!(
        pages, known,
        "left: the pages of the router; right: those of the tables"
    );
    assert_eq!(known.len(), listed.len(), "a path is in the tables twice");
}
