//! The snapshot at 04:00 UTC: previous ranks, moves on the feed (once for all replicas), and retention.

use catalogue::jobs::retention;
use contracts::catalogue::v1::RankingMove;
use contracts::listings::v1::State;
use prost::Message as _;
use sqlx::PgPool;
use time::macros::datetime;
use time::{Duration, OffsetDateTime};

use super::support::{Replica, account, shown};
use crate::build::{game, game_change, id};

const FIRST: OffsetDateTime = datetime!(2026-03-02 04:00 UTC);
const SECOND: OffsetDateTime = datetime!(2026-03-03 04:00 UTC);
const THIRD: OffsetDateTime = datetime!(2026-03-04 04:00 UTC);

/// The moves of games on the feed, in feed order: name, rank, previous rank.
async fn moves(replica: &Replica) -> Vec<(String, u32, u32)> {
    let rows = sqlx::query!(
        "select state, announced, happening, id from catalogue.feed where entity = 'ranking_move' order by seq"
    ).fetch_all(&replica.pool).await.unwrap();
    let moves = rows.into_iter().map(|row| {
        assert!(row.announced && row.happening);
        let moved = RankingMove::decode(&*row.state).unwrap();
        assert_eq!((moved.entity.as_str(), moved.kind.as_str()), ("game", "game"));
        assert_eq!(moved.board, "week");
        assert!(row.id.starts_with("week/2026-03-"), "{}", row.id);
        let name = replica.name(moved.listing_id.parse().unwrap());
        assert!(name.is_none_or(|name| name == moved.name));
        (moved.name, moved.rank, moved.previous_rank)
    });
    moves.collect()
}

