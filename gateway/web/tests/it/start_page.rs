//! The start page: genres, counts, the games of the day, and the pair that invites to vote.

use sqlx::PgPool;
use time::Duration;

use crate::support::Site;

/// The addresses of the games of the day and of the pair, in their order.
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
    // Without two more games, there is no pair.
    let page = browser.get("/").await;
    page.assert(200, "Games of the day");
    assert!(!page.text.contains("class=\"duel\""), "{}", page.text);
    for number in 1..12 {
        let slug = format!("game-{number}");
        site.catalogue.add_game(&slug, "acacia");
    }
    let page = browser.get("/").await;
    let counts = [("games", 25), ("creators", 25), ("countries", 25)];
    let counts = counts.map(|(name, count)| format!("<a href=\"/{name}\">{count} {name}</a>"));
    let counts = format!("<p class=\"counts\">{}</p>", counts.join(" · "));
    page.assert(200, &counts);
    // The genre with the most games comes first.
    let chip = |genre: &str| format!("<a class=\"chip\" href=\"/games?genre={genre}\">");
    let [mancala, puzzle] = ["mancala", "puzzle"].map(|genre| page.text.find(&chip(genre)));
    assert!(mancala.is_some() && mancala < puzzle, "{}", page.text);
    page.assert(200, "<a class=\"button call\" href=\"/vote\">");

    let [games, pair] = drawn(&page.text);
    assert_eq!((games.len(), pair.len()), (8, 2));
    assert_eq!(games[0], "/games/okoto", "featured games come first");
    assert!(pair.iter().all(|game| !games.contains(game)), "{pair:?}");
    // The draw is that of the day.
    let again = browser.get("/").await;
    assert_eq!(drawn(&again.text), drawn(&page.text));
    site.clock.advance(Duration::DAY);
    let next = browser.get("/").await;
    assert_ne!(drawn(&next.text), drawn(&page.text));
    assert_eq!(drawn(&next.text)[0][0], "/games/okoto");
}
