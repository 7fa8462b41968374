//! Currencies and rates on the public site.

use std::sync::atomic::Ordering;

use contracts::economy::v1::ReportState;
use http::header::{CACHE_CONTROL, RETRY_AFTER};
use kit::feed::Position;
use kit::ids;
use sqlx::PgPool;
use time::Duration;

use crate::browser::{Browser, NOINDEX};
use crate::stub_catalogue::HeldRead;
use crate::support::Site;

/// The course of a rate since yesterday, before which only one of the two games had reported.
const COURSE: &str = "<svg class=\"course\" viewBox=\"0 0 120 32\" role=\"img\" aria-label=\"The calculated rate since 22 November: ";

async fn site_with_currencies(pool: PgPool) -> Site {
    let site = Site::new(pool).await;
    *site.economy.name.lock().unwrap() = Some("Cowrie".to_owned());
    site
}

#[testing::database_test(web::MIGRATOR)]
async fn currencies_link_to_their_rates(pool: PgPool) {
    let site = site_with_currencies(pool).await;
    let mut browser = site.browser();
    let page = browser.get("/economy").await;
    for part in [
        "2 currencies",
        "<a href=\"/economy/okoto\"><bdi>Cowrie</bdi></a> <span class=\"state bad\">late</span>",
        "<a href=\"/games/okoto\"><bdi>Okoto</bdi></a>",
        "reported 23 November 2026, 12:00 UTC",
        "<option value=\"okoto\">Okoto (Cowrie)</option>",
        "&#60;b&#62;Shell",
        "href=\"/about/rates\"",
        "GET /v1/economy/currencies",
    ] {
        page.assert(200, part);
    }
    assert_eq!(page.text.matches("href=\"/about/rates\"").count(), 1, "{}", page.text);
    // The rates of the first currency, with their course.
    for part in [
        "<option value=\"kora\" selected>",
        "What one <bdi>&#60;b&#62;Shell</bdi> buys.",
        "<td><a href=\"/economy/okoto\">",
        "−1.5</data> %",
        COURSE,
        "<a href=\"/economy/kora\">All about &#60;b&#62;Shell</a>",
    ] {
        page.assert(200, part);
    }
    let chosen = browser.get("/fr/economy?from=okoto").await;
    assert_eq!(chosen.location(), "/fr/economy/okoto");
    for path in ["/economy?from=//evil.example", "/economy/none"] {
        browser.get(path).await.assert(404, "Not found");
    }
    let page = browser.get("/economy/okoto").await;
    for part in [
        "<h1 dir=\"auto\">Cowrie of Okoto</h1>",
        "The game has not reported for a while",
        "1,234,567",
        "<dd><data value=\"-1200\">−1,200</data> <bdi>Cowrie</bdi></dd>",
        "<dt>Inflation since the previous report</dt><dd><data value=\"2.5\">2.5</data> <bdi>%</bdi></dd>",
        "<a href=\"/economy/kora\"><bdi>&#60;b&#62;Shell</bdi></a> <span class=\"quiet\"><bdi>Kora</bdi></span>",
        "What one <bdi>Cowrie</bdi> buys.",
        "<summary title=\"1,234.5\"><data value=\"1234.5\">1,234</data></summary>1,234.5</details>",
        "−1.5</data> %",
        "calculated",
        "GET /v1/economy/rates?from=okoto",
    ] {
        page.assert(200, part);
    }
    let french = browser.get("/fr/economy/okoto").await;
    for part in ["1\u{202f}234,5", "calculé", "23 novembre 2026 à 12:00 UTC"] {
        french.assert(200, part);
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn a_table_of_rates_has_pages(pool: PgPool) {
    let site = site_with_currencies(pool).await;
    site.economy.more_currencies.store(1_000, Ordering::Relaxed);
    let mut browser = site.browser();
    let mut path = "/economy/okoto".to_owned();
    let mut links = Vec::new();
    loop {
        let page = browser.get(&path).await;
        page.assert(200, "Rates now");
        let found: Vec<String> = page
            .text
            .split("<td><a href=\"")
            .skip(1)
            .map(|rest| rest.split('"').next().unwrap().to_owned())
            .collect();
        assert!((1..=24).contains(&found.len()), "{path}: {}", found.len());
        links.extend(found);
        let Some((_, rest)) = page.text.split_once("rel=\"next\" href=\"") else {
            break;
        };
        path = rest.split('"').next().unwrap().to_owned();
        // A network has 120 pages a minute.
        site.clock.advance(Duration::seconds(5));
    }
    assert_eq!(links.len(), 1_001);
    assert_eq!(links[0], "/economy/a-0000");
    assert_eq!(links[1_000], "/economy/kora");
}

/// The list of currencies and the rates are read one after the other.
#[testing::database_test(web::MIGRATOR)]
async fn a_currency_that_leaves_the_list_meanwhile_is_not_found(pool: PgPool) {
    let site = site_with_currencies(pool).await;
    site.economy.has_left.store(true, Ordering::Relaxed);
    let mut browser = site.browser();
    assert_eq!(browser.get("/economy/okoto").await.status, 404);
    browser.get("/games/okoto").await.assert(200, "Cowrie");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_page_shows_every_earlier_change_of_the_economy(pool: PgPool) {
    const CURRENCY: &str = "/economy/okoto";
    const SITEMAP: &str = "/sitemap/pages-1.xml";
    let site = Site::with_docs(pool).await;
    *site.economy.name.lock().unwrap() = Some("Cowrie".to_owned());
    // The pages are cached, and neither the clock nor the position of the listings moves. Only
    // economy-svc knows of the change.
    let epoch = ids::row_id();
    site.mark.publish(Position { epoch, seq: 7 }).await;
    let mut browser = site.browser();
    for path in ["/economy", CURRENCY, "/games/okoto"] {
        browser.get(path).await.assert(200, "Cowrie");
    }
    browser.get(CURRENCY).await.assert(200, "1,234,567");
    browser.get(SITEMAP).await.assert(200, CURRENCY);

    site.economy.decide(ReportState::Counted, "");
    site.economy.decide(ReportState::Retracted, "A test.");
    browser.get(CURRENCY).await.assert(200, "1,000,000");
    *site.economy.name.lock().unwrap() = Some("Manilla".to_owned());
    for path in ["/economy", CURRENCY] {
        browser.get(path).await.assert(200, "Manilla");
    }
    *site.economy.words.lock().unwrap() = Some("The new title".to_owned());
    browser.get(CURRENCY).await.assert(200, "Manilla of The new title");
    site.economy.is_hidden.store(true, Ordering::Relaxed);
    assert_eq!(browser.get(CURRENCY).await.status, 404);
    for path in ["/economy", SITEMAP] {
        let page = browser.get(path).await;
        page.assert(200, "/economy/kora");
        assert!(!page.text.contains(CURRENCY), "{}", page.text);
    }
    // The page of a game is made again after a change of a listing, and in each second.
    site.mark.publish(Position { epoch, seq: 8 }).await;
    let game = browser.get("/games/okoto").await;
    game.assert(200, "Okoto");
    assert!(!game.text.contains("Cowrie"), "{}", game.text);
}

/// There may be thousands of currencies, and most pages of games need one of them or none.
#[testing::database_test(web::MIGRATOR)]
async fn a_list_of_currencies_is_sent_once(pool: PgPool) {
    let site = site_with_currencies(pool).await;
    let mut browser = site.browser();
    for name in ["Cowrie", "Manilla", "Cowrie"] {
        *site.economy.name.lock().unwrap() = Some(name.to_owned());
        for path in ["/economy", "/economy/okoto", "/games/okoto"] {
            browser.get(path).await.assert(200, name);
        }
    }
    assert_eq!(site.economy.lists_sent.load(Ordering::Relaxed), 3);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_page_reads_the_rates_that_it_shows(pool: PgPool) {
    let site = site_with_currencies(pool).await;
    site.economy.more_currencies.store(1_000, Ordering::Relaxed);
    let mut browser = site.browser();
    for path in ["/games/okoto", "/economy/okoto"] {
        browser.get(path).await.assert(200, "Cowrie");
    }
    // One more than a page shows, which tells that there are more.
    assert_eq!(*site.economy.rates_read.lock().unwrap(), [2, 25]);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_currency_is_chosen_on_its_page_however_many_there_are(pool: PgPool) {
    let site = site_with_currencies(pool).await;
    site.economy.more_currencies.store(250, Ordering::Relaxed);
    let mut browser = site.browser();
    for slug in ["a-0000", "a-0249", "okoto"] {
        let page = browser.get(&format!("/economy/{slug}")).await;
        page.assert(200, &format!("<option value=\"{slug}\" selected>"));
        assert_eq!(page.text.matches(" selected>").count(), 1);
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn without_economy_svc_or_currencies_the_pages_say_so(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    browser.get("/economy").await.assert(200, "No currency is listed yet.");
    *site.economy.name.lock().unwrap() = Some("Cowrie".to_owned());
    browser.get("/economy").await.assert(200, "Cowrie");
    *site.economy.is_away.lock().unwrap() = true;
    for path in ["/economy", "/economy/okoto"] {
        let page = browser.get(path).await;
        page.assert(503, "The rates are not available at the moment.");
        assert_eq!(page.headers[CACHE_CONTROL], "no-store", "{path}");
        assert_eq!(page.headers[RETRY_AFTER], "1", "{path}");
    }
    let french = browser.get("/fr/economy").await;
    french.assert(503, "Les taux ne sont pas disponibles");
    let game = browser.get("/games/okoto").await;
    game.assert(200, "This part of the page is not available");
    assert!(!game.text.contains("Cowrie"), "{}", game.text);
    *site.economy.is_away.lock().unwrap() = false;
    browser.get("/economy").await.assert(200, "Cowrie");
}

#[testing::database_test(web::MIGRATOR)]
async fn the_page_of_a_game_does_not_wait_for_a_slow_economy(pool: PgPool) {
    let site = site_with_currencies(pool).await;
    let hurried = site.changed(|web| {
        web.currencies.game_timeout = std::time::Duration::from_millis(1);
    });
    let (mut hurried, mut patient) = (Browser::new(&hurried), site.browser());
    let held = HeldRead::default();
    *site.economy.held.lock().unwrap() = Some(held.clone());
    let page = hurried.get("/games/okoto").await;
    page.assert(200, "Okoto");
    assert!(!page.text.contains("Cowrie"), "{}", page.text);
    *site.economy.held.lock().unwrap() = None;
    patient.get("/games/okoto").await.assert(200, "Cowrie");
}

#[testing::database_test(web::MIGRATOR)]
async fn the_games_around_a_game_are_read_while_its_currency_is(pool: PgPool) {
    let site = site_with_currencies(pool).await;
    let (currencies, creator) = (HeldRead::default(), HeldRead::default());
    *site.economy.held.lock().unwrap() = Some(currencies.clone());
    *site.catalogue.held.lock().unwrap() = Some(creator.clone());
    let both_began = async {
        currencies.began.notified().await;
        creator.began.notified().await;
    };
    let mut browser = site.browser();
    let mut page = std::pin::pin!(browser.get("/games/okoto"));
    tokio::select! {
        () = both_began => {}
        _ = &mut page => unreachable!("neither read has ended"),
    }
    currencies.released.notify_one();
    creator.released.notify_one();
    page.await.assert(200, "Cowrie");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_rate_is_shown_with_its_course_once_both_games_have_reported(pool: PgPool) {
    let site = site_with_currencies(pool).await;
    let mut browser = site.browser();
    for path in ["/economy", "/economy/okoto", "/games/okoto"] {
        let page = browser.get(path).await;
        page.assert(200, COURSE);
        let points =
            if path == "/economy" { "114.1,2.0 118.0,30.0" } else { "114.1,30.0 118.0,2.0" };
        page.assert(200, &format!("points=\"{points}\""));
        page.assert(200, "<span class=\"quiet\">since 22 November</span>");
    }
    // A rate of the market has no course of baskets.
    *site.economy.words.lock().unwrap() = Some("market".to_owned());
    for path in ["/economy", "/economy/okoto", "/games/okoto"] {
        let page = browser.get(path).await;
        assert_eq!(page.status, 200, "{path}");
        assert!(!page.text.contains("class=\"course\""), "{}", page.text);
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn a_rate_whose_course_is_slow_is_shown_without_it(pool: PgPool) {
    let site = site_with_currencies(pool).await;
    site.economy.costs_hang.store(true, Ordering::Relaxed);
    let brief = std::time::Duration::from_millis(1);
    let slow_course = site.changed(|web| web.currencies.course_timeout = brief);
    let mut browser = Browser::new(&slow_course);
    for path in ["/economy", "/economy/okoto", "/games/okoto"] {
        let page = browser.get(path).await;
        page.assert(200, "1,234.5");
        assert!(!page.text.contains("class=\"course\""), "{}", page.text);
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn the_list_of_currencies_is_shown_without_rates_that_cannot_be_read(pool: PgPool) {
    let site = site_with_currencies(pool).await;
    let mut browser = site.browser();
    browser.get("/economy").await.assert(200, "Rates now");
    site.economy.are_rates_away.store(true, Ordering::Relaxed);
    let page = browser.get("/economy").await;
    for part in ["2 currencies", "This part of the page", NOINDEX] {
        page.assert(200, part);
    }
}
