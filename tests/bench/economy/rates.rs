//! GET /economy/rates of many currencies, which has a row for each ordered pair: the first read of a version, the reads that follow,
//! beside a static body of that size, and 304, with the memory of both processes.

use std::time::Duration;

use e2e::{Fleet, Process, SmallFleet};
use futures::stream::{self, StreamExt as _};
use tokio::time::Instant;

use super::games::Games;
use crate::child;
use crate::http1::{Connection, Target};
use crate::side::{ROUNDS, median, print_ratio};

/// Currencies, besides the few of the fleet's own accounts.
const CURRENCIES: [usize; 3] = [30, 300, 1_000];
/// First reads, each of a version of its own.
const FIRST: usize = 5;
/// Connections of the reads that follow.
const CONNECTIONS: usize = 4;
/// How long they read in a round.
const ROUND: Duration = Duration::from_secs(4);
/// Up to so many bytes are compared with a static body.
const COMPARED: usize = 64 * 1024 * 1024;

pub(crate) async fn run() {
    let mut small = SmallFleet::new();
    small.set("ECONOMY_REPORT_INTERVAL", "0");
    let plans = small.plans();
    let fleet = small.up_with(&["--plans", &plans]).await;
    let mut games = Games::open(&fleet, "unlimited").await;
    games.grow(&fleet, 1).await;
    let key = games.key(&fleet).await;
    for currencies in CURRENCIES {
        games.grow(&fleet, currencies).await;
        games.report_all(&fleet).await;
        measure(&fleet, &games, &key, &small).await;
    }
}

async fn measure(fleet: &Fleet, games: &Games, key: &str, small: &SmallFleet) {
    let rates = Target::get(fleet, "/economy/rates", key);
    let gzipped = rates.clone().with("accept-encoding: gzip");
    let processes = ["gateway", "economy-svc"].map(|name| Process::new(name, fleet.pids()[name]));
    let [first, compressed] = [rates.clone(), gzipped.clone()];
    let before = processes.each_ref().map(Process::memory);
    processes.iter().for_each(Process::forget_peak);

    let mut body = Vec::new();
    let mut seconds = Vec::new();
    for _ in 0..FIRST {
        games.report_one(fleet).await;
        let start = Instant::now();
        body = read(&first).await.1;
        seconds.push(start.elapsed().as_secs_f64());
    }
    let peaks: Vec<u32> = processes.iter().map(Process::peak).collect();
    let rows: Vec<serde::de::IgnoredAny> = {
        let answer: serde_json::Value = serde_json::from_slice(&body).unwrap();
        serde_json::from_value(answer["data"].clone()).unwrap()
    };
    println!(
        "{} rows, {:.1} MB: first read of a version {:.0} ms",
        rows.len(),
        mega(body.len()),
        1e3 * median(&seconds, |seconds| *seconds)
    );
    drop(rows);
    for ((process, before), peak) in processes.iter().zip(before).zip(peaks) {
        let grown = f64::from(peak.saturating_sub(before)) * 1_024.0;
        println!(
            "  {:<12} +{:.1} MB, {:.1} times the body",
            process.name,
            grown / 1e6,
            grown / 1e6 / mega(body.len())
        );
    }
    follow("following reads", &rates).await;
    follow("following reads, gzip", &compressed).await;
    let tag = read(&rates).await.0;
    let known = rates.clone().with(&format!("if-none-match: {tag}"));
    follow("304", &known).await;
    if body.len() <= COMPARED {
        compare(&rates, &body, small).await;
    }
}

/// Prints how long one answer takes, one after the other.
async fn follow(what: &str, target: &Target) {
    let mut connection = Connection::open(target).await.unwrap();
    let mut seconds = Vec::new();
    for turn in 0..=FIRST {
        let start = Instant::now();
        connection.send(target).await.unwrap();
        let answer = connection.answer().await.unwrap();
        assert!([200, 304].contains(&answer.status), "{answer:?}");
        // The first one may have to compress it.
        if turn > 0 {
            seconds.push(start.elapsed().as_secs_f64());
        }
    }
    println!(
        "  {what}: {:.2} ms",
        1e3 * median(&seconds, |seconds| *seconds)
    );
}

/// Reads the body in turns with a static one of the same bytes.
async fn compare(rates: &Target, body: &[u8], small: &SmallFleet) {
    let file = small.write("rates.json", body);
    let address = child::free_address();
    let _server = child::own(&["static-body", &address, &file], &address).await;
    let fixed = Target::at(&format!("http://{address}/"), "none");
    let (mut rated, mut fixed_rates) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        fixed_rates.push(bytes_per_second(&fixed, body.len()).await);
        rated.push(bytes_per_second(rates, body.len()).await);
    }
    println!(
        "  {CONNECTIONS} connections: {:.0} MB/s, static body {:.0} MB/s",
        median(&rated, |rate| rate / 1e6),
        median(&fixed_rates, |rate| rate / 1e6)
    );
    let ratios: Vec<f64> = rated
        .iter()
        .zip(&fixed_rates)
        .map(|(rate, fixed)| rate / fixed)
        .collect();
    print_ratio("  rates / static body", &ratios);
}

async fn bytes_per_second(target: &Target, length: usize) -> f64 {
    let start = Instant::now();
    let end = start + ROUND;
    let reads = stream::iter(0..CONNECTIONS).map(async |_| {
        let mut connection = Connection::open(target).await.unwrap();
        let mut count = 0;
        while Instant::now() < end {
            connection.send(target).await.unwrap();
            let answer = connection.answer().await.unwrap();
            assert_eq!(answer.status, 200);
            count += 1;
        }
        count
    });
    let counts: Vec<usize> = reads.buffer_unordered(CONNECTIONS).collect().await;
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let bytes = (counts.iter().sum::<usize>() * length) as f64;
    bytes / start.elapsed().as_secs_f64()
}

/// The tag and the body of an answer.
async fn read(target: &Target) -> (String, Vec<u8>) {
    let client = reqwest::Client::new();
    let url = format!("http://{}{}", target.address, target.uri.path());
    let request = client
        .get(url)
        .header("authorization", target.authorization.clone());
    let answer = request.send().await.unwrap().error_for_status().unwrap();
    let tag = answer.headers()["etag"].to_str().unwrap().to_owned();
    (tag, answer.bytes().await.unwrap().into())
}

fn mega(bytes: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let bytes = bytes as f64;
    bytes / 1e6
}
