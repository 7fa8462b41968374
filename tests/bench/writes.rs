//! Changes of published games at listings-svc, with their checks, revisions, counts and rows of the feed, compared with pgbench's update of one row
//! on the same PostgreSQL.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use contracts::common::v1::Mode;
use contracts::listings::v1::games_service_client::GamesServiceClient;
use contracts::listings::v1::{Author, UpdateGameRequest, Writing};
use e2e::{Fleet, Process, SmallFleet, Staff};
use kit::rpc::client::Client as Channel;
use serde_json::json;
use sqlx::{Connection as _, PgConnection};

use crate::pgbench::Pgbench;
use crate::results::{Measure, Report};
use crate::side::{ROUNDS, SECONDS, WARM_UP, median, rate, ratios};

/// Concurrent callers, each with an account that has a page. pgbench has as many clients.
const CALLERS: usize = 64;
/// Published games of each caller.
const GAMES: usize = 16;

pub(crate) async fn run(report: &mut Report) {
    let mut small = SmallFleet::new();
    let fleet = small.up().await;
    let studios = Studios::open(&fleet).await;
    let before = revisions(&fleet.database_url).await;
    let pgbench = Pgbench::new(&small, CALLERS * GAMES, CALLERS).await;
    let process = Process::new("listings-svc", fleet.service("listings-svc").pid.unwrap());
    pgbench.rate(WARM_UP).await;
    studios.rate(WARM_UP).await;
    let (mut bare, mut rates, mut cpu) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        bare.push(pgbench.rate(SECONDS).await);
        let used = process.cpu();
        let rate = studios.rate(SECONDS).await;
        rates.push(rate);
        cpu.push((process.cpu() - used) / (rate * f64::from(SECONDS)));
    }
    let measure = Measure::new(format!(
        "changes of taglines at listings-svc, one replica, {CALLERS} callers, compared with pgbench's update of one of {} rows ({CALLERS} clients, prepared); changes/s",
        CALLERS * GAMES
    ));
    let details = format!(
        "{:.0} changes/s; pgbench {:.0} updates/s",
        median(&rates, |rate| *rate),
        median(&bare, |rate| *rate)
    );
    let found = ratios(&rates, &bare, |rate| *rate);
    report.ratio(measure.required("0.03"), &found, &details);
    let measure = Measure::new(format!(
        "CPU of one process of listings-svc for a change of all, one replica, {CALLERS} callers, µs"
    ));
    report.figure(measure, format!("{:.0}", median(&cpu, |cpu| *cpu)), "");
    // Each accepted change is stored exactly once.
    let after = revisions(&fleet.database_url).await;
    let changes = studios.changes.load(Ordering::Relaxed);
    assert_eq!(u64::try_from(after - before).unwrap(), changes);
}

#[expect(clippy::disallowed_methods, reason = "the benchmarks have no schema of their own")]
async fn revisions(url: &str) -> i64 {
    let mut connection = PgConnection::connect(url).await.unwrap();
    let count = sqlx::query_scalar("select count(*) from listings.revision");
    count.fetch_one(&mut connection).await.unwrap()
}

/// Accounts that change their published games.
#[derive(Clone)]
struct Studios {
    /// The ids of the accounts. The slug of a game contains the index of its account.
    accounts: Arc<Vec<String>>,
    games: GamesServiceClient<Channel>,
    /// The number of changes so far. Each change contains its number, so that it differs from the value before.
    changes: Arc<AtomicU64>,
}

impl Studios {
    async fn open(fleet: &Fleet) -> Self {
        let mut staff = Staff::new(fleet).await;
        let mut accounts = Vec::new();
        for n in 0..CALLERS {
            let account = staff.account("unlimited").await;
            let handle = format!("bench-{n}");
            staff.page(&account, &handle).await;
            let rows = (0..GAMES).map(|game| {
                let slug = format!("{handle}-{game}");
                json!({
                    "slug": slug, "title": slug, "tagline": "As imported", "release_year": 2024, "genres": ["puzzle"], "platforms": ["web"],
                    "creator": handle, "description": "A game of a benchmark. ".repeat(20), "links": {"website": "https://studio.example"},
                })
            });
            staff.import("game", &rows.collect::<Vec<_>>()).await;
            accounts.push(account.account.id);
        }
        Self {
            accounts: Arc::new(accounts),
            games: GamesServiceClient::new(fleet.rpc_client("listings-svc").await),
            changes: Arc::default(),
        }
    }

    /// Accepted changes per second.
    async fn rate(&self, seconds: u32) -> f64 {
        let studios = self.clone();
        rate(CALLERS, seconds, move |caller, turn| studios.clone().change(caller, turn)).await
    }

    async fn change(mut self, caller: usize, turn: usize) {
        let number = self.changes.fetch_add(1, Ordering::Relaxed);
        let body = json!({ "tagline": format!("change{number}x") });
        let writing = Writing {
            author: Some(Author {
                account_id: self.accounts[caller].clone(),
                mode: Mode::Live.into(),
                writes_per_day: None,
            }),
            body: body.to_string().into(),
            ..Writing::default()
        };
        let request = UpdateGameRequest {
            slug: format!("bench-{caller}-{}", turn % GAMES),
            writing: Some(writing),
            precondition: None,
        };
        self.games.update_game(request).await.unwrap();
    }
}
