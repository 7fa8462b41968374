//! The boards of several replicas equal a naive model after random steps: votes, voids, listings that are published or hidden, clock changes and
//! restarts of replicas.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use catalogue::boards::Boards;
use catalogue::domain::drawer::Drawer;
use catalogue::domain::rankings::{BoardKind, Hour, Window};
use catalogue::domain::vote::{Pair, Vote};
use catalogue::domain::voter::Voter;
use catalogue::index::{Catalogue, Snapshot};
use catalogue::service::Reads;
use catalogue::store::tallies::HourVotes;
use catalogue::store::{tallies, votes};
use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::rankings_service_server::RankingsService as _;
use contracts::common::v1::{Mode, PageRequest};
use contracts::listings::v1::{Game, State};
use contracts::public::RankingRow;
use futures::FutureExt as _;
use kit::Clock;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, TestRunner};
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};
use tonic::Request;
use uuid::Uuid;

use super::support::{START, boards, games, index, list};
use crate::build::{game, game_change, id, reads};

const GAMES: u32 = 6;
/// Random sequences of steps.
const CASES: usize = 16;

#[derive(Debug, Clone)]
enum Step {
    /// Winner, loser, and how many hours ago.
    Vote(u32, u32, u32),
    /// Voids the vote with this index.
    Void(usize),
    /// A game, whether it is public, and when it was published, in seconds after 1970.
    List(u32, bool, u8),
    /// Moves the clock by hours, also back.
    Hours(i64),
    /// A replica refreshes its boards.
    Update(usize),
    /// A replica restarts.
    Start(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let game = || 1..=GAMES;
    let replica = || 0..2_usize;
    prop_oneof![
        8 => (game(), game(), 0..3_u32).prop_map(|(winner, loser, ago)| Step::Vote(winner, loser, ago)),
        2 => (0..40_usize).prop_map(Step::Void),
        2 => (game(), any::<bool>(), 0..3_u8).prop_map(|(game, public, at)| Step::List(game, public, at)),
        4 => prop_oneof![1..25_i64, 160..170_i64, 715..725_i64, -2..0_i64].prop_map(Step::Hours),
        4 => replica().prop_map(Step::Update),
        1 => replica().prop_map(Step::Start),
    ]
}

/// The naive model.
#[derive(Debug)]
struct Model {
    /// Votes that count, with their voters: winner, loser, hour.
    votes: Vec<((u32, u32, u32), Uuid)>,
    /// Public games, and when each was published.
    public: BTreeMap<u32, i64>,
}

impl Model {
    fn board(&self, window: u32, now: u32) -> Vec<(String, u64)> {
        let counted = |hour: u32| hour + window > now;
        let mut rows: Vec<_> = (self.public.iter())
            .filter_map(|(game, published)| {
                let votes = self.votes.iter().map(|(vote, _)| vote).filter(|vote| counted(vote.2));
                let wins = votes.clone().filter(|vote| vote.0 == *game).count();
                let losses = votes.filter(|vote| vote.1 == *game).count();
                // A share of wins in millionths, in whole numbers.
                let share = (wins * 1_000_000).checked_div(wins + losses)?;
                let key = (Reverse(wins), Reverse(share), *published, format!("game-{game}"));
                Some((key, *game))
            })
            .collect();
        rows.sort();
        let rows = rows.into_iter();
        rows.map(|((wins, ..), game)| (format!("Game {game}"), wins.0 as u64)).collect()
    }
}

fn uuid(game: u32) -> Uuid {
    id(game).parse().unwrap()
}

fn hour(at: OffsetDateTime) -> u32 {
    Hour::containing(at).0
}

/// Stores a vote of a new voter, and adds it to the tallies; returns the voter.
async fn add(pool: &PgPool, (winner, loser, hour): (u32, u32, u32)) -> Uuid {
    let (voter, winner, at) = (kit::ids::row_id(), uuid(winner), Hour(hour).start());
    let vote = Vote {
        voter: Voter::cookie(voter, "192.0.2.1".parse().unwrap()),
        kind: BoardKind::Games,
        pair: Pair::new(winner, uuid(loser)),
        winner: Some(winner),
        day: at.date(),
        drawer: Drawer::Voter { id: voter, judged: 0 },
    };
    let mut connection = pool.acquire().await.unwrap();
    votes::insert(&mut connection, &vote, at).await.unwrap();
    let hour = Hour(hour);
    let added = HourVotes::of_vote(&vote, hour);
    tallies::add(&mut connection, &added, 1, hour).await.unwrap();
    voter
}

/// A replica without a gRPC server.
struct Replica {
    catalogue: Arc<Catalogue>,
    boards: Arc<Boards>,
    rankings: Arc<Reads>,
}

impl Replica {
    async fn start(pool: &PgPool, clock: &Clock, snapshot: &Snapshot) -> Self {
        let (catalogue, boards) = boards(pool, clock, snapshot.clone()).await;
        Self {
            rankings: Arc::new(Reads {
                boards: Arc::clone(&boards),
                ..reads(Arc::clone(&catalogue))
            }),
            catalogue,
            boards,
        }
    }

