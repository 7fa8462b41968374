//! Votes, boards and `ranking.moved` on a fleet with three replicas of catalogue-svc, whose clock passes 04:00 UTC twice, once while the fleet is
//! down. The tests of catalogue-svc cover the order of boards, and what takedowns and voided votes do to them.
#![expect(clippy::disallowed_methods, reason = "a test looks at a table")]

use std::path::PathBuf;

use contracts::public::RankingRow;
use e2e::{Client, Receiver, SmallFleet, cast_vote, dial, eventually};
use kit::Clock;
use serde_json::Value;
use sqlx::{Connection as _, PgConnection};
use time::{Duration, OffsetDateTime, Time};

const REPLICAS: [&str; 2] = ["--replicas", "catalogue-svc=3"];
/// The number of votes at each replica before each 04:00.
const VOTES: usize = 3;

/// A fleet whose clock the test moves.
struct VotedFleet {
    small: SmallFleet,
    receiver: Receiver,
    clock_file: PathBuf,
    moved: Duration,
}

/// Title, rank and previous rank of games, sorted.
type Ranks = Vec<(String, u64, u64)>;

impl VotedFleet {
    async fn start() -> Self {
        let receiver = Receiver::start().await;
        let mut small = SmallFleet::patient();
        small.set("WEBHOOK_ALLOW", &format!("http://{}", receiver.address));
        let fleet = small.up_with(&REPLICAS).await;
        receiver.subscribe(&fleet, &["ranking.moved"]).await;
        let voted = Self { small, receiver, clock_file: fleet.clock_file, moved: Duration::ZERO };
        // The first run of the job only marks the last 04:00 as done. The next 04:00 is the first with a snapshot.
        voted.until_done().await;
        voted
    }

    /// Moves the clock of the fleet, even while the fleet is down.
    fn advance(&mut self, by: Duration) {
        self.moved += by;
        self.receiver.advance(by);
        let offset = format!("+{}", self.moved.whole_seconds());
        std::fs::write(&self.clock_file, offset).unwrap();
    }

    /// Waits until the job of catalogue-svc has run for the last 04:00.
    async fn until_done(&self) {
        let now = Clock::system().now() + self.moved;
        let four = now.replace_time(Time::from_hms(4, 0, 0).unwrap());
        let due = if four <= now { four } else { four - Duration::DAY };
        let fleet = self.small.fleet();
        let mut connection = PgConnection::connect(&fleet.database_url).await.unwrap();
        let sql = "select done_for from catalogue.daily_run where name = 'board snapshot'";
        eventually("the job has run", async || {
            let done: Option<OffsetDateTime> =
                sqlx::query_scalar(sql).fetch_optional(&mut connection).await.unwrap();
            // Not equal, because the next 04:00 may pass in the meantime.
            done.is_some_and(|done| done >= due).then_some(())
        })
        .await;
    }

    async fn vote(&self) {
        let fleet = self.small.fleet();
        let token = fleet.service_token.clone().into();
        for replica in fleet.replicas("catalogue-svc") {
            let channel = dial(&replica.grpc, &token).await;
            for _ in 0..VOTES {
                eventually("the replica takes a vote", async || {
                    cast_vote(channel.clone()).await.ok()
                })
                .await;
            }
        }
    }

    /// The board of the week, once it has this many votes.
    async fn board(&self, votes: usize) -> Ranks {
        let fleet = self.small.fleet();
        let caller = Client::new(&fleet, &fleet.account("partner").keys.live);
        eventually("the board has the votes", async || {
            let board: Vec<RankingRow> = caller.rows("/rankings/games/week", 100).await;
            let wins: u64 = board.iter().map(|row| row.wins).sum();
            let rows = board.into_iter().map(|row| (row.name, row.rank, row.previous_rank));
            (wins == u64::try_from(votes).unwrap()).then(|| rows.collect())
        })
        .await
    }

    /// The moves that the receiver has received.
    fn announced(&self) -> Ranks {
        let number = |value: &Value| value.as_u64().unwrap();
        let announced = self.receiver.data();
        let mut announced: Ranks = (announced.iter())
            .map(|data| {
                let board = (&data["kind"], &data["board"]);
                assert_eq!(board, (&"game".into(), &"week".into()));
                let name = data["name"].as_str().unwrap().to_owned();
                (name, number(&data["rank"]), number(&data["previous_rank"]))
            })
            .collect();
        announced.sort();
        announced
    }
}

#[tokio::test]
#[ignore = "long: three replicas, which start twice"]
async fn moves_on_the_boards_are_announced_once_a_day_even_after_downtime() {
    let mut voted = VotedFleet::start().await;
    voted.vote().await;
    let mut first = voted.board(3 * VOTES).await;
    first.sort();
    // A game that is new on the board has no previous rank.
    assert!(first.iter().all(|(.., before)| *before == 0));
    // The clock passes 04:00.
    voted.advance(Duration::DAY);
    voted.until_done().await;
    eventually("the first ranks are announced", async || {
        (voted.announced() == first).then_some(())
    })
    .await;

    // The fleet is down at the next 04:00. After its start, the job catches up, once.
    voted.vote().await;
    voted.board(6 * VOTES).await;
    voted.small.down().await;
    voted.advance(Duration::days(2));
    voted.small.up_with(&REPLICAS).await;
    voted.until_done().await;
    eventually("the moves that the board shows are announced", async || {
        let board = voted.board(6 * VOTES).await.into_iter();
        let moved = board.filter(|(_, now, before)| now != before);
        let mut all: Ranks = first.iter().cloned().chain(moved).collect();
        all.sort();
        (voted.announced() == all).then_some(())
    })
    .await;
    assert!(voted.announced().len() > first.len(), "nothing moved: {first:?}");
}
