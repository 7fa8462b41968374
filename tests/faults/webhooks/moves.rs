//! Votes, boards and `ranking.moved` on a fleet whose clock moves past 04:00 UTC, with three replicas of catalogue-svc, and with one 04:00
//! during which the fleet is down. catalogue-svc holds what a takedown and voided votes do to boards.
#![expect(clippy::disallowed_methods, reason = "a test looks at a table")]

use std::path::PathBuf;

use catalogue::domain::draw::{Draw, SigningKey};
use catalogue::domain::rankings::BoardKind;
use catalogue::domain::vote::Pair;
use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::rankings_service_client::RankingsServiceClient;
use contracts::catalogue::v1::votes_service_client::VotesServiceClient;
use contracts::common::v1::Mode;
use contracts::public::RankingRow;
use e2e::{Client, Fleet, Receiver, SmallFleet, eventually};
use kit::Clock;
use kit::rpc::client::{Client as Channel, Transport, dial};
use serde_json::Value;
use sqlx::{Connection as _, PgConnection};
use time::{Duration, OffsetDateTime, Time};
use uuid::Uuid;

/// A fleet with a clock that the test moves.
struct Scene {
    small: SmallFleet,
    receiver: Receiver,
    clock_file: PathBuf,
    moved: Duration,
    /// Live games of different creators: slugs and titles.
    games: Vec<(String, String)>,
}

/// Ranks of games: title, rank, previous rank.
type Ranks = Vec<(String, u64, u64)>;

impl Scene {
    async fn set() -> Self {
        let receiver = Receiver::start().await;
        let mut small = SmallFleet::patient();
        small.set("WEBHOOK_ALLOW", &format!("http://{}", receiver.address));
        let fleet = small.up_with(&["--replicas", "catalogue-svc=3"]).await;
        receiver.subscribe(&fleet, &["ranking.moved"]).await;
        let rows = caller(&fleet).get("/games?limit=100").await;
        let mut games: Vec<(String, String)> = Vec::new();
        let mut creators = Vec::new();
        for row in rows.data().as_array().unwrap() {
            let creator = row["creator"]["handle"].clone();
            if !creators.contains(&creator) {
                creators.push(creator);
                games.push((text(&row["slug"]), text(&row["title"])));
            }
        }
        let scene = Self {
            small,
            receiver,
            clock_file: fleet.clock_file.clone(),
            moved: Duration::ZERO,
            games,
        };
        // The first run of the job only marks the last 04:00 as done. The next 04:00 is the first with a snapshot.
        scene.until_done_for(scene.last_four()).await;
        scene
    }

    fn now(&self) -> OffsetDateTime {
        Clock::system().now() + self.moved
    }

    fn last_four(&self) -> OffsetDateTime {
        let four = self.now().replace_time(Time::from_hms(4, 0, 0).unwrap());
        if four <= self.now() {
            four
        } else {
            four - Duration::DAY
        }
    }

    /// Moves the clock of the fleet, also while the fleet is down.
    fn advance(&mut self, by: Duration) {
        self.moved += by;
        self.receiver.advance(by);
        let offset = format!("+{}", self.moved.whole_seconds());
        std::fs::write(&self.clock_file, offset).unwrap();
    }

    /// Waits until the job of catalogue-svc has run for this moment.
    async fn until_done_for(&self, due: OffsetDateTime) {
        let fleet = self.small.fleet();
        let mut connection = PgConnection::connect(&fleet.database_url).await.unwrap();
        let sql = "select done_for from catalogue.daily_run where name = 'board snapshot'";
        eventually("the job has run", async || {
            let done: Option<OffsetDateTime> = sqlx::query_scalar(sql)
                .fetch_optional(&mut connection)
                .await
                .unwrap();
            // Not equal: the next 04:00 may pass meanwhile.
            done.is_some_and(|done| done >= due).then_some(())
        })
        .await;
    }

    /// The id of a game.
    async fn id(&self, game: usize) -> Uuid {
        let fleet = self.small.fleet();
        let mut connection = PgConnection::connect(&fleet.database_url).await.unwrap();
        let sql = "select id from listings.game where slug = $1 and mode = 'live'";
        let id = sqlx::query_scalar(sql).bind(&self.games[game].0);
        id.fetch_one(&mut connection).await.unwrap()
    }

    /// Casts an account's vote for one game against another, at one of the replicas.
    async fn vote(&self, voter: &str, winner: usize, loser: usize) {
        let replicas = catalogues(&self.small.fleet());
        let account = proto::voter::Voter::AccountId(voter.to_owned());
        let (winning, losing) = (self.id(winner).await, self.id(loser).await);
        let draw = Draw {
            voter: voter.parse().unwrap(),
            kind: BoardKind::Games,
            pair: Pair::of(winning, losing),
            drawn_at: self.now(),
        };
        let token = &self.small.fleet().service_token;
        let request = proto::CastVoteRequest {
            voter: Some(proto::Voter {
                voter: Some(account),
                other_account_ids: Vec::new(),
            }),
            kind: "games".to_owned(),
            winner: self.games[winner].0.clone(),
            loser: self.games[loser].0.clone(),
            // Signed as if catalogue-svc had drawn this pair.
            draw: SigningKey::new(token).sign(&draw),
            neither: false,
        };
        let channel = self
            .dial(&replicas[(winner + loser) % replicas.len()])
            .await;
        let votes = VotesServiceClient::new(channel.unwrap());
        let cast = eventually(
            "the clock of the replica has come to the draw",
            async || votes.clone().cast_vote(request.clone()).await.ok(),
        );
        assert!(!cast.await.into_inner().repeated_today);
    }