    /// All rows of a board that was refreshed since the last change of listings, whose ranks therefore have no gaps.
    fn shown(&self, board: &str) -> Vec<(String, u64)> {
        let (rows, total) = self.pages(board);
        assert_eq!(usize::try_from(total).unwrap(), rows.len());
        let ranks = rows.iter().map(|row| row.rank);
        assert!(ranks.eq(1..=total), "ranks have no gaps");
        let rows = rows.into_iter();
        rows.map(|row| (row.name, row.wins)).collect()
    }

    /// All rows of a board, read page by page, and its total.
    fn pages(&self, board: &str) -> (Vec<RankingRow>, u64) {
        let (mut rows, mut cursor) = (Vec::new(), String::new());
        loop {
            let request = proto::ListRankingRequest {
                mode: Mode::Live.into(),
                page: Some(PageRequest { limit: 2, cursor }),
                at_least: None,
                kind: "games".to_owned(),
                board: board.to_owned(),
            };
            // A read of a board awaits nothing.
            let answer = self
                .rankings
                .list_ranking(Request::new(request))
                .now_or_never()
                .unwrap()
                .unwrap()
                .into_inner();
            let page: Vec<RankingRow> = serde_json::from_slice(&answer.json).unwrap();
            rows.extend(page);
            let info = answer.page.unwrap();
            let Some(next) = info.next_cursor else {
                return (rows, info.total);
            };
            cursor = next;
        }
    }

    /// The names of the listings on a board, in order.
    fn names(&self, board: &str) -> Vec<String> {
        let (rows, _) = self.pages(board);
        rows.into_iter().map(|row| row.name).collect()
    }
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn boards_equal_a_naive_model(pool: PgPool) {
    let mut runner = TestRunner::new_with_rng(Config::default(), {
        let algorithm = proptest::test_runner::RngAlgorithm::ChaCha;
        proptest::test_runner::TestRng::deterministic_rng(algorithm)
    });
    let steps = prop::collection::vec(step(), 20..120);
    for case in 0..CASES {
        let steps = steps.new_tree(&mut runner).unwrap().current();
        run(&pool, &steps).await;
        println!("case {case} passed");
    }
}

#[expect(clippy::disallowed_methods, reason = "statements of a test")]
async fn run(pool: &PgPool, steps: &[Step]) {
    let empty = "truncate catalogue.vote, catalogue.tally, catalogue.tally_hour";
    sqlx::raw_sql(empty).execute(pool).await.unwrap();
    let clock = Clock::fixed(START);
    let mut listings = index();
    let mut snapshot = list(&mut listings, &games());
    let mut replicas = Vec::new();
    for _ in 0..2 {
        replicas.push(Replica::start(pool, &clock, &snapshot).await);
    }
    let mut model = Model {
        votes: Vec::new(),
        public: (1..=GAMES).map(|game| (game, i64::from(game))).collect(),
    };
    for step in steps {
        match *step {
            Step::Vote(winner, loser, ago) if winner != loser => {
                let cast = (winner, loser, hour(clock.now()) - ago);
                model.votes.push((cast, add(pool, cast).await));
            }
            // Only votes of the last 31 days can be voided.
            Step::Void(number)
                if (model.votes.get(number))
                    .is_some_and(|(vote, _)| vote.2 + 31 * 24 > hour(clock.now())) =>
            {
                let (_, voter) = model.votes.remove(number);
                let mut connection = pool.acquire().await.unwrap();
                let stored = votes::of_voter(&mut connection, voter).await.unwrap();
                let now = Hour::containing(clock.now());
                tallies::add(&mut connection, &stored, -1, now).await.unwrap();
            }
            Step::List(number, public, at) => {
                let state = if public { State::Published } else { State::Pending };
                let listed = Game {
                    page_id: id(if number == 6 { 1 } else { number }),
                    state: state.into(),
                    first_published_at: Some(crate::build::at(at.into())),
                    ..game(number)
                };
                snapshot = list(&mut listings, &[game_change(&listed)]);
                model.public.remove(&number);
                if public {
                    model.public.insert(number, at.into());
                }
                for replica in &replicas {
                    let before = replica.names("all");
                    replica.catalogue.publish(snapshot.clone());
                    // A hidden game leaves the board at once, and no other game moves.
                    let name = format!("Game {number}");
                    let after = replica.names("all");
                    assert!(public || !after.contains(&name));
                    let others = |names: Vec<String>| names.into_iter().filter(|one| *one != name);
                    assert!(
                        others(before.clone()).eq(others(after.clone())),
                        "{before:?} {after:?}"
                    );
                }
            }
            Step::Hours(hours) => clock.advance(Duration::hours(hours)),
            Step::Update(replica) => {
                let refreshed = replicas[replica].boards.refresh(pool, clock.now());
                refreshed.await.unwrap();
                assert_boards(&replicas[replica], &model, &clock);
            }
            Step::Start(replica) => {
                replicas[replica] = Replica::start(pool, &clock, &snapshot).await;
            }
            Step::Vote(..) | Step::Void(_) => {}
        }
    }
    for replica in &replicas {
        let refreshed = replica.boards.refresh(pool, clock.now());
        refreshed.await.unwrap();
        assert_boards(replica, &model, &clock);
    }
}

fn assert_boards(replica: &Replica, model: &Model, clock: &Clock) {
    let now = hour(clock.now());
    for (window, hours) in [(Window::Week, 168), (Window::Month, 720), (Window::All, now)] {
        let expected = model.board(hours, now);
        assert_eq!(replica.shown(window.as_str()), expected, "{window:?}");
    }
}
