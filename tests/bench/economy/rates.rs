//! GET /economy/rates of many currencies, which has a row for each ordered pair: the first read of a version, the reads that follow,
//! beside a static body of that size, and 304, with the memory of both processes.

use std::time::Duration;

use e2e::{Fleet, Process, SmallFleet};
use futures::stream::{self, StreamExt as _};
use tokio::time::Instant;

use super::games::Games;
use crate::child;
use crate::http1::{Connection, Target};
use crate::results::{Measure, Report};
use crate::side::{ROUNDS, median};

/// How many currencies there are, besides the few of the fleet's own accounts, and the limits of what is measured with them.
struct Case {
    currencies: usize,
    rate_limit: &'static str,
    memory_limit: &'static str,
}

const CASES: [Case; 4] = [
    Case {
        currencies: 30,
        rate_limit: "",
        memory_limit: "",
    },
    Case {
        currencies: 200,
        rate_limit: "0.8",
        memory_limit: "",
    },
    Case {
        currencies: 300,
        rate_limit: "0.8",
        memory_limit: "",
    },
    // The list of more than 630 currencies is too long.
    Case {
        currencies: 600,
        rate_limit: "",
        memory_limit: "3",
    },
];
/// First reads, each of a version of its own.
const FIRST: usize = 5;
/// Connections of the reads that follow.
const CONNECTIONS: usize = 4;
/// How long they read in a round.
const ROUND: Duration = Duration::from_secs(4);
/// Up to so many bytes are compared with a static body.
const COMPARED: usize = 32 * 1024 * 1024;

pub(crate) async fn run(report: &mut Report) {
    let mut small = SmallFleet::new();
    small.set("ECONOMY_REPORT_INTERVAL", "0");
    let plans = small.plans();
    let fleet = small.up_with(&["--plans", &plans]).await;
    let mut games = Games::open(&fleet, "unlimited").await;
    games.grow(&fleet, 1).await;
    let key = games.key(&fleet).await;
    for case in CASES {
        games.grow(&fleet, case.currencies).await;
        games.report_all(&fleet).await;
        let rates = RatesReport {
            report: &mut *report,
            case,
        };
        measure(rates, &fleet, &games, &key, &small).await;
    }
}

/// The figures of so many currencies.
struct RatesReport<'a> {
    report: &'a mut Report,
    case: Case,
}

impl RatesReport<'_> {
    fn measure(&self, what: &str) -> Measure {
        let currencies = self.case.currencies;
        Measure::new(format!(
            "GET /economy/rates of {currencies} currencies: {what}"
        ))
    }

    /// The median of some times.
    fn milliseconds(&mut self, what: &str, seconds: &[f64], details: &str) {
        let measure = self.measure(&format!("{what}, ms"));
        let time = 1e3 * median(seconds, |seconds| *seconds);
        self.report.figure(measure, format!("{time:.2}"), details);
    }
}

async fn measure(
    mut report: RatesReport<'_>,
    fleet: &Fleet,
    games: &Games,
    key: &str,
    small: &SmallFleet,
) {
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
    let details = format!("{} rows, {:.1} MB", rows.len(), mega(body.len()));
    report.milliseconds("first read of a version", &seconds, &details);
    drop(rows);
    for ((process, before), peak) in processes.iter().zip(before).zip(peaks) {
        let grown = f64::from(peak.saturating_sub(before)) * 1_024.0;
        let measure = report.measure(&format!(
            "growth of the memory of {} over {FIRST} versions, in bodies",
            process.name
        ));
        let figure = format!("{:.1}", grown / 1e6 / mega(body.len()));
        let details = format!("{:.1} MB", grown / 1e6);
        report
            .report
            .figure(measure.required(report.case.memory_limit), figure, &details);
    }
    follow(&mut report, "following reads", &rates).await;
    follow(&mut report, "following reads, gzip", &compressed).await;
    let tag = read(&rates).await.0;
    let known = rates.clone().with(&format!("if-none-match: {tag}"));
    follow(&mut report, "304", &known).await;
    if body.len() <= COMPARED {
        compare(&mut report, &rates, &body, small).await;
    }
}

/// Reports how long one answer takes, one after the other.
async fn follow(report: &mut RatesReport<'_>, what: &str, target: &Target) {
    let mut connection = Connection::open(target).await.unwrap();
    let mut seconds = Vec::new();
    for turn in 0..=FIRST {
        let start = Instant::now();
        connection.send(target).await.unwrap();
        let answer = connection.answer().await.unwrap();
        assert!([200, 304].contains(&answer.status), "{answer:?}");
        // The first one may open the connection.
        if turn > 0 {
            seconds.push(start.elapsed().as_secs_f64());
        }
    }
    report.milliseconds(what, &seconds, "");
}

/// Reads the body in turns with a static one of the same bytes.
async fn compare(report: &mut RatesReport<'_>, rates: &Target, body: &[u8], small: &SmallFleet) {
    let file = small.write("rates.json", body);
    let address = child::free_address();
    let _server = child::own(&["static-body", &address, &file], &address).await;
    let fixed = Target::at(&format!("http://{address}/"), "none");
    let (mut rated, mut fixed_rates) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        fixed_rates.push(bytes_per_second(&fixed, body.len()).await);
        rated.push(bytes_per_second(rates, body.len()).await);
    }
    let details = format!(
        "{:.0} MB/s; static body {:.0} MB/s",
        median(&rated, |rate| rate / 1e6),
        median(&fixed_rates, |rate| rate / 1e6)
    );
    let ratios: Vec<f64> = rated
        .iter()
        .zip(&fixed_rates)
        .map(|(rate, fixed)| rate / fixed)
        .collect();
    let measure = report.measure(&format!(
        "following reads over {CONNECTIONS} connections compared with a static body of that size from a bare axum server; bytes/s"
    ));
    let measure = measure.required(report.case.rate_limit);
    report.report.ratio(measure, &ratios, &details);
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