    async fn dial(&self, address: &str) -> Option<Channel> {
        let token = self.small.fleet().service_token.into();
        dial(address, Transport::plain(), &token).await.ok()
    }

    /// The games of these numbers, with their ranks and previous ranks.
    fn ranks(&self, ranks: &[(usize, u64, u64)]) -> Ranks {
        let ranks = ranks.iter();
        ranks
            .map(|(game, rank, previous)| (self.games[*game].1.clone(), *rank, *previous))
            .collect()
    }

    /// Asserts that every replica soon shows this board of the week, and then the gateway too.
    async fn assert_board(&self, ranks: &[(usize, u64, u64)]) {
        let expected = self.ranks(ranks);
        for replica in catalogues(&self.small.fleet()) {
            eventually("a replica shows the board", async || {
                let request = proto::ListRankingRequest {
                    mode: Mode::Live.into(),
                    kind: "games".to_owned(),
                    board: "week".to_owned(),
                    ..proto::ListRankingRequest::default()
                };
                let mut rankings = RankingsServiceClient::new(self.dial(&replica).await?);
                let listed = rankings.list_ranking(request).await.ok()?;
                let rows: Vec<RankingRow> = serde_json::from_slice(&listed.get_ref().json).ok()?;
                let rows = rows
                    .into_iter()
                    .map(|row| (row.name, row.rank, row.previous_rank));
                (rows.collect::<Ranks>() == expected).then_some(())
            })
            .await;
        }
        assert_eq!(self.shown().await, expected);
    }

    /// The board of the week, read through the gateway.
    async fn shown(&self) -> Ranks {
        let answer = caller(&self.small.fleet())
            .get("/rankings/games/week")
            .await;
        let rows = answer.data().as_array().unwrap().iter();
        let number = |value: &Value| value.as_u64().unwrap();
        rows.map(|row| {
            (
                text(&row["name"]),
                number(&row["rank"]),
                number(&row["previous_rank"]),
            )
        })
        .collect()
    }

    /// Asserts that the receiver gets these moves, and no others.
    async fn assert_told(&self, moves: &[(usize, u64, u64)]) {
        let mut expected = self.ranks(moves);
        expected.sort();
        eventually("the moves are delivered", async || {
            (self.receiver.count() >= expected.len()).then_some(())
        })
        .await;
        let told = self.receiver.data();
        let mut moves: Ranks = (told.iter())
            .map(|data| {
                assert_eq!(
                    (&data["kind"], &data["board"]),
                    (&"game".into(), &"week".into())
                );
                assert!(text(&data["url"]).contains("/games/"));
                let number = |value: &Value| value.as_u64().unwrap();
                (
                    text(&data["name"]),
                    number(&data["rank"]),
                    number(&data["previous_rank"]),
                )
            })
            .collect();
        moves.sort();
        assert_eq!(moves, expected);
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn caller(fleet: &Fleet) -> Client {
    Client::new(fleet, &fleet.account("partner").keys.live)
}

/// The addresses of all replicas of catalogue-svc.
fn catalogues(fleet: &Fleet) -> Vec<String> {
    let replicas = fleet.replicas("catalogue-svc");
    replicas.map(|replica| replica.grpc.clone()).collect()
}

/// The id of a new voter. No account has it.
fn somebody() -> String {
    Uuid::from_bytes(*kit::ids::row_id().as_bytes()).to_string()
}

#[tokio::test]
#[ignore = "long: three replicas, which start twice"]
async fn moves_on_the_boards_are_told_once_a_day_whatever_happens() {
    let mut scene = Scene::set().await;
    // Games 0 to 3: two wins, one win, one win of two, none.
    for (winner, loser) in [(0, 3), (0, 2), (1, 3), (2, 3)] {
        scene.vote(&somebody(), winner, loser).await;
    }
    let board = [(0, 1, 0), (1, 2, 0), (2, 3, 0), (3, 4, 0)];
    scene.assert_board(&board).await;

    // Past 04:00.
    scene.advance(Duration::DAY);
    scene.until_done_for(scene.last_four()).await;
    let first = [(0, 1, 0), (1, 2, 0), (2, 3, 0), (3, 4, 0)];
    scene.assert_told(&first).await;
    scene.assert_board(&board).await;

    // The fleet is down at the next 04:00. The job makes up for it, once.
    scene.vote(&somebody(), 3, 1).await;
    scene.vote(&somebody(), 3, 1).await;
    scene.small.down().await;
    scene.advance(Duration::days(2));
    let replicas = ["--replicas", "catalogue-svc=3"];
    scene.small.up_with(&replicas).await;
    scene.until_done_for(scene.last_four()).await;
    // Game 3 has two wins of five, game 0 two of two; game 1 has one win of three, game 2 one of two.
    let second = [(3, 2, 4), (1, 4, 2)];
    scene.assert_told(&[&first[..], &second[..]].concat()).await;
    scene
        .assert_board(&[(0, 1, 1), (3, 2, 4), (2, 3, 3), (1, 4, 2)])
        .await;
}
