//! The start page: genres, counts, new games, the games of the day, and the pair that invites to vote.

use std::collections::BTreeSet;

use sqlx::PgPool;
use time::Duration;

use crate::support::Site;

/// The addresses of the games of the day and of the pair, in order.
fn drawn(page: &str) -> [Vec<&str>; 2] {
    let (_, rest) = page.split_once("<h2>Games of the day</h2>").unwrap();
    let (games, rest) = rest.split_once("<section class=\"duel\">").unwrap();
    let (pair, _) = rest.split_once("</section>").unwrap();
    [games, pair].map(|part| {
        let cards = part.split("<h3 dir=\"auto\"><a href=\"").skip(1);
        cards.map(|card| card.split('"').next().unwrap()).collect()
    })
}

#[testing::database_test(web::MIGRATOR)]
async fn the_start_page_has_genres_counts_games_of_the_day_and_a_pair(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    // Without two more games there is no pair.
    let page = browser.get("/").await;
    page.assert(200, "Games of the day");
    assert!(!page.text.contains("class=\"duel\""), "{}", page.text);
    for number in 1..12 {
        let slug = format!("game-{number}");
        site.catalogue.add_game(&slug, "acacia");
    }
    let page = browser.get("/").await;
    let counts = [("games", "1 game"), ("creators", "1 creator"), ("countries", "26 countries")];
    let counts = counts.map(|(name, count)| format!("<a href=\"/{name}\">{count}</a>"));
    let counts = format!("<p class=\"counts\">{}</p>", counts.join(" · "));
    page.assert(200, &counts);
    // The page of the countries says the same.
    browser.get("/countries").await.assert(200, "<h2 class=\"count\">26 countries</h2>");
    // The genre with the most games comes first.
    let chip = |genre: &str| format!("<a class=\"chip\" href=\"/games?genre={genre}\">");
    let [mancala, puzzle] = ["mancala", "puzzle"].map(|genre| page.text.find(&chip(genre)));
    assert!(mancala.is_some() && mancala < puzzle, "{}", page.text);
    page.assert(200, "<a class=\"button call\" href=\"/vote\">");

    let [games, pair] = drawn(&page.text);
    assert_eq!((games.len(), pair.len()), (8, 2));
    assert!(pair.iter().all(|game| !games.contains(game)), "{pair:?}");
    // The draw stays the same for the day.
    let again = browser.get("/").await;
    assert_eq!(drawn(&again.text), drawn(&page.text));
    // Every game is on the page within twelve days.
    let mut seen = BTreeSet::new();
    for _ in 0..12 {
        site.clock.advance(Duration::DAY);
        let page = browser.get("/").await;
        let [games, _] = drawn(&page.text);
        let featured = games.iter().position(|game| *game == "/games/okoto");
        assert!(featured.is_none_or(|at| at == 0), "{games:?}");
        seen.extend(games.into_iter().map(ToOwned::to_owned));
    }
    assert_eq!(seen.len(), 12, "{seen:?}");
}

#[testing::database_test(web::MIGRATOR)]
async fn new_games_are_on_the_start_page_for_a_week(pool: PgPool) {
    let site = Site::new(pool).await;
    site.catalogue.add_game("kora", "acacia");
    let mut browser = site.browser();
    let title = "<h2>New this week</h2>";
    // It is noon on the 23rd.
    for (day, is_new) in [(12, false), (16, false), (17, true), (23, true)] {
        *site.catalogue.published_day.lock().unwrap() = day;
        let page = browser.get("/").await;
        page.assert(200, "<h2>Games of the day</h2>");
        assert_eq!(page.text.contains(title), is_new, "{day}: {}", page.text);
        // No game is listed twice.
        let okoto = page.text.matches("<a href=\"/games/okoto\">");
        assert_eq!(okoto.count(), 1, "{day}: {}", page.text);
    }
    let page = browser.get("/").await;
    let (_, rest) = page.text.split_once(title).unwrap();
    let (new, day) = rest.split_once("<h2>Games of the day</h2>").unwrap();
    assert!(new.contains("/games/okoto") && day.contains("/games/kora"));
    let french = browser.get("/fr").await;
    french.assert(200, "<h2>Nouveautés de la semaine</h2>");
}
