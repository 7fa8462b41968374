//! Pages show all earlier writes (§1): their reads send the newest position of the listings, for which a lagging replica of catalogue-svc waits.

use kit::feed::Position;
use kit::ids;
use sqlx::PgPool;

use crate::support::Site;

/// Pages that together make every kind of read of listings.
const PAGES: [&str; 18] = [
    "/",
    "/games",
    "/games/okoto",
    "/creators",
    "/creators/savanna",
    "/events",
    "/events/jam",
    "/countries",
    "/countries/NG",
    "/cities",
    "/cities/lagos",
    "/search?q=okoto",
    "/rankings",
    "/rankings/games/week",
    "/games/feed.xml",
    "/sitemap.xml",
    "/sitemap/games-1.xml",
    "/vote",
];

/// Opens every page, and asserts the position of each of its reads.
async fn assert_reads_at(site: &Site, position: Option<Position>) {
    let expected = position.map(Into::into);
    for path in PAGES {
        site.catalogue.positions.lock().unwrap().clear();
        let page = site.browser().get(path).await;
        assert_eq!(page.status, 200, "{path}: {}", page.text);
        let read = site.catalogue.positions.lock().unwrap().clone();
        assert!(!read.is_empty(), "{path} reads no listing");
        assert!(read.iter().all(|it| *it == expected), "{path}: {read:?}");
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn every_read_of_a_page_sends_the_position_in_redis(pool: PgPool) {
    let site = Site::new(pool).await;
    // Without a position the pages still work.
    assert_reads_at(&site, None).await;
    let epoch = ids::row_id();
    for seq in [7, 9] {
        let newest = Position { epoch, seq };
        site.mark.publish(newest).await;
        assert_reads_at(&site, Some(newest)).await;
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn pages_that_many_visitors_open_make_few_calls(pool: PgPool) {
    let site = Site::new(pool).await;
    for (path, most) in [("/", 5), ("/games/okoto", 4), ("/games", 3)] {
        site.catalogue.positions.lock().unwrap().clear();
        site.browser().get(path).await.assert(200, "Okoto");
        let calls = site.catalogue.positions.lock().unwrap().len();
        assert_eq!(calls, most, "{path}");
    }
    // Similar games are chosen from a few rows.
    let asked = site.catalogue.asked.lock().unwrap()[0].clone();
    assert_eq!(asked.genre.as_deref(), Some("puzzle"));
    assert_eq!(asked.page.unwrap().limit, 8);
}
