//! The public site: its pages in both languages, caching, and limits.

use axum::body::Body;
use http::header::{ACCEPT_LANGUAGE, CACHE_CONTROL, ETAG, IF_NONE_MATCH, SET_COOKIE, VARY};
use http::{Method, Request};
use sqlx::PgPool;
use time::Duration;
use web::route::PathKind;
use web::router::routes;

use crate::browser::{Browser, Page};
use crate::stub_catalogue::HeldRead;
use crate::stub_pictures;
use crate::support::{ADA, Site};

pub(crate) async fn get_with(browser: &mut Browser, path: &str, headers: &[(&str, &str)]) -> Page {
    let mut request = Request::get(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    browser.send(request.body(Body::empty()).unwrap()).await
}

/// The public paths, filled with a listing of the stub.
pub(crate) fn paths() -> Vec<String> {
    let public = routes()
        .into_iter()
        .filter(|route| route.kind == PathKind::Public)
        // A page with a form is not cached.
        .filter(|route| route.methods == [Method::GET]);
    // Feeds are not HTML.
    let public = public.filter(|route| !route.path.contains('.'));
    let filled = public.map(|route| {
        let name = match route.path {
            "/games/{slug}" | "/economy/{game}" => "okoto",
            "/creators/{handle}" => "savanna",
            "/events/{slug}" => "jam",
            "/countries/{code}" => "NG",
            "/cities/{slug}" => "lagos",
            "/rankings/{kind}/{board}" => "games/week",
            _ => "",
        };
        match route.path.split_once('{') {
            Some((before, _)) => format!("{before}{name}"),
            None => route.path.to_owned(),
        }
    });
    filled.collect()
}

#[testing::database_test(web::MIGRATOR)]
async fn every_page_is_cacheable_with_revalidation(pool: PgPool) {
    let site = Site::new(pool).await;
    *site.economy.name.lock().unwrap() = Some("Cowrie".to_owned());
    let paths = paths();
    assert!(paths.len() > 15, "{paths:?}");
    let mut tags = std::collections::BTreeSet::new();
    for path in &paths {
        // The network of the tests has 120 pages a minute.
        site.clock.advance(Duration::seconds(10));
        for prefix in ["", "/en", "/fr"] {
            let path = format!("{prefix}{}", path.trim_end_matches('/'));
            let path = if path.is_empty() { "/" } else { &path };
            let mut browser = site.browser();
            let page = browser.get(path).await;
            let lang = if prefix == "/fr" { "fr" } else { "en" };
            page.assert(200, &format!("<html lang=\"{lang}\">"));
            assert_eq!(page.headers[CACHE_CONTROL], "public, no-cache", "{path}");
            assert_eq!(page.headers["content-language"], lang, "{path}");
            let vary = page.headers[VARY].to_str().unwrap();
            assert!(vary.starts_with("accept-encoding"), "{path}: {vary}");
            let is_negotiated = vary.ends_with("accept-language");
            assert_eq!(is_negotiated, prefix.is_empty(), "{path}: {vary}");
            assert!(!page.headers.contains_key(SET_COOKIE), "{path}");
            let tag = page.headers[ETAG].to_str().unwrap().to_owned();
            let head = Request::head(path).body(Body::empty()).unwrap();
            let head = browser.send(head).await;
            assert_eq!(head.headers[ETAG], tag.as_str(), "{path}");
            let again = get_with(&mut browser, path, &[("if-none-match", &tag)]).await;
            assert_eq!(again.status, 304, "{path}");
            assert!(again.text.is_empty(), "{path}");
            assert_eq!(again.headers[ETAG], tag.as_str(), "{path}");
            assert!(tags.insert(tag), "{path} has the tag of another page");
        }
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn the_page_of_a_game_shows_the_fields_of_the_api(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    *site.economy.name.lock().unwrap() = Some("Cowrie".to_owned());
    site.catalogue.add_game("ayo", "savanna");
    site.catalogue.add_game("pharaoh", "delta");
    site.catalogue.more_games.lock().unwrap()[1]["country_code"] = "EG".into();
    site.catalogue.add_game("zuri", "acacia");
    let page = browser.get("/games/okoto").await;
    let picture = format!("src=\"/pictures/{}\" ", stub_pictures::file());
    for part in [
        "<h1 dir=\"auto\">Okoto &#60;b&#62;</h1>",
        "Stones &#38; &#60;b&#62;seeds",
        "<link rel=\"canonical\" href=\"https://mchezo.example/games/okoto\">",
        "hreflang=\"fr\" href=\"https://mchezo.example/fr/games/okoto\"",
        "href=\"/creators/savanna\"",
        "href=\"/games?genre=puzzle\"",
        "Nigeria",
        "This week",
        "rank 3",
        "up from 5",
        "1,200 wins; won 60 % of its votes",
        "<a href=\"/cities/lagos\">",
        "121</data> <bdi>Cowrie</bdi>",
        "<a href=\"/economy/kora\"><data value=\"1234.5\" title=\"1,234.5\">1,234</data>",
        "https://mchezo.example/games/okoto</code>",
        "href=\"/events/calendar.ics\" type=\"text/calendar\"",
        "Watch the trailer on video.example",
        "href=\"https://store.example/?a&#38;b\" rel=\"ugc nofollow noopener\"",
        "Artist",
        "Bug hunter",
        "Listed 9 January 2026",
        "1 November 2026",
        "alt=\"A hill\"",
        // The page stays open when a picture is opened.
        "target=\"_blank\" rel=\"noopener\"><img ",
        // A screenshot without a description still needs a text for its link.
        "alt=\"Picture 2\"",
        "GET /v1/games/okoto",
        "<dd><a href=\"/economy/okoto\"><bdi>Cowrie</bdi></a>",
        &picture,
    ] {
        page.assert(200, part);
    }
    for absent in ["<script>text", "elsewhere.example", "javascript:"] {
        assert!(!page.text.contains(absent), "{absent} in {}", page.text);
    }
    // Other games of the creator, and games of other creators that share the genre or the country.
    let others = "<h2>More by <a href=\"/creators/savanna\">";
    let (_, others) = page.text.split_once(others).unwrap();
    let (others, similar) = others.split_once("<h2>Similar games</h2>").unwrap();
    let title = |slug: &str| format!("<h3 dir=\"auto\"><a href=\"/games/{slug}\">");
    for (slug, is_other, is_similar) in
        [("ayo", true, false), ("zuri", false, true), ("okoto", false, false)]
    {
        let title = title(slug);
        assert_eq!(others.contains(&title), is_other, "{slug}: {others}");
        assert_eq!(similar.contains(&title), is_similar, "{slug}: {similar}");
    }
    assert!(others.contains("<a href=\"/games?creator=savanna\">All games</a>"));
    // Those of the same country come first.
    let place = |slug: &str| similar.find(&title(slug)).unwrap();
    assert!(place("zuri") < place("pharaoh"), "{similar}");
    let french = browser.get("/fr/games/okoto").await;
    for part in [
        "Réflexion",
        "Nigéria",
        "Cette semaine",
        "1er novembre 2026",
        "1\u{202f}200 victoires",
        "href=\"/fr/games?genre=puzzle\"",
    ] {
        french.assert(200, part);
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn links_of_a_creator_say_where_they_lead(pool: PgPool) {
    let site = Site::new(pool).await;
    let page = site.browser().get("/creators/savanna").await;
    for (address, label) in [
        ("https://savanna.example", "Website (savanna.example)"),
        // The key `other` has no label of its own.
        ("https://www.forum.example/a", "forum.example"),
    ] {
        let rel = "rel=\"ugc nofollow noopener\"";
        page.assert(200, &format!("<a href=\"{address}\" {rel}>{label}</a>"));
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn a_button_of_a_store_says_when_it_leads_elsewhere(pool: PgPool) {
    let site = Site::new(pool).await;
    let page = site.browser().get("/games/okoto").await;
    let labels: Vec<&str> = ["https://store.example/?a&#38;b", "https://savanna.itch.io/okoto"]
        .map(|address| {
            let (_, rest) = page.text.split_once(&format!("href=\"{address}\"")).unwrap();
            let (_, label) = rest.split_once('>').unwrap();
            label.split("</a>").next().unwrap().trim()
        })
        .into();
    assert_eq!(labels, ["Steam (store.example)", "itch.io"]);
}

#[testing::database_test(web::MIGRATOR)]
async fn the_page_of_a_creator_leads_to_the_vote_and_has_its_address_to_share(pool: PgPool) {
    let site = Site::new(pool).await;
    let page = site.browser().get("/fr/creators/savanna").await;
    for part in [
        "<a class=\"button second\" href=\"/fr/vote/creators\">",
        "<a href=\"/fr/rankings/creators/week\">",
        "<code id=\"share-address\">https://mchezo.example/fr/creators/savanna</code>",
        "data-copy=\"share-address\"",
    ] {
        page.assert(200, part);
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn a_change_shows_at_once(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    for path in ["/games/okoto", "/games", "/creators/savanna", "/"] {
        "Before".clone_into(&mut site.catalogue.tagline.lock().unwrap());
        let before = browser.get(path).await;
        before.assert(200, "Before");
        "After".clone_into(&mut site.catalogue.tagline.lock().unwrap());
        let tag = before.headers[ETAG].to_str().unwrap();
        let after = get_with(&mut browser, path, &[(IF_NONE_MATCH.as_str(), tag)]).await;
        after.assert(200, "After");
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn a_path_without_a_language_uses_that_of_the_browser(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let french = [(ACCEPT_LANGUAGE.as_str(), "fr-SN, en;q=0.5")];
    get_with(&mut browser, "/events/jam", &french).await.assert(200, "du 22 au 23 novembre 2026");
    get_with(&mut browser, "/en/events/jam", &french).await.assert(200, "22–23 November 2026");
    let missing = get_with(&mut browser, "/games/none", &french).await;
    missing.assert(404, "Page introuvable");
    assert_eq!(missing.headers[CACHE_CONTROL], "no-store");
    get_with(&mut browser, "/nowhere", &french).await.assert(404, "Page introuvable");
}

#[testing::database_test(web::MIGRATOR)]
async fn an_event_is_over_after_its_last_day(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let page = browser.get("/events/jam").await;
    page.assert(200, "Lagos &#60;Jam&#62;");
    assert!(!page.text.contains("is over"), "{}", page.text);
    site.clock.advance(Duration::DAY);
    let tag = page.headers[ETAG].to_str().unwrap();
    get_with(&mut browser, "/events/jam", &[("if-none-match", tag)])
        .await
        .assert(200, "This event is over.");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_range_that_names_past_days_has_past_events(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    for (query, when) in [
        ("", "upcoming"),
        ("?to=2999-01-01", "upcoming"),
        ("?to=2001-01-01", "all"),
        ("?from=2001-01-01", "all"),
        ("?from=2001-01-01&to=2001-02-01", "all"),
        // An explicit choice stays.
        ("?when=upcoming&to=2001-01-01", "upcoming"),
        ("?when=past&from=2001-01-01", "past"),
    ] {
        let page = browser.get(&format!("/events{query}")).await;
        page.assert(200, &format!("<option value=\"{when}\" selected>"));
        let asked = site.catalogue.asked_when.lock().unwrap().pop();
        assert_eq!(asked.unwrap().as_deref(), Some(when), "{query}");
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn a_list_has_filters_and_pages(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let path = "/games?genre=puzzle&country=NG&q=stone+age";
    let page = browser.get(path).await;
    page.assert(200, "25 games");
    page.assert(200, "<option value=\"puzzle\" selected>Puzzle</option>");
    let next = "/games?genre=puzzle&#38;country=NG&#38;q=stone+age&#38;cursor=next-1";
    page.assert(200, next);
    page.assert(200, "<input type=\"hidden\" name=\"q\" value=\"stone age\">");
    let last = browser.get(&next.replace("&#38;", "&")).await;
    last.assert(200, "First page");
    assert!(!last.text.contains("rel=\"next\""), "{}", last.text);
    let asked = site.catalogue.asked.lock().unwrap().pop().unwrap();
    assert_eq!(asked.genre.as_deref(), Some("puzzle"));
    assert_eq!(asked.stage, None);
    assert_eq!(asked.page.unwrap().cursor, "next-1");

    let refused = browser.get("/games?genre=none").await;
    refused.assert(400, "This address does not work");
    let french = browser.get("/fr/creators?kind=studio").await;
    french.assert(200, "25 créateurs");
    french.assert(200, "<option value=\"studio\" selected>Studios</option>");
}

#[testing::database_test(web::MIGRATOR)]
async fn empty_lists_are_not_indexed(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let noindex = "<meta name=\"robots\" content=\"noindex\">";
    for path in ["/games?genre=puzzle", "/creators?country=NG"] {
        *site.catalogue.is_empty.lock().unwrap() = false;
        let page = browser.get(path).await;
        assert!(!page.text.contains(noindex), "{path}: {}", page.text);
        *site.catalogue.is_empty.lock().unwrap() = true;
        let empty = browser.get(path).await;
        empty.assert(200, noindex);
        empty.assert(200, "Nothing matches these filters.");
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn every_error_of_the_site_has_its_language(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let post = async |browser: &mut Browser, path: &str, origin: &str, body: String| {
        let request = Request::post(path)
            .header("content-type", "application/x-www-form-urlencoded")
            .header("host", "mchezo.example")
            .header("sec-fetch-site", origin)
            .body(Body::from(body))
            .unwrap();
        browser.send(request).await
    };
    let no_form = post(&mut browser, "/fr/games", "same-origin", String::new()).await;
    no_form.assert(405, "Ce type de requête n’est pas accepté");
    let foreign = post(&mut browser, "/fr/vote", "cross-site", String::new()).await;
    foreign.assert(403, "Envoyé depuis un autre site");
    let long = format!("text={}", "x".repeat(70_000));
    let long = post(&mut browser, "/fr/vote", "same-origin", long).await;
    long.assert(413, "Trop de texte");
    // The dashboard uses the person's language, and here nobody is signed in.
    let dashboard = post(&mut browser, "/you", "same-origin", String::new()).await;
    dashboard.assert(405, "Wrong kind of request");
    assert!(dashboard.text.contains("lang=\"en\""), "{}", dashboard.text);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_list_names_its_filters(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    for (path, title) in [
        ("/games?creator=savanna", "Games · Savanna &#60;i&#62;Studio"),
        ("/games?city=lagos", "Games · Lagos"),
        ("/games?platform=android&stage=released", "Games · Android · Released"),
        ("/creators?city=lagos&kind=studio", "Creators · Studios · Lagos"),
        ("/events?country=NG&when=past", "Events · Past · Nigeria"),
        ("/cities?country=NG", "Cities · Nigeria"),
        ("/fr/games?genre=puzzle&country=NG", "Jeux · Réflexion · Nigéria"),
    ] {
        let page = browser.get(path).await;
        page.assert(200, &format!("<title>{title} · Mchezo</title>"));
    }
    let asked = site.catalogue.asked.lock().unwrap().clone();
    assert_eq!(asked[1].city.as_deref(), Some("lagos"));
    // The API cannot filter games by city.
    let page = browser.get("/games?city=lagos").await;
    assert!(!page.text.contains("GET /v1/games"), "{}", page.text);
    let city = browser.get("/cities/lagos").await;
    city.assert(200, "<a href=\"/games?city=lagos\">25 games</a>");
}

#[testing::database_test(web::MIGRATOR)]
async fn an_event_shows_its_date_and_place(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let page = browser.get("/events/jam").await;
    for part in [
        "<title>Lagos &#60;Jam&#62; – 22–23 November 2026, Lagos, Nigeria · Mchezo</title>",
        "content=\"Game jam, 22–23 November 2026, Lagos, Nigeria. An event about games in Africa.\"",
        "href=\"/events/jam/calendar.ics\"",
        "<figure class=\"picture\"><img src=\"/pictures/drawn/2/events/NG/jam.svg\"",
        "<code id=\"share-address\">https://mchezo.example/events/jam</code>",
    ] {
        page.assert(200, part);
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn places_are_a_map_and_a_list(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let page = browser.get("/countries").await;
    for part in [
        "<a href=\"/countries/NG\" tabindex=\"-1\"><title>Nigeria: 1 game</title>",
        "<h3><a href=\"/countries/NG\"><bdi>Nigeria</bdi></a></h3>",
        "<title>Kenya</title>",
    ] {
        page.assert(200, part);
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn every_page_has_a_picture_for_sharing(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let image = async |browser: &mut Browser, path: &str| {
        let page = browser.get(path).await.text;
        let (_, rest) = page.split_once("<meta property=\"og:image\" content=\"").unwrap();
        let address = rest.split('"').next().unwrap();
        address.strip_prefix("https://mchezo.example").unwrap().to_owned()
    };
    // A listing has its own picture; every other page has that of the site.
    let cover = format!("/pictures/{}", stub_pictures::file());
    assert_eq!(image(&mut browser, "/games/okoto").await, cover);
    *site.catalogue.lacks_cover.lock().unwrap() = true;
    let of_site = image(&mut browser, "/").await;
    for path in ["/games", "/games/okoto", "/events/jam", "/fr/cities/lagos", "/docs"] {
        assert_eq!(image(&mut browser, path).await, of_site, "{path}");
    }
    let picture = browser.get(&of_site).await;
    assert_eq!(picture.status, 200);
    assert_eq!(picture.headers["content-type"], "image/png");
    for path in ["/docs/first-call.md", "/llms-full.txt"] {
        let file = browser.get(path).await;
        assert_eq!(file.headers["x-robots-tag"], "noindex", "{path}");
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn a_search_reports_corrected_typos(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let page = browser.get("/search?q=okotto").await;
    page.assert(200, "Results for “<bdi>okotto</bdi>”");
    page.assert(
        200,
        "Did you mean <a href=\"/search?q=Okoto+%3Cb%3E\"><bdi>Okoto &#60;b&#62;</bdi></a>?",
    );
    page.assert(200, "noindex");
    page.assert(200, "href=\"/games/okoto\"");
    let filtered = browser.get("/search?q=okotto&type=games&country=ng").await;
    filtered.assert(
        200,
        "Did you mean <a href=\"/search?q=Okoto+%3Cb%3E&#38;type=games&#38;country=NG\">",
    );
    let page = browser.get("/fr/search?q=okoto").await;
    page.assert(200, "<p>25 résultats</p>");
    for part in [
        "aria-current=\"page\">Tout <span class=\"quiet\">1\u{202f}225</span></a>",
        "Jeux <span class=\"quiet\">20</span></a>",
        "Créateurs <span class=\"quiet\">0</span></a>",
        "Villes <span class=\"quiet\">1\u{202f}205</span></a>",
        // Only an event has a date.
        "<a href=\"/fr/events/jam\">Jam</a></h3>\n<p>22 novembre 2026</p>",
        &format!("<span class=\"thumb\"><img src=\"/pictures/{}\"", stub_pictures::file()),
    ] {
        page.assert(200, part);
    }
    assert!(!page.text.contains("Vouliez-vous"), "{}", page.text);
    let empty = browser.get("/search?q=+").await;
    assert!(!empty.text.contains("Results for"), "{}", empty.text);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_network_has_so_many_pages_a_minute_and_a_person_more(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut person = site.signed_in(ADA).await;
    let mut browser = site.browser();
    for _ in 0..120 {
        browser.get("/terms").await.assert(200, "Terms");
    }
    let refused = browser.get("/fr/terms").await;
    refused.assert(429, "Réessayez dans 60 secondes.");
    assert_eq!(refused.headers["retry-after"], "60");
    assert!(!refused.headers.contains_key(SET_COOKIE));
    // Forms and pictures have limits of their own.
    let form = browser.post("/vote", &[("text", "Typed")]).await;
    assert_ne!(form.status, 429, "{}", form.text);
    browser.get("/sign-in").await.assert(200, "Sign in");
    let picture = format!("/pictures/{}", stub_pictures::small_file());
    browser.get(&picture).await.assert(200, "small");
    person.get("/terms").await.assert(200, "Terms");
    Browser::at(&site.router, 9).get("/terms").await.assert(200, "Terms");
    site.clock.advance(Duration::seconds(59));
    let refused = browser.get("/terms").await;
    refused.assert(429, "Try again in 1 second.");
    site.clock.advance(Duration::SECOND);
    browser.get("/terms").await.assert(200, "Terms");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_browser_has_fewer_pages_a_minute_than_its_network(pool: PgPool) {
    let site = Site::new(pool).await;
    let limited = site.changed(|web| web.admission = site.admission(100, 5));
    let (mut one, mut other) = (Browser::new(&limited), Browser::new(&limited));
    "Other/1.0".clone_into(&mut other.agent);
    for _ in 0..5 {
        one.get("/terms").await.assert(200, "Terms");
    }
    one.get("/terms").await.assert(429, "Try again in");
    // Browsers at one address are told apart by their user agent and language.
    other.get("/terms").await.assert(200, "Terms");
    let swahili = [(ACCEPT_LANGUAGE.as_str(), "sw, en;q=0.5")];
    let page = get_with(&mut one, "/terms", &swahili).await;
    page.assert(200, "Terms");
}

#[testing::database_test(web::MIGRATOR)]
async fn pages_do_not_take_the_catalogue_from_others(pool: PgPool) {
    let site = Site::new(pool).await;
    let held = HeldRead::default();
    *site.catalogue.held.lock().unwrap() = Some(held.clone());
    let waiting = async {
        let mut browser = site.browser();
        browser.get("/creators/savanna").await
    };
    let other = async {
        held.began.notified().await;
        // The stub's site allows one concurrent call.
        let mut browser = site.browser();
        let page = browser.get("/creators/savanna").await;
        held.released.notify_one();
        page
    };
    let (first, second) = tokio::join!(waiting, other);
    second.assert(503, "Not available now");
    assert_eq!(second.headers["retry-after"], "1");
    first.assert(200, "Savanna");
}

#[testing::database_test(web::MIGRATOR)]
async fn the_sitemap_takes_no_call_from_other_pages(pool: PgPool) {
    let site = Site::new(pool).await;
    let held = HeldRead::default();
    *site.catalogue.held.lock().unwrap() = Some(held.clone());
    let sitemap = async {
        let mut browser = site.browser();
        browser.get("/sitemap/games-1.xml").await
    };
    let other = async {
        held.began.notified().await;
        // The site of the tests allows one concurrent call.
        let page = site.browser().get("/games").await;
        held.released.notify_one();
        page
    };
    let (sitemap, other) = tokio::join!(sitemap, other);
    other.assert(200, "Okoto");
    sitemap.assert(200, "/games/okoto");
}

#[testing::database_test(web::MIGRATOR)]
async fn pictures_are_served_by_the_site(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let path = format!("/pictures/{}", stub_pictures::file());
    let picture = browser.get(&path).await;
    assert_eq!(picture.status, 200);
    assert_eq!(picture.text.len(), 600_000);
    assert_eq!(picture.headers["content-type"], "image/jpeg");
    assert_eq!(picture.headers["cross-origin-resource-policy"], "cross-origin");
    assert_eq!(picture.headers[CACHE_CONTROL], "public, max-age=31536000, s-maxage=60, immutable");
    // A shared cache that has the picture gets 304 in each size, for which no content is read.
    let small = format!("/pictures/{}", stub_pictures::small_file());
    for path in [&path, &small] {
        let tag = browser.get(path).await.headers[ETAG].clone();
        let tag = tag.to_str().unwrap();
        let again = get_with(&mut browser, path, &[("if-none-match", tag)]).await;
        assert_eq!(again.status, 304);
        assert!(again.text.is_empty());
        let read = site.listings.pictures_read.lock().unwrap();
        assert_eq!(read.last().unwrap().most, 0);
    }
    let first = site.listings.pictures_read.lock().unwrap()[0].clone();
    assert_eq!(first.account_id, "");
    let missing = format!("/pictures/{}.jpg", "0b".repeat(32));
    assert_eq!(browser.get(&missing).await.status, 404);
    assert_eq!(browser.get("/pictures/x.jpg").await.status, 404);
    // Nor is it there for somebody who has it.
    let pending = stub_pictures::pending_file();
    let tag = format!("\"{}\"", pending.trim_end_matches(".jpg"));
    for known in [&tag, "*"] {
        let path = format!("/pictures/{pending}");
        let page = get_with(&mut browser, &path, &[("if-none-match", known)]).await;
        page.assert(404, "Not found");
        assert_eq!(page.headers[CACHE_CONTROL], "no-store");
    }
}
