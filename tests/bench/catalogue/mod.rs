//! The catalogue with a million generated games: its start and its memory, its first page over gRPC compared with 26,000 games, and through the
//! gateway compared with 91, for which two fleets run and are asked in alternation; its searches over gRPC.

mod fill;
mod generate;

use std::time::Duration;

use contracts::catalogue::v1::games_service_client::GamesServiceClient;
use contracts::catalogue::v1::search_service_client::SearchServiceClient;
use contracts::catalogue::v1::{ListGamesRequest, SearchRequest};
use contracts::common::v1::Mode;
use e2e::{Fleet, KeyRequest, SmallFleet, Staff};
use futures::future::join_all;
use tokio::time::Instant;

use self::fill::{catalogue, fill, restart};
use self::generate::Generator;
use crate::results::{Measure, Report};
use crate::side::{Side, compare, median, percentile, ratios};
use crate::wrk::Request;

const FEW: u64 = 26_000;
const MANY: u64 = 1_000_000;
/// Rounds of first pages, which both sides list, and of searches, over gRPC.
const ROUNDS: usize = 5;
/// The number of pages or searches in a round.
const PAGES: usize = 1_000;
/// The pause before the memory of a process is read: the allocator returns memory with a delay.
const REST: Duration = Duration::from_secs(5);

pub(crate) async fn run(report: &mut Report) {
    let (mut one, mut other) = (SmallFleet::new(), SmallFleet::new());
    let few = one.up().await;
    let many = other.up().await;
    let many = fill_and_report(report, &other, &many, MANY).await;
    let sides = [through_gateway("91", &few).await, through_gateway("1,000,000", &many).await];
    let measure =
        Measure::new(format!("GET /games through the gateway with {MANY} games compared with 91"));
    compare(report, &measure.required("0.91"), &sides[0], &sides[1]).await;
    let few = fill_and_report(report, &one, &few, FEW).await;
    compare_first_pages(report, [&few, &many]).await;
    search(report, &many).await;
}

/// Fills a fleet with games; reports how long catalogue-svc takes to start, and its memory per game.
async fn fill_and_report(
    report: &mut Report,
    small: &SmallFleet,
    fleet: &Fleet,
    games: u64,
) -> Fleet {
    tokio::time::sleep(REST).await;
    let empty = catalogue(fleet).unwrap().memory();
    let bytes = fill(fleet, &Generator::new(games)).await;
    let (fleet, start) = restart(small).await;
    tokio::time::sleep(REST).await;
    let process = catalogue(&fleet).unwrap();
    let a_game = |kibibytes: u32| f64::from(kibibytes) * 1_024.0 / games_f64(games);
    let [start_limit, memory_limit] = if games == MANY { ["20", "2200"] } else { ["", ""] };
    let subject = format!("catalogue-svc with {games} generated games");
    let measure = Measure::new(format!(
        "{subject}: time from start until ready, from the feed of listings-svc, s"
    ));
    let figure = format!("{:.1}", start.as_secs_f64());
    report.figure(measure.required(start_limit), figure, "");
    let measure = Measure::new(format!(
        "{subject}: resident memory per game, without that of the directory alone, bytes"
    ));
    let figure = format!("{:.0}", a_game(process.memory() - empty));
    let details = format!(
        "{} MiB in all, {} MiB with the directory alone, {} MiB at most; {} bytes a game on the feed",
        process.memory() / 1_024,
        empty / 1_024,
        process.peak() / 1_024,
        bytes / usize::try_from(games).unwrap(),
    );
    report.figure(measure.required(memory_limit), figure, &details);
    fleet
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
fn games_f64(games: u64) -> f64 {
    games as f64
}

/// The side that sends `GET /games` for 20 rows through the gateway.
async fn through_gateway(name: &'static str, fleet: &Fleet) -> Side {
    let mut staff = Staff::new(fleet).await;
    let account = staff.account("unlimited").await;
    let (_, key) = staff.key(&account, KeyRequest::live()).await;
    Side {
        name,
        request: Request::get(&format!("{}/games", fleet.base_url)).with_key(&key),
        processes: Vec::new(),
    }
}

/// Lists the first page over gRPC, from both sides in alternation.
async fn compare_first_pages(report: &mut Report, fleets: [&Fleet; 2]) {
    let channels = join_all(fleets.map(|fleet| fleet.rpc_client("catalogue-svc"))).await;
    let mut clients: Vec<_> = channels.into_iter().map(GamesServiceClient::new).collect();
    let (mut p50, mut p99) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
    for _ in 0..ROUNDS {
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..PAGES {
            for (client, times) in clients.iter_mut().zip(&mut times) {
                let start = Instant::now();
                let request =
                    ListGamesRequest { mode: Mode::Live.into(), ..ListGamesRequest::default() };
                client.list_games(request).await.unwrap();
                times.push(start.elapsed());
            }
        }
        for (place, times) in times.iter_mut().enumerate() {
            p50[place].push(percentile(times, 50));
            p99[place].push(percentile(times, 99));
        }
    }
    let measure = Measure::new(format!(
        "catalogue-svc over gRPC, one caller, first page: p99 with {MANY} games compared with {FEW}"
    ));
    let side = |place: usize| {
        let [p50, p99] = [&p50[place], &p99[place]].map(|them| median(them, |it| *it));
        format!("p50 and p99 {p50:.0} and {p99:.0} µs")
    };
    let details = format!("{MANY} games {}; {FEW} games {}", side(1), side(0));
    let found = ratios(&p99[1], &p99[0], |p99| *p99);
    report.ratio(measure.required("1.1"), &found, &details);
}

/// Searches over gRPC for two words of a game's title, each time of another game.
async fn search(report: &mut Report, fleet: &Fleet) {
    let channel = fleet.rpc_client("catalogue-svc").await;
    let queries: Vec<String> = Generator::new(MANY).queries().take(ROUNDS * PAGES).collect();
    let list = async |q: &str| {
        let request = ListGamesRequest {
            mode: Mode::Live.into(),
            q: Some(q.to_owned()),
            ..ListGamesRequest::default()
        };
        let listed = GamesServiceClient::new(channel.clone()).list_games(request).await;
        listed.unwrap().into_inner().page.unwrap().total
    };
    time_queries(report, "ListGames", "1000", &queries, list).await;
    let search = async |q: &str| {
        let request =
            SearchRequest { mode: Mode::Live.into(), q: q.to_owned(), ..SearchRequest::default() };
        let found = SearchServiceClient::new(channel.clone()).search(request).await;
        found.unwrap().into_inner().page.unwrap().total
    };
    time_queries(report, "Search", "1500", &queries, search).await;
}

/// Reports the p99 of `search`, which returns the number of its results.
async fn time_queries(
    report: &mut Report,
    what: &str,
    required: &'static str,
    queries: &[String],
    search: impl AsyncFn(&str) -> u64,
) {
    let (mut p50, mut p99) = (Vec::new(), Vec::new());
    for queries in queries.chunks(PAGES) {
        let mut times = Vec::new();
        for q in queries {
            let start = Instant::now();
            let total = search(q).await;
            times.push(start.elapsed());
            assert!(total > 0, "{q}");
        }
        p50.push(percentile(&mut times, 50));
        p99.push(percentile(&mut times, 99));
    }
    let measure = Measure::new(format!(
        "catalogue-svc over gRPC, one caller, {what} for two words of a title, with {MANY} games: p99, µs"
    ));
    let details = format!("p50 {:.0} µs", median(&p50, |it| *it));
    report.median(measure.required(required), &p99, 0, &details);
}