fn told(moves: &[(&str, u32, u32)]) -> Vec<(String, u32, u32)> {
    let moves = moves.iter();
    moves.map(|(name, rank, previous)| ((*name).to_owned(), *rank, *previous)).collect()
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn previous_ranks_equal_those_of_published_moves(pool: PgPool) {
    let replica = Replica::start(&pool).await;
    replica.vote(1, 1, 2).await;
    replica.clock.advance(FIRST - replica.clock.now());
    // The snapshot leaves out votes of the hour that has just begun.
    replica.vote(1, 3, 2).await;
    replica.job.take(FIRST).await.unwrap();
    let first = told(&[("Game 1", 1, 0), ("Game 2", 2, 0)]);
    assert_eq!(moves(&replica).await, first);
    // There is no earlier snapshot to compare with.
    let board = shown(&[("Game 1", 0), ("Game 3", 0), ("Game 2", 0)]);
    assert_eq!(replica.previous("week").await, board);

    replica.vote(2, 3, 1).await;
    replica.clock.advance(SECOND - replica.clock.now());
    replica.job.take(SECOND).await.unwrap();
    let second = [first, told(&[("Game 3", 1, 0), ("Game 1", 2, 1), ("Game 2", 3, 2)])].concat();
    assert_eq!(moves(&replica).await, second);
    let board = shown(&[("Game 3", 0), ("Game 1", 1), ("Game 2", 2)]);
    assert_eq!(replica.previous("week").await, board);
    assert_eq!(replica.previous("all").await, board);

    // When no rank changes, no move is published.
    replica.clock.advance(Duration::DAY);
    replica.job.take(THIRD).await.unwrap();
    assert_eq!(moves(&replica).await, second);
    let board = shown(&[("Game 3", 1), ("Game 1", 2), ("Game 2", 3)]);
    assert_eq!(replica.previous("month").await, board);
    assert_eq!(replica.snapshots().await, 3);
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn a_late_snapshot_is_taken_once_by_any_replica(pool: PgPool) {
    let one = Replica::start(&pool).await;
    one.vote(1, 1, 2).await;
    // No replica ran at 04:00, and votes arrive before the late snapshot.
    one.clock.advance(FIRST + Duration::hours(7) - one.clock.now());
    one.vote(1, 2, 1).await;
    one.vote(2, 2, 1).await;
    let replicas = [
        Replica::start_at(&pool, one.clock.clone()).await,
        Replica::start_at(&pool, one.clock.clone()).await,
        one,
    ];
    let takes = replicas.iter().map(|replica| replica.job.take(FIRST));
    for taken in futures::future::join_all(takes).await {
        taken.unwrap();
    }
    let one = &replicas[2];
    one.job.take(FIRST).await.unwrap();
    // The boards as they were at 04:00.
    let first = told(&[("Game 1", 1, 0), ("Game 2", 2, 0)]);
    assert_eq!(moves(one).await, first);
    assert_eq!(one.snapshots().await, 1);

    one.clock.advance(SECOND - one.clock.now());
    replicas[0].job.take(SECOND).await.unwrap();
    let second = told(&[("Game 2", 1, 2), ("Game 1", 2, 1)]);
    assert_eq!(moves(one).await, [first, second].concat());
    // Running and newly started replicas show the same board.
    let board = shown(&[("Game 2", 2), ("Game 1", 1)]);
    let four = Replica::start_at(&pool, one.clock.clone()).await;
    for replica in replicas.iter().chain([&four]) {
        assert_eq!(replica.previous("week").await, board);
    }
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn a_listing_that_left_the_board_has_moved_and_a_removed_one_has_not(pool: PgPool) {
    let mut replica = Replica::start(&pool).await;
    replica.vote(1, 1, 2).await;
    replica.vote(1, 3, 4).await;
    replica.clock.advance(FIRST - replica.clock.now());
    replica.job.take(FIRST).await.unwrap();
    assert_eq!(moves(&replica).await.len(), 4);
    // A week later the votes have left the window, and game 3 has been taken down.
    let gone =
        contracts::listings::v1::Game { page_id: id(3), state: State::Removed.into(), ..game(3) };
    replica.list(&[game_change(&gone)]);
    let later = FIRST + Duration::days(7);
    replica.clock.advance(later - replica.clock.now());
    replica.vote(1, 4, 1).await;
    replica.clock.advance(Duration::DAY);
    let due = later + Duration::DAY;
    replica.job.take(due).await.unwrap();
    // Game 3 was second; no move of a hidden listing is published.
    assert_eq!(
        moves(&replica).await[4..],
        told(&[("Game 4", 1, 4), ("Game 1", 2, 1), ("Game 2", 0, 3)])[..]
    );
    // The board of all time has previous ranks of its own: game 2 is still third there.
    replica.clock.advance(Duration::DAY);
    replica.job.take(due + Duration::DAY).await.unwrap();
    assert_eq!(replica.previous("all").await[2..], shown(&[("Game 2", 3)])[..]);
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn old_votes_are_removed_and_their_tallies_stay(pool: PgPool) {
    let kept = Duration::days(31);
    let replica = Replica::start(&pool).await;
    replica.vote(1, 1, 2).await;
    let cast = replica.try_vote(super::support::cookie(2, "192.0.2.1"), ("game-1", "game-2"));
    assert!(!cast.await.unwrap());
    replica.job.take(FIRST).await.unwrap();
    replica.clock.advance(Duration::days(31));
    replica.vote(3, 2, 1).await;
    let remove = async || retention::remove(&pool, replica.clock.now(), kept).await.unwrap();
    assert_eq!(remove().await, 0);
    replica.clock.advance(Duration::MINUTE);
    assert_eq!(remove().await, 2);
    let left = sqlx::query!(
        r#"select (select count(*) from catalogue.voter) as "voters!", (select count(*) from catalogue.vote) as "votes!",
               (select count(*) from catalogue.network_day) as "networks!", (select count(*) from catalogue.snapshot) as "snapshots!",
               (select count(*) from catalogue.snapshot_board) as "boards!""#
    ).fetch_one(&pool).await.unwrap();
    assert_eq!((left.voters, left.votes, left.networks), (1, 1, 0));
    assert_eq!((left.snapshots, left.boards), (1, 6));
    replica.clock.advance(Duration::days(5));
    assert_eq!(remove().await, 0);
    let next = Replica::start_at(&pool, replica.clock.clone()).await;
    assert_eq!(next.board("all").await, shown(&[("Game 1", 2), ("Game 2", 1)]));
    assert_eq!(next.board("week").await, shown(&[("Game 2", 1), ("Game 1", 0)]));
    // Both may judge the pair again, as new voters.
    for voter in [account(1), super::support::cookie(2, "192.0.2.7")] {
        let cast = replica.try_vote(voter, ("game-1", "game-2"));
        assert!(!cast.await.unwrap());
    }
    let voters = sqlx::query_scalar!(r#"select count(*) as "count!" from catalogue.voter"#);
    assert_eq!(voters.fetch_one(&pool).await.unwrap(), 3);
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn the_latest_two_snapshots_are_kept(pool: PgPool) {
    let replica = Replica::start(&pool).await;
    replica.vote(1, 1, 2).await;
    for days in 0..3 {
        replica.clock.advance(Duration::DAY);
        replica.job.take(FIRST + Duration::days(days)).await.unwrap();
    }
    retention::remove(&pool, replica.clock.now(), Duration::days(31)).await.unwrap();
    let left = sqlx::query_scalar!(r#"select count(*) as "count!" from catalogue.snapshot"#);
    assert_eq!(left.fetch_one(&pool).await.unwrap(), 2);
}
