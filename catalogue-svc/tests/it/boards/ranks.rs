//! `GetRanks` returns the ranks that the boards show.

use contracts::common::v1::Mode;
use contracts::listings::v1::State;
use kit::Code;
use sqlx::PgPool;
use time::Duration;

use super::support::Replica;
use crate::build::{game, game_change, id};

/// Compares the ranks of every game with the boards.
async fn assert_same(replica: &Replica) {
    let mut expected: Vec<(String, (String, u64, u64, u64))> = Vec::new();
    for board in ["week", "month", "all"] {
        let (rows, _) = replica.rows_and_total(Mode::Live, "games", board).await;
        for row in rows {
            let slug = row.url.rsplit('/').next().unwrap().to_owned();
            let rank = (board.to_owned(), row.rank, row.previous_rank, row.wins);
            expected.push((slug, rank));
        }
    }
    for number in 1..=6 {
        let slug = format!("game-{number}");
        let ranks = match replica.ranks(&slug).await {
            Ok(ranks) => ranks,
            Err(fault) => {
                assert_eq!(fault.code, Code::NotFound, "{slug}");
                Vec::new()
            }
        };
        let of_game: Vec<_> =
            expected.iter().filter(|(it, _)| *it == slug).map(|(_, rank)| rank.clone()).collect();
        assert_eq!(ranks, of_game, "{slug}");
    }
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn a_listing_has_the_ranks_that_the_boards_show(pool: PgPool) {
    let mut replica = Replica::start(&pool).await;
    replica.vote(1, 1, 2).await;
    replica.vote(2, 1, 3).await;
    replica.clock.advance(Duration::days(10));
    replica.vote(3, 3, 2).await;
    // The first of these snapshots has another order than the boards.
    for voter in [4, 5] {
        replica.clock.advance(Duration::HOUR);
        replica.job.take(replica.clock.now()).await.unwrap();
        replica.vote(voter, 2, 3).await;
    }
    replica.catch_up().await;
    assert_same(&replica).await;
    let ranks: Vec<(u64, u64)> =
        replica.ranks("game-2").await.unwrap().into_iter().map(|rank| (rank.1, rank.2)).collect();
    assert_eq!(ranks, [(1, 2), (2, 3), (2, 3)]);
    // The votes for game 1 are older than a week.
    let boards: Vec<String> =
        replica.ranks("game-1").await.unwrap().into_iter().map(|rank| rank.0).collect();
    assert_eq!(boards, ["month", "all"]);
    // A removed listing has no ranks, even before the boards are refreshed.
    let mut removed = game(1);
    removed.page_id = id(1);
    removed.state = State::Removed.into();
    replica.list(&[game_change(&removed)]);
    assert_same(&replica).await;
    let gone = replica.ranks("game-1").await.unwrap_err();
    assert_eq!(gone.code, Code::NotFound);
}
