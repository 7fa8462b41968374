//! GET /rankings/{kind}/{board} (§2.5, §4.2).

use contracts::public::{CreatorRow, GameRow, RankingRow};
use e2e::Fleet;

use crate::lists::{assert_cursor_is_bound, assert_pages, assert_refused, sample};

const BOARDS: [&str; 6] = [
    "/rankings/games/week",
    "/rankings/games/month",
    "/rankings/games/all",
    "/rankings/creators/week",
    "/rankings/creators/month",
    "/rankings/creators/all",
];

#[tokio::test]
async fn every_board_of_a_test_key_is_filled_with_samples() {
    let client = sample(&Fleet::shared());
    let games: Vec<GameRow> = client.rows("/games", 100).await;
    let creators: Vec<CreatorRow> = client.rows("/creators", 100).await;
    for path in BOARDS {
        let rows: Vec<RankingRow> = client.rows(path, 100).await;
        assert!(rows.len() > 15, "{path}: {}", rows.len());
        for (row, rank) in rows.iter().zip(1..) {
            assert_eq!(row.rank, rank, "{path}");
            let tags = if path.contains("games") {
                let game = games.iter().find(|game| game.url == row.url).unwrap();
                assert_eq!((&row.name, &row.tagline), (&game.title, &game.tagline));
                &game.genres
            } else {
                let creator = creators.iter().find(|one| one.url == row.url).unwrap();
                assert_eq!((&row.name, &row.tagline), (&creator.name, &creator.tagline));
                &creator.roles
            };
            assert_eq!(&row.tags, tags, "{path}");
        }
        assert!(rows.is_sorted_by(|a, b| a.wins >= b.wins), "{path}");
        assert_pages(&client, path).await;
    }
}

#[tokio::test]
async fn bad_parameters_are_refused_and_other_boards_are_not_found() {
    let client = sample(&Fleet::shared());
    assert_refused(&client, BOARDS[0], &[]).await;
    assert_cursor_is_bound(&client, BOARDS[0], BOARDS[1]).await;
    assert_cursor_is_bound(&client, BOARDS[0], BOARDS[3]).await;
    for path in [
        "/rankings",
        "/rankings/games",
        "/rankings/games/day",
        "/rankings/events/week",
        "/rankings/Games/week",
        "/rankings/games/week/1",
        "/rankings/%FF/week",
    ] {
        client.get(path).await.assert_error(404, "not_found");
    }
}
