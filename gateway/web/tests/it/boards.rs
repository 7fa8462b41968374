//! The boards on the public site.

use sqlx::PgPool;

use crate::support::Site;

#[testing::database_test(web::MIGRATOR)]
async fn a_board_shows_ranks_and_moves(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let page = browser.get("/rankings/games/week").await;
    for part in [
        "<h1>Games – This week</h1>",
        "<h2 class=\"count\">25 games</h2>",
        "<span class=\"rank\">1</span>",
        "<a href=\"/games/okoto\">First &#60;b&#62;</a>",
        "Puzzle · Nigeria",
        "<span class=\"moved up\">up from 1,500</span> · 12,000 wins · won 75 % of its votes",
        "<img src=\"/pictures/",
        "href=\"/rankings/games/week?cursor=next-1\"",
        "href=\"/rankings/creators/week\"",
        "href=\"/rankings/games/all\"",
        "href=\"/about/boards\"",
        "href=\"/vote\"",
        "GET /v1/rankings/games/week",
    ] {
        page.assert(200, part);
    }
    let last = browser.get("/rankings/games/week?cursor=next-1").await;
    last.assert(200, "First page");
    let french = browser.get("/fr/rankings/creators/week").await;
    for part in [
        "<h2 class=\"count\">25 créateurs</h2>",
        "<a href=\"/fr/creators/savanna\">",
        "<img src=\"/pictures/drawn/2/creators/NG/savanna.svg\"",
        "Développeur·se · Nigéria",
        "en hausse depuis le rang 1\u{202f}500",
        "href=\"/fr/vote/creators\"",
    ] {
        french.assert(200, part);
    }
    let creator = browser.get("/fr/creators/savanna").await;
    for part in ["<h2>Dans les classements</h2>", "rang 3", "href=\"/fr/rankings/creators/week\""] {
        creator.assert(200, part);
    }
    for path in ["/rankings/games/day", "/rankings/events/week", "/rankings/games"] {
        browser.get(path).await.assert(404, "Not found");
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn all_boards_are_on_one_page_and_an_empty_one_asks_for_votes(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let page = browser.get("/rankings").await;
    for kind in ["games", "creators"] {
        for board in ["week", "month", "all"] {
            page.assert(200, &format!("<h2><a href=\"/rankings/{kind}/{board}\">"));
        }
    }
    let same = "So far the same as for the shorter period.";
    assert!(!page.text.contains(same), "{}", page.text);
    // In the first week of votes, the boards of longer periods equal that of the week.
    *site.catalogue.is_first_week.lock().unwrap() = true;
    let first = browser.get("/rankings").await;
    first.assert(200, same);
    assert_eq!(first.text.matches(same).count(), 4);
    assert_eq!(first.text.matches("<ol class=\"board\">").count(), 2);
    *site.catalogue.is_first_week.lock().unwrap() = false;
    let empty = browser.get("/rankings/games/month").await;
    empty.assert(200, "No votes in this period yet.");
    *site.catalogue.is_away.lock().unwrap() = true;
    browser.get("/rankings").await.assert(503, "Not available now");
}
